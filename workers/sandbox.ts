// The role `evaluation` in a process of its own, as `evolve up` runs it: it alone has the Docker socket, and it has no
// model key. SIGTERM drains it.
import { availableParallelism } from 'node:os';
import { openContext, serve } from './context.ts';
import { sandboxEnvironment } from './environment.ts';
import { evaluationRole } from './roles/evaluation.ts';

const environment = sandboxEnvironment(process.env, availableParallelism());
const context = await openContext(environment);
await serve(context, [await evaluationRole(context, environment)]);

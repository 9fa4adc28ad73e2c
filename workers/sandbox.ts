// The role `evaluation` in a process of its own, as `evolve up` runs it: it alone has the Docker socket, and it has no
// model key. SIGTERM drains it.
import { openContext, serve } from './process/context.ts';
import { sandboxEnvironment } from './process/environment.ts';
import { evaluationRole } from './roles/evaluation.ts';
import { engineMachine } from './process/tuning.ts';

const machine = await engineMachine(process.env['DOCKER_HOST']);
const environment = sandboxEnvironment(process.env, machine.cores);
const context = await openContext(environment);
await serve(context, [await evaluationRole(context, environment, machine)]);

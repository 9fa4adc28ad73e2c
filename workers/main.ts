// The roles `engine` and `model` in one process, as `evolve up` runs them. It has no Docker socket, because the role
// `evaluation` is a process of its own (sandbox.ts). SIGTERM drains it.
import { openContext, serve } from './process/context.ts';
import { mainEnvironment } from './process/environment.ts';
import { createModels } from './models/model-clients.ts';
import { startOfflineModel } from './models/offline-model.ts';
import { engineRole } from './roles/engine.ts';
import { modelRole } from './roles/model.ts';

const environment = { ...mainEnvironment(process.env), startOfflineModel };
const context = await openContext(environment);
const models = createModels(environment, process.env, context.store);
await serve(context, [await engineRole(context, environment, models), await modelRole(context, environment, models)]);

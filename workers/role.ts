// One of the roles `engine` and `model` in a process of its own, on a machine that may have no other part of the stack:
// `node workers/role.ts engine`. SIGTERM drains it.
import { openContext, serve } from './process/context.ts';
import { mainEnvironment } from './process/environment.ts';
import { createModels } from './models/model-clients.ts';
import { startOfflineModel } from './models/offline-model.ts';
import { engineRole } from './roles/engine.ts';
import { modelRole } from './roles/model.ts';

const ROLES = { engine: engineRole, model: modelRole };

const [name = ''] = process.argv.slice(2);
const role = Object.hasOwn(ROLES, name) ? ROLES[name as keyof typeof ROLES] : null;
if (role === null) throw new Error(`usage: node workers/role.ts ${Object.keys(ROLES).join(' | ')}, got ${name}`);
const environment = { ...mainEnvironment(process.env), startOfflineModel };
const context = await openContext(environment);
await serve(context, [await role(context, environment, createModels(environment, process.env, context.store))]);

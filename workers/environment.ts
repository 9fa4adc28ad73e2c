// The only place where worker processes read the environment. The supervisor sets these; a person may, in production.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveHome } from '../deploy/home.ts';

const need = (env: NodeJS.ProcessEnv, name: string, how: string): string => {
  const value = env[name];
  if (!value) throw new Error(`expected ${name} in the worker's environment (${how}); \`evolve up\` sets it`);
  return value;
};

const slots = (env: NodeJS.ProcessEnv, name: string, otherwise: number): number => {
  const value = Number(env[name] ?? otherwise);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name}: expected a positive whole number, got ${env[name]}`);
  return value;
};

/** Environment of the worker for the workflow, db and llm queues. It has no Docker socket. */
export const mainEnvironment = (env: NodeJS.ProcessEnv) => ({
  home: resolve(need(env, 'EVOLVE_HOME', 'data directory')),
  mongodbUri: need(env, 'MONGODB_URI', 'database'),
  bundle: need(env, 'EVOLVE_BUNDLE', 'workflow bundle'),
  offlineModelUrl: env.EVOLVE_OFFLINE_MODEL_URL ?? null,
  /** Model requests in flight. */
  llmSlots: slots(env, 'EVOLVE_LLM_SLOTS', 32),
  dbSlots: slots(env, 'EVOLVE_DB_SLOTS', 8),
});

/** What keeps candidates apart: of the sandbox worker, and of `evolve task` (trial.ts). */
export const isolationEnvironment = (env: NodeJS.ProcessEnv, cores: number) => {
  const home = resolveHome(env);
  return {
    /** Names this data directory in container labels: two homes on one machine do not touch each other's containers. */
    homeHash: home.hash,
    home: home.root,
    imageCache: join(home.parts, 'image'),
    requirements: fileURLToPath(new URL('../deploy/requirements/evaluator-requirements.txt', import.meta.url)),
    dockerHost: env.DOCKER_HOST,
    image: env.EVOLVE_IMAGE ?? null,
    sandbox: env.EVOLVE_SANDBOX ?? 'docker',
    concurrency: slots(env, 'EVOLVE_EVAL_CONCURRENCY', cores),
  };
};
export type IsolationEnvironment = ReturnType<typeof isolationEnvironment>;

/** Environment of the worker for the eval queue: it alone has the Docker socket, and no model key. */
export const sandboxEnvironment = (env: NodeJS.ProcessEnv, cores: number) => ({
  ...isolationEnvironment(env, cores), mongodbUri: need(env, 'MONGODB_URI', 'database'),
});
export type SandboxEnvironment = ReturnType<typeof sandboxEnvironment>;

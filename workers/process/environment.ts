// The only place where worker processes read the environment. The supervisor sets these variables; in production a
// person may.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secretsKeyIn } from '../../activities/llm/transport/sealed-keys.ts';
import { heartbeatSeconds } from '../../deploy/stack/heartbeat.ts';
import { resolveHome, runsDirectory } from '../../deploy/host/home.ts';
import { policiesOf } from '../../deploy/supervisor/learning-children.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';
import { LABEL, LABEL_EXPECTED } from '../../evolution/hosts/needs.ts';

const need = (env: NodeJS.ProcessEnv, name: string, how: string): string => {
  const value = env[name];
  if (!value) throw new Error(`expected ${name} in the worker's environment (${how}); \`evolve up\` sets it`);
  return value;
};

const slots = (env: NodeJS.ProcessEnv, name: string, otherwise: number): number => {
  const text = env[name] ?? String(otherwise);
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1)
    throw new Error(`${name}: expected a whole number from 1 to 99999, got ${JSON.stringify(text.slice(0, 100))}`);
  return Number(text);
};

/** Environment of all roles. */
const baseEnvironment = (env: NodeJS.ProcessEnv) => ({
  home: resolve(need(env, 'EVOLVE_HOME', 'data directory')),
  mongodbUri: need(env, 'MONGODB_URI', 'database'),
  /** Seconds that running activities have to finish after SIGTERM. */
  grace: slots(env, 'EVOLVE_GRACE', 5),
});

const labelsIn = (env: NodeJS.ProcessEnv): readonly string[] => {
  const labels = (env.EVOLVE_EVAL_LABELS ?? '').split(',').filter((label) => label !== '');
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong !== undefined)
    throw new Error(`EVOLVE_EVAL_LABELS: ${LABEL_EXPECTED}, got ${JSON.stringify(wrong.slice(0, 100))}`);
  return [...new Set(labels)].sort();
};

/** Environment of the role `engine`. It has no Docker socket. */
const engineEnvironment = (env: NodeJS.ProcessEnv) => ({
  ...baseEnvironment(env),
  bundle: need(env, 'EVOLVE_BUNDLE', 'workflow bundle'),
  runs: runsDirectory(env),
  /** The weights of policies, a folder for each. */
  policies: policiesOf(resolveHome(env)),
  dbSlots: slots(env, 'EVOLVE_DB_SLOTS', 8),
  /** The longest time of an activity without a heartbeat. */
  heartbeatSeconds: heartbeatSeconds(env),
});
export type EngineEnvironment = ReturnType<typeof engineEnvironment>;

/** Environment of the role `model`. It has no Docker socket. */
const modelEnvironment = (env: NodeJS.ProcessEnv) => ({
  ...baseEnvironment(env),
  offlineModelUrl: env.EVOLVE_OFFLINE_MODEL_URL ?? null,
  /** The server of policies; it runs where a run of this data directory learns. */
  trainerUrl: env.EVOLVE_TRAINER_URL ?? null,
  /** Decrypts the keys that hosts share through the database; null where none is set. */
  secretsKey: secretsKeyIn(env),
  /** Model requests in flight. */
  llmSlots: slots(env, 'EVOLVE_LLM_SLOTS', 32),
});
export type ModelEnvironment = ReturnType<typeof modelEnvironment>;

/** Environment of the process that has the roles `engine` and `model`. */
export const mainEnvironment = (env: NodeJS.ProcessEnv) => ({ ...engineEnvironment(env), ...modelEnvironment(env) });

/** Environment of the isolation of candidates, for the sandbox worker and for `evolve task`. */
export const isolationEnvironment = (env: NodeJS.ProcessEnv, cores: number) => {
  const home = resolveHome(env);
  return {
    /** For levels that are set by variables of their own. */
    env,
    /** Names this data directory in container labels: two homes on one machine do not touch each other's containers. */
    homeHash: home.hash,
    home: home.root,
    imageCache: join(home.parts, 'image'),
    requirements: fileURLToPath(new URL('../../deploy/requirements/evaluator-requirements.txt', import.meta.url)),
    dockerHost: env.DOCKER_HOST,
    image: env.EVOLVE_IMAGE ?? null,
    sandbox: env.EVOLVE_SANDBOX ?? DEFAULT_LEVEL,
    concurrency: slots(env, 'EVOLVE_EVAL_CONCURRENCY', cores),
    /** So many GPUs are given to programs that need them. */
    gpus: env.EVOLVE_EVAL_GPUS ? slots(env, 'EVOLVE_EVAL_GPUS', 1) : 0,
  };
};
export type IsolationEnvironment = ReturnType<typeof isolationEnvironment>;

/** Environment of the role `evaluation`: it alone has the Docker socket, and no model key. */
export const sandboxEnvironment = (env: NodeJS.ProcessEnv, cores: number) => ({
  ...baseEnvironment(env),
  ...isolationEnvironment(env, cores),
  cores,
  labels: labelsIn(env),
  /** Takes only programs that need what not every host has. */
  dedicated: env.EVOLVE_EVAL_DEDICATED === '1',
});
export type SandboxEnvironment = ReturnType<typeof sandboxEnvironment>;

// The two processes of a home that learns: the reference trainer's server, and the worker that trains. Both are Python
// (deploy/trainer), run from the clone, and neither gets a key from the environment.
import { join } from 'node:path';
import { type Home, packageVersion, PROJECT_ROOT } from '../host/home.ts';
import type { TrainerPython } from '../parts/python/trainer-venv.ts';
import { isLearnerTelemetry } from '../host/telemetry.ts';
import { hashSources, payloadKeysRevision } from '../versions/sources.ts';
import { baseEnvironment, type Environment, logOf, NETWORK, pick, temporalEnvironment, WORKERS } from './children.ts';
import { type ChildPlan, type Parts, withRole } from './plan.ts';

const SOURCES = 'deploy/trainer';

/** The folder of policies, with a folder for each version. */
export const policiesOf = (home: Home): string => join(home.root, 'policies');

type LearningParts = {
  readonly home: Home;
  readonly parts: Parts & { readonly trainer: { readonly url: string } };
  readonly python: TrainerPython;
  /** The trainer of this machine is used, and not only trainers elsewhere. */
  readonly reference: boolean;
  readonly env: NodeJS.ProcessEnv;
};

/** The first is for tests: the operation behind which the worker kills itself once. The last two choose a device. */
const TRAINER_SETTINGS = new Set([
  'EVOLVE_TRAINER_DIE_AFTER',
  'EVOLVE_TINKER_REDUCTION',
  'EVOLVE_TRAINER_DEVICE',
  'CUDA_VISIBLE_DEVICES',
]);

export const trainerSettings = (env: NodeJS.ProcessEnv): Environment =>
  pick(env, (variable) => TRAINER_SETTINGS.has(variable));

type Servers = Pick<Parts, 'temporal' | 'database' | 'trainer'>;
type Trained = { readonly home: Home; readonly parts: Servers; readonly env: NodeJS.ProcessEnv };

const pythonEnvironment = ({ home, parts, env }: Trained, name: string): Environment => ({
  ...baseEnvironment(home, name, env),
  EVOLVE_HOME: home.root,
  EVOLVE_POLICIES: policiesOf(home),
  EVOLVE_VERSION: packageVersion(),
  ...(parts.trainer ? { EVOLVE_TRAINER_URL: parts.trainer.url } : {}),
  MONGODB_URI: parts.database.uri,
  ...temporalEnvironment(parts.temporal, env),
  PYTHONPATH: join(PROJECT_ROOT, SOURCES),
  PYTHONPYCACHEPREFIX: join(home.parts, 'pycache'),
  PYTHONUNBUFFERED: '1',
  PYTHONNOUSERSITE: '1',
  // Two threads were more than 25 times slower than one on small models.
  OMP_NUM_THREADS: '1',
  ...trainerSettings(env),
});

const LEARNER = ['-m', 'evolve_trainer.worker'];

/** Trainers elsewhere may be behind a proxy or a private authority. */
const learnerEnvironment = (trained: Trained): Environment => ({
  ...pythonEnvironment(trained, 'learner'),
  ...pick(
    trained.env,
    (name) => NETWORK.has(name) || name.startsWith('EVOLVE_PAYLOAD_KEYS') || isLearnerTelemetry(name),
  ),
});

/** The learner as a process that is nobody's child, wherever it is started. */
export const learnerAlone = (trained: Trained): { readonly args: readonly string[]; readonly env: Environment } => ({
  // Nothing in the folder where it is started may be imported.
  args: ['-P', ...LEARNER],
  // The supervisor gives its own learner a time of its own.
  env: { ...learnerEnvironment(trained), ...pick(trained.env, (name) => name === 'EVOLVE_GRACE') },
});

/** The children start beside the workers: nothing waits for them, and importing PyTorch takes seconds. */
export const learningChildren = (learning: LearningParts): readonly ChildPlan[] => {
  const { home, parts, python, reference, env } = learning;
  const revision = hashSources([SOURCES], [python.torch, python.torchFile]);
  const common = { stage: WORKERS, file: python.python, cwd: home.root };
  const port = Number(new URL(parts.trainer.url).port);
  const server = withRole(
    {
      ...common,
      name: 'trainer',
      args: ['-m', 'evolve_trainer.server'],
      env: pythonEnvironment(learning, 'trainer'),
      port,
      log: logOf(home, 'trainer'),
      health: { kind: 'http', url: `${parts.trainer.url}/models` },
      stopTimeoutMs: 10_000,
    },
    revision,
  );
  const learner = withRole(
    {
      ...common,
      name: 'learner',
      args: LEARNER,
      env: learnerEnvironment(learning),
      port: null,
      log: logOf(home, 'learner'),
      health: { kind: 'ready-line' },
      stopTimeoutMs: 15_000,
    },
    [revision, ...payloadKeysRevision(home, env)].join(' '),
  );
  return reference ? [server, learner] : [learner];
};

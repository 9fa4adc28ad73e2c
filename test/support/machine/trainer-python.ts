// The Python of the trainer's tests, which `npm test` prepares (deploy/stack/prepare-tests.ts).
import { join } from 'node:path';
import { PROJECT_ROOT, resolveHome } from '../../../deploy/host/home.ts';
import { readyTrainerPython } from '../../../deploy/parts/python/trainer-venv.ts';

const home = resolveHome(process.env);

/** Has PyTorch and all that deploy/trainer needs. Null where this machine has none: such tests are skipped. */
export const TRAINER_PYTHON: string | null = readyTrainerPython(home, {})?.python ?? null;

/** The environment for it: the package of the clone, and no file written into the clone. */
export const TRAINER_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  PYTHONPATH: join(PROJECT_ROOT, 'deploy', 'trainer'),
  PYTHONPYCACHEPREFIX: join(home.parts, 'pycache'),
  PYTHONNOUSERSITE: '1',
  OMP_NUM_THREADS: '1',
  // What the tests expect are the numbers of a CPU, also on a host with a GPU.
  EVOLVE_TRAINER_DEVICE: 'cpu',
};

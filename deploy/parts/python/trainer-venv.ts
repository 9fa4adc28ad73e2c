// The Python environment of the trainer and of the worker on the queue `evolve-rl` (deploy/trainer), made only where a
// run asks for learning. PyTorch comes from where the machine has it, all else from a list that is locked by hash.
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';
import { freeBytes, type Home } from '../../host/home.ts';
import { withLock } from '../../host/lock.ts';
import {
  aptInstall,
  findOnPath,
  mayInstallPackages,
  runCommand,
  type Say,
  SetupError,
} from '../../host/run-command.ts';
import { sha256 } from '../../host/sha256.ts';
import { ensurePython, PYTHON_NAMES } from './python.ts';
import { INSTALL_TIMEOUT_MS, pipInstall, requirementsFile } from './venv.ts';

/** Names an interpreter that has PyTorch already, as on a machine with a GPU. */
const SETTING = 'EVOLVE_TRAINER_PYTHON';
/** The wheels of the locked list are for these minor versions of Python 3. */
const MINORS: readonly string[] = ['3.11', '3.12', '3.13'];
const TORCH_TIMEOUT_MS = 90 * 60_000;
/** Measured for torch 2.15.0 on x86-64, where the package index gives it with CUDA; what is downloaded is kept beside. */
const TORCH_DOWNLOAD = '3.0 GB to download on x86-64, 5.8 GB on the disk';
const TORCH_NEEDED_BYTES = 10e9;

/** The parts of an environment; written last, so that one with this file is complete. */
type Made = {
  readonly interpreter: string;
  readonly version: string;
  readonly torch: string;
  readonly torchFile: string;
  readonly how: string;
};

/** The environment's interpreter, and what it has. */
export type TrainerPython = Made & { readonly python: string };

type Found = Made & { readonly folders: readonly string[] };

const venvOf = (home: Home): string => join(home.parts, 'venv-trainer');
const READY = '.evolve-ready.json';
const INSTALLING = '.evolve-installing';
const LIST = '.evolve-list-';

const listMarker = (): string => `${LIST}${sha256(readFileSync(requirementsFile('trainer'))).slice(0, 12)}`;

/** Null where it was not made to its end, or has lost its interpreter or its PyTorch. */
const soundVenv = (venv: string): Made | null => {
  const made = existsSync(join(venv, INSTALLING)) ? null : readJsonOrNull<Made>(join(venv, READY));
  return made !== null && existsSync(join(venv, 'bin', 'python')) && existsSync(made.torchFile) ? made : null;
};

const isWanted = (made: Made | null, env: NodeJS.ProcessEnv): made is Made =>
  made !== null && (!env[SETTING] || made.interpreter === env[SETTING]);

/** The environment where it is complete and up to date; nothing is started to find out. */
export const readyTrainerPython = (home: Home, env: NodeJS.ProcessEnv): TrainerPython | null => {
  const venv = venvOf(home);
  const made = soundVenv(venv);
  return isWanted(made, env) && existsSync(join(venv, listMarker()))
    ? { ...made, python: join(venv, 'bin', 'python') }
    : null;
};

const PROBE = `
import importlib.util, os, platform, sys
version = "%d.%d" % sys.version_info[:2]
if any(importlib.util.find_spec(name) is None for name in ("venv", "ensurepip", "torch", "numpy")):
    print(platform.python_implementation(), version, "", "", "", sep="\\t")
else:
    import numpy, torch
    print(platform.python_implementation(), version, torch.__version__, torch.__file__, numpy.__file__, sep="\\t")
`;

type Probe = { readonly cpython: boolean; readonly version: string; readonly found: Found | null };

/** Null where the file does not run as a Python. */
const probe = async (interpreter: string, how: string): Promise<Probe | null> => {
  const { ok, stdout } = await runCommand(interpreter, ['-c', PROBE], { timeoutMs: 120_000 });
  const [implementation, version, torch, torchFile, numpyFile] = stdout.trimEnd().split('\t');
  if (!ok || !implementation || !version) return null;
  const fits = implementation === 'CPython' && MINORS.includes(version);
  const folders = [torchFile, numpyFile].filter((file) => !!file).map((file) => dirname(dirname(file!)));
  const found =
    fits && torch && torchFile ? { interpreter, version, torch, torchFile, how, folders: [...new Set(folders)] } : null;
  return { cpython: fits, version: `${implementation} ${version}`, found };
};

const fromSetting = async (interpreter: string): Promise<Found> => {
  const answer = await probe(interpreter, `${interpreter} (${SETTING})`);
  if (answer?.found) return answer.found;
  throw new SetupError(
    `${SETTING}: expected a CPython ${MINORS[0]} to ${MINORS.at(-1)} that has venv, torch and numpy, ${interpreter} ${
      answer === null
        ? 'does not run'
        : answer.cpython
          ? `(${answer.version}) lacks one of them`
          : `is ${answer.version}`
    }: name another interpreter, or unset ${SETTING}`,
  );
};

const DEBIAN = '/usr/bin/python3';

const fromPath = async (): Promise<Found | null> => {
  const files = [...PYTHON_NAMES.map((name) => findOnPath(name)), existsSync(DEBIAN) ? DEBIAN : null];
  for (const file of new Set(files.filter((one) => one !== null))) {
    const candidate = (await probe(file, `${file}, which has it`))?.found;
    if (candidate) return candidate;
  }
  return null;
};

const QUICK_BLAS = 'libopenblas0-pthread';

/**
 * Debian's PyTorch multiplies matrices with the BLAS that the machine has, and the reference BLAS, which is there where
 * nobody chose another, takes twenty times as long as OpenBLAS.
 */
const quicken = async ({ torchFile }: Found, say: Say): Promise<void> => {
  if (!torchFile.startsWith('/usr/lib/python3/') || !mayInstallPackages()) return;
  const named = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'libblas.so.3'));
  const slow = named.some((file) => existsSync(file) && dirname(realpathSync(file)).endsWith('/blas'));
  if (!slow) return;
  say('trainer', `installing ${QUICK_BLAS} with apt-get (7 MB): this PyTorch computes twenty times faster with it`);
  const { ok, error } = await aptInstall([QUICK_BLAS]);
  if (!ok) say('trainer', `${QUICK_BLAS} could not be installed, so that training is slow: ${error}`);
};

const fromApt = async (say: Say): Promise<Found | null> => {
  if (!mayInstallPackages()) return null;
  say('trainer', 'no Python on PATH has PyTorch: installing python3-torch with apt-get (about 80 MB, half a minute)');
  const { ok, error } = await aptInstall(['python3-torch', 'python3-numpy', 'python3-venv', QUICK_BLAS]);
  const answer = ok ? await probe(DEBIAN, `python3-torch of apt-get`) : null;
  if (answer?.found) return answer.found;
  say('trainer', `python3-torch does not serve: ${ok ? `${DEBIAN} is ${answer?.version ?? 'away'}` : error}`);
  return null;
};

const makeFrom = async (venv: string, interpreter: string): Promise<void> => {
  rmSync(venv, { recursive: true, force: true });
  const { ok, error } = await runCommand(interpreter, ['-m', 'venv', venv], { timeoutMs: INSTALL_TIMEOUT_MS });
  if (!ok) throw new SetupError(`${interpreter} -m venv ${venv} failed:\n${error}`);
  writeFileSync(join(venv, INSTALLING), '');
};

/** PyTorch of another interpreter: its folders come last on the path, after all that the environment has itself. */
const borrow = async (venv: string, { interpreter, version, folders }: Found): Promise<void> => {
  await makeFrom(venv, interpreter);
  writeFileSync(
    join(venv, 'lib', `python${version}`, 'site-packages', 'evolve-torch.pth'),
    folders.map((folder) => `${folder}\n`).join(''),
  );
};

const download = async (venv: string, say: Say): Promise<Found> => {
  const python = await ensurePython(say);
  if (!MINORS.includes(python.version))
    throw new SetupError(
      `expected a CPython ${MINORS[0]} to ${MINORS.at(-1)} with venv for the trainer, found ${python.executable} (${python.version}): install one, or name an interpreter that has PyTorch in ${SETTING}`,
    );
  const free = freeBytes(dirname(venv));
  if (free < TORCH_NEEDED_BYTES)
    throw new SetupError(
      `PyTorch from PyPI needs ${TORCH_NEEDED_BYTES / 1e9} GB in ${dirname(venv)}, and ${(free / 1e9).toFixed(1)} GB are free: make room, set EVOLVE_PARTS to a directory on another disk, or name an interpreter that has PyTorch in ${SETTING}`,
    );
  say(
    'trainer',
    `no Python here has PyTorch: fetching it from PyPI, about ${TORCH_DOWNLOAD} (Ctrl-C stops it; ${SETTING} names an interpreter that has it)`,
  );
  await makeFrom(venv, python.executable);
  await pipInstall(venv, 'torch', [], TORCH_TIMEOUT_MS);
  const answer = await probe(join(venv, 'bin', 'python'), 'PyPI');
  if (answer?.found) return { ...answer.found, interpreter: python.executable };
  throw new SetupError(
    `PyTorch was installed in ${venv} and cannot be imported: run ${venv}/bin/python -c "import torch"`,
  );
};

const installList = async (venv: string, say: Say): Promise<void> => {
  say('trainer', 'installing deploy/requirements/trainer-requirements.txt from PyPI (hash-locked)');
  writeFileSync(join(venv, INSTALLING), '');
  await pipInstall(venv, 'trainer', ['--require-hashes']);
  const { ok, error } = await runCommand(
    join(venv, 'bin', 'python'),
    ['-c', 'import torch, aiohttp, cryptography, pyarrow, pymongo, safetensors, temporalio'],
    { timeoutMs: 300_000 },
  );
  if (!ok) throw new SetupError(`the trainer's packages cannot be imported by ${venv}/bin/python:\n${error}`);
  for (const old of readdirSync(venv)) if (old.startsWith(LIST)) rmSync(join(venv, old));
  writeFileSync(join(venv, listMarker()), '');
};

const make = async (venv: string, env: NodeJS.ProcessEnv, { pypi }: { readonly pypi: boolean }, say: Say) => {
  if (existsSync(venv) && soundVenv(venv) === null)
    say('trainer', 'its environment is not complete, or has lost PyTorch: making it again');
  const setting = env[SETTING];
  const lent = setting ? await fromSetting(setting) : ((await fromPath()) ?? (await fromApt(say)));
  if (lent === null && !pypi)
    throw new SetupError(
      `no Python with PyTorch: run \`sudo apt-get install python3-torch\`, or name an interpreter that has it in ${SETTING}`,
    );
  if (lent !== null) await quicken(lent, say);
  if (lent !== null) await borrow(venv, lent);
  const { folders: _, ...made } = lent ?? (await download(venv, say));
  say('trainer', `PyTorch ${made.torch}: ${made.how}`);
  await installList(venv, say);
  writeJsonAtomically(join(venv, READY), made);
  rmSync(join(venv, INSTALLING));
};

/**
 * Resolves to an interpreter with PyTorch and all that deploy/trainer needs. Throws SetupError with what to do. Several
 * processes may ask at once, and an environment that was left half-made is made again. Without `pypi`, PyTorch is not
 * downloaded from the package index.
 */
export const ensureTrainer = async (
  home: Home,
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
  options: { readonly pypi: boolean } = { pypi: true },
): Promise<TrainerPython> => {
  const ready = readyTrainerPython(home, env);
  if (ready) return ready;
  const venv = venvOf(home);
  mkdirSync(home.parts, { recursive: true });
  const waiting = (pid: number): void => {
    if (pid !== process.pid) say('trainer', `waiting for process ${pid}, which sets it up`);
  };
  await withLock(
    join(home.parts, 'venv-trainer.lock'),
    { timeoutMs: TORCH_TIMEOUT_MS + INSTALL_TIMEOUT_MS, waiting },
    async () => {
      if (readyTrainerPython(home, env)) return;
      if (!isWanted(soundVenv(venv), env)) await make(venv, env, options, say);
      else {
        await installList(venv, say);
        rmSync(join(venv, INSTALLING));
      }
    },
  );
  const made = readyTrainerPython(home, env);
  if (made === null)
    throw new SetupError(`${venv} was made, and is not complete: remove it and run \`npx evolve up --learn\``);
  return made;
};

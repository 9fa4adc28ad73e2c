// One virtual environment for tools from PyPI, whose versions are locked by hash. Several processes may ask for it at
// once, and one that was left half-made is made again.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Home, PROJECT_ROOT } from '../../host/home.ts';
import { withLock } from '../../host/lock.ts';
import { runCommand, type Say, SetupError } from '../../host/run-command.ts';
import { ensurePython } from './python.ts';
import { sha256 } from '../../host/sha256.ts';

/** The name of a hash-locked list in deploy/requirements/. */
export type PythonTool = 'temporal' | 'secantusdb';

export const INSTALL_TIMEOUT_MS = 15 * 60_000;

export const requirementsFile = (
  name: PythonTool | 'evaluator' | 'trainer' | 'torch' | 'trackers' | 'client',
): string => join(PROJECT_ROOT, 'deploy', 'requirements', `${name}-requirements.txt`);

/** The version a list pins for a package. */
export const pinnedVersion = (tool: PythonTool, distribution: string): string => {
  const match = new RegExp(`^${distribution}==([^\\s\\\\]+)`, 'im').exec(readFileSync(requirementsFile(tool), 'utf8'));
  if (!match?.[1]) throw new Error(`deploy/requirements/${tool}-requirements.txt pins no ${distribution}`);
  return match[1];
};

const venvOf = (home: Home): string => join(home.parts, 'venv');
const READY = '.evolve-ready';
const INSTALLING = '.evolve-installing';

const markerOf = (tool: PythonTool): string => {
  const hash = sha256(readFileSync(requirementsFile(tool))).slice(0, 12);
  return `.evolve-${tool}-${hash}`;
};

/**
 * True if the environment was made to the end, no installation was broken off, and its interpreter is still there
 * (existsSync follows links).
 */
const isSound = (venv: string): boolean =>
  existsSync(join(venv, READY)) && !existsSync(join(venv, INSTALLING)) && existsSync(join(venv, 'bin', 'python'));

const isPresent = (home: Home, tool: PythonTool): boolean => {
  const venv = venvOf(home);
  return isSound(venv) && existsSync(join(venv, markerOf(tool)));
};

const make = async (venv: string, say: Say): Promise<void> => {
  const halfMade = existsSync(venv);
  rmSync(venv, { recursive: true, force: true });
  const python = await ensurePython(say);
  say(
    'python',
    `${halfMade ? 'making the virtual environment again (it was not finished)' : 'making a virtual environment'} with CPython ${python.version} (${python.executable})`,
  );
  const { ok, error } = await runCommand(python.executable, ['-m', 'venv', venv], { timeoutMs: INSTALL_TIMEOUT_MS });
  if (!ok) throw new SetupError(`${python.executable} -m venv ${venv} failed:\n${error}`);
  writeFileSync(join(venv, READY), python.version);
};

/** Installs a list of deploy/requirements/ into an environment. Nothing is built from source. */
export const pipInstall = async (
  venv: string,
  list: Parameters<typeof requirementsFile>[0],
  flags: readonly string[],
  timeoutMs = INSTALL_TIMEOUT_MS,
): Promise<void> => {
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--only-binary=:all:'];
  const { ok, error } = await runCommand(
    join(venv, 'bin', 'python'),
    [...pip, ...flags, '-r', requirementsFile(list)],
    { timeoutMs },
  );
  if (!ok)
    throw new SetupError(
      `installing ${list} from PyPI failed (is a Python package index reachable? pip reads PIP_INDEX_URL and pip.conf):\n${error}`,
    );
};

const install = async (venv: string, tool: PythonTool, say: Say): Promise<void> => {
  say('python', `installing deploy/requirements/${tool}-requirements.txt from PyPI (hash-locked)`);
  // This file stays when we are killed, and then the next set-up starts from an empty directory.
  writeFileSync(join(venv, INSTALLING), tool);
  await pipInstall(venv, tool, ['--require-hashes']);
  for (const old of readdirSync(venv)) if (old.startsWith(`.evolve-${tool}-`)) rmSync(join(venv, old));
  writeFileSync(join(venv, markerOf(tool)), '');
  rmSync(join(venv, INSTALLING));
};

/** Resolves to the bin directory that holds the tool. */
export const ensurePythonTool = async (home: Home, tool: PythonTool, say: Say): Promise<string> => {
  const venv = venvOf(home);
  if (!isPresent(home, tool)) {
    mkdirSync(home.parts, { recursive: true });
    const waiting = (pid: number): void => {
      if (pid !== process.pid) say('python', `waiting for the set-up of process ${pid}`);
    };
    await withLock(join(home.parts, 'venv.lock'), { timeoutMs: INSTALL_TIMEOUT_MS, waiting }, async () => {
      if (isPresent(home, tool)) return;
      if (!isSound(venv)) await make(venv, say);
      await install(venv, tool, say);
    });
  }
  return join(venv, 'bin');
};

/** The state that `evolve doctor` shows. */
export const venvState = (home: Home): 'ready' | 'unfinished' | 'absent' =>
  isSound(venvOf(home)) ? 'ready' : existsSync(venvOf(home)) ? 'unfinished' : 'absent';

// Finds a CPython for the virtual environment, or installs one where we may.
import {
  aptInstall,
  findOnPath,
  mayInstallPackages,
  runCommand,
  type Say,
  SetupError,
} from '../../host/run-command.ts';

export type Python = { readonly executable: string; readonly version: string; readonly hasVenv: boolean };

/** SecantusDB has wheels for these minor versions of Python 3. */
const MINORS = [10, 11, 12, 13] as const;
export const PYTHON_NAMES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'] as const;
const PROBE = `
import sys, platform
try:
    import venv, ensurepip
    has = 1
except ImportError:
    has = 0
print(sys.executable, platform.python_implementation(), sys.version_info[0], sys.version_info[1], has, sep="\\t")`;

const probe = async (name: string): Promise<Python | null> => {
  const file = findOnPath(name);
  if (!file) return null;
  const { ok, stdout } = await runCommand(file, ['-c', PROBE], { timeoutMs: 60_000 });
  const [executable, implementation, major, minor, has] = stdout.trim().split('\t');
  if (
    !ok ||
    !executable ||
    implementation !== 'CPython' ||
    major !== '3' ||
    !MINORS.some((known) => known === Number(minor))
  )
    return null;
  return { executable, version: `3.${minor}`, hasVenv: has === '1' };
};

const findAll = async (names: readonly string[]): Promise<readonly Python[]> =>
  (await Promise.all(names.map(probe))).filter((python) => python !== null);

/** Finds a Python of a fitting version, one with venv if there is one. Null when there is none. */
export const findPython = async (): Promise<Python | null> => {
  const pythons = await findAll(PYTHON_NAMES);
  return pythons.find((python) => python.hasVenv) ?? pythons[0] ?? null;
};

type Lack = { readonly reason: string; readonly packages: readonly string[] };

/** Null where a Python with venv is there. */
const lackOf = (found: Python | null): Lack | null => {
  if (found === null) return { reason: 'no CPython 3.10 to 3.13 on PATH', packages: ['python3', 'python3-venv'] };
  if (found.hasVenv) return null;
  const packages = ['python3-venv', `python${found.version}-venv`];
  return {
    reason: `${found.executable} (CPython ${found.version}) lacks venv`,
    packages: packages.slice(0, found.executable === '/usr/bin/python3' ? 1 : 2),
  };
};

const commandFor = ({ packages }: Lack): string => `apt-get install -y --no-install-recommends ${packages.join(' ')}`;

/** Says what is lacking that we may not install, and the cure; null where nothing is. */
export const pythonFault = async (): Promise<string | null> => {
  const lack = mayInstallPackages() ? null : lackOf(await findPython());
  return (
    lack && `${lack.reason}; run: sudo ${commandFor(lack)} (or install CPython 3.10 to 3.13 with venv another way)`
  );
};

const installWithApt = async (lack: Lack, say: Say): Promise<void> => {
  say('python', `${lack.reason}: installing ${lack.packages.join(', ')} with apt-get`);
  const { ok, error } = await aptInstall(lack.packages);
  if (!ok) throw new SetupError(`${commandFor(lack)} failed:\n${error}`);
};

/**
 * Resolves to a CPython 3.10 to 3.13 with venv. Installs what is missing where we may, and otherwise says what to run.
 */
export const ensurePython = async (say: Say): Promise<Python> => {
  const first = await findPython();
  const lack = lackOf(first);
  if (first !== null && lack === null) return first;
  const fault = await pythonFault();
  if (fault !== null) throw new SetupError(fault);
  if (lack !== null) await installWithApt(lack, say);
  const second = await findPython();
  if (second?.hasVenv) return second;
  throw new SetupError(
    `expected a CPython 3.10 to 3.13 with venv on PATH, found ${second ? `${second.executable} without venv` : 'none'}: install python3 and python3-venv`,
  );
};

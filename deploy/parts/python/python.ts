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

const installWithApt = async (packages: readonly string[], reason: string, say: Say): Promise<void> => {
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!mayInstallPackages())
    throw new SetupError(`${reason}; run: sudo ${command} (or install CPython 3.10 to 3.13 with venv another way)`);
  say('python', `${reason}: installing ${packages.join(', ')} with apt-get`);
  const { ok, error } = await aptInstall(packages);
  if (!ok) throw new SetupError(`${command} failed:\n${error}`);
};

/**
 * Resolves to a CPython 3.10 to 3.13 with venv. Installs what is missing where we may, and otherwise says what to run.
 */
export const ensurePython = async (say: Say): Promise<Python> => {
  const first = await findPython();
  if (first?.hasVenv) return first;
  if (first)
    await installWithApt(
      ['python3-venv', `python${first.version}-venv`].slice(0, first.executable === '/usr/bin/python3' ? 1 : 2),
      `${first.executable} (CPython ${first.version}) lacks venv`,
      say,
    );
  else await installWithApt(['python3', 'python3-venv'], 'no CPython 3.10 to 3.13 on PATH', say);
  const second = await findPython();
  if (second?.hasVenv) return second;
  throw new SetupError(
    `expected a CPython 3.10 to 3.13 with venv on PATH, found ${second ? `${second.executable} without venv` : 'none'}: install python3 and python3-venv`,
  );
};

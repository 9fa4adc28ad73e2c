// Resolves and unpacks wheels for the Python of an image, whichever Python the host has. Nothing is built from source.
import { join } from 'node:path';
import { canRun, command, requirePackages } from './engine.ts';

/** Finds a Python with pip: the host's own, else one in a virtual environment in the cache. */
export const findPip = async (cacheDir: string, say: (line: string) => void): Promise<string> => {
  if (await canRun('python3', ['-I', '-m', 'pip', '--version'])) return 'python3';
  const venv = join(cacheDir, 'venv');
  const python = join(venv, 'bin', 'python3');
  if (await canRun(python, ['-I', '-m', 'pip', '--version'])) return python;
  const create = (): Promise<boolean> => canRun('python3', ['-I', '-m', 'venv', '--clear', venv]);
  if (!(await create())) {
    await requirePackages(['python3', 'python3-venv'], say);
    if (!(await create()))
      throw new Error('python3 -m venv failed after installing python3-venv: install pip for python3 and start again');
  }
  return python;
};

/** The wheels that an image of this glibc (2.36, Debian 12) runs. */
const PLATFORMS = ['2_36', '2_35', '2_34', '2_31', '2_28', '2_27', '2_26', '2_24', '2_17']
  .map((glibc) => `manylinux_${glibc}_x86_64`)
  .concat('manylinux2014_x86_64', 'linux_x86_64');

/** Flags of pip for the Python of an image, as in 3.11. */
export const wheelsFor = (pythonVersion: string): readonly string[] => [
  '--quiet',
  '--disable-pip-version-check',
  '--no-input',
  '--only-binary=:all:',
  ...PLATFORMS.flatMap((platform) => ['--platform', platform]),
  '--implementation',
  'cp',
  '--python-version',
  pythonVersion,
];

export const installWheels = async (options: {
  target: string;
  requirements: string;
  pythonVersion: string;
  cacheDir: string;
  say: (line: string) => void;
}): Promise<void> => {
  const python = await findPip(options.cacheDir, options.say);
  await command(python, [
    ...['-I', '-m', 'pip', 'install', ...wheelsFor(options.pythonVersion)],
    ...['--no-deps', '--no-compile', '--require-hashes', '--upgrade'],
    ...['--target', options.target, '--requirement', options.requirements],
  ]);
};

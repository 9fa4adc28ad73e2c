// Unpacks the hash-locked numpy and scipy wheels for the image's Python, whichever Python the host has.
import { join } from 'node:path';
import { canRun, command, requirePackages } from './engine.ts';

/** Finds a Python with pip: the host's own, else one in a virtual environment in the cache. */
const findPip = async (cacheDir: string, say: (line: string) => void): Promise<string> => {
  if (await canRun('python3', ['-m', 'pip', '--version'])) return 'python3';
  const venv = join(cacheDir, 'venv');
  const python = join(venv, 'bin', 'python3');
  if (await canRun(python, ['-m', 'pip', '--version'])) return python;
  const create = (): Promise<boolean> => canRun('python3', ['-m', 'venv', '--clear', venv]);
  if (!(await create())) {
    await requirePackages(['python3', 'python3-venv'], say);
    if (!(await create()))
      throw new Error('python3 -m venv failed after installing python3-venv: install pip for python3 and start again');
  }
  return python;
};

export const installWheels = async (options: {
  target: string;
  requirements: string;
  pythonVersion: string;
  cacheDir: string;
  say: (line: string) => void;
}): Promise<void> => {
  const python = await findPip(options.cacheDir, options.say);
  await command(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--no-compile',
    '--only-binary=:all:',
    '--require-hashes',
    '--platform',
    'manylinux2014_x86_64',
    '--implementation',
    'cp',
    '--python-version',
    options.pythonVersion,
    '--target',
    options.target,
    '--upgrade',
    '--requirement',
    options.requirements,
  ]);
};

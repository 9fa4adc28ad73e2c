// Runs one command of the image recipe and explains its failure (rootfs.ts, wheels.ts).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const command = async (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
  try {
    const { stdout } = await execute(file, args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const tail = stderr.trim().split('\n').slice(-8).join('\n');
    throw new Error(`command failed: ${file} ${args.join(' ')}\n${tail || message}`, { cause: error });
  }
};

export const canRun = async (file: string, args: readonly string[]): Promise<boolean> =>
  command(file, args).then(() => true, () => false);

/** Installs Debian packages when we may; otherwise says what to run. */
export const aptInstall = async (packages: readonly string[], say: (line: string) => void): Promise<void> => {
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Error(`the evaluator image needs ${packages.join(', ')}; run: sudo ${line}`);
  if (!(await canRun('apt-get', ['--version']))) {
    throw new Error(`the evaluator image needs ${packages.join(', ')} and this machine has no apt-get: set EVOLVE_IMAGE to an image with Python, numpy and scipy`);
  }
  say(`evaluator image: installing ${packages.join(', ')} with apt-get`);
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  await command('apt-get', [...options, 'update']);
  await command('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], { DEBIAN_FRONTEND: 'noninteractive' });
};

// Runs one command of the set-up to its end and keeps its output for the error message.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

type CommandResult = {
  readonly ok: boolean;
  readonly stdout: string;
  /** Last lines of stderr, or why it did not start. */ readonly error: string;
};

export const runCommand = (
  file: string,
  args: readonly string[],
  options: { timeoutMs?: number; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    execFile(
      file,
      [...args],
      {
        timeout: options.timeoutMs ?? 0,
        env: options.env ?? process.env,
        maxBuffer: 64 * 1024 * 1024,
        ...(options.cwd ? { cwd: options.cwd } : {}),
      },
      (error, stdout, stderr) => {
        const tail = stderr.trim().split('\n').slice(-8).join('\n');
        resolve({
          ok: error === null,
          stdout,
          error: error === null ? '' : tail || stdout.trim().split('\n').slice(-8).join('\n') || error.message,
        });
      },
    );
  });

/** The first executable of that name on PATH. */
export const findOnPath = (name: string, path = process.env['PATH'] ?? ''): string | null => {
  for (const directory of path.split(':').filter(Boolean)) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      /* not here */
    }
  }
  return null;
};

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Debian or Ubuntu and root: we may install packages. */
export const mayInstallPackages = (): boolean => isRoot() && findOnPath('apt-get') !== null;

/** Installs Debian packages; the answer is that of apt-get. */
export const aptInstall = async (packages: readonly string[]): Promise<CommandResult> => {
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    runCommand('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], { env });
  // Fresh lists first; where an update fails (one dead source), the lists of before may do.
  await runCommand('apt-get', [...options, 'update'], { env });
  return install();
};

// The set-up cannot go on until a person changes something; the message says what. Thrown by all of deploy, printed
// without a stack by the CLI.
export class SetupError extends Error {
  override readonly name = 'SetupError';
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** One line for the person who waits: the part it is about, and what was chosen and why. */
export type Say = (part: string, message: string) => void;

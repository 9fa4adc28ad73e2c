// Commands of the set-up: run to their end, found on PATH, installed with apt-get where we may. Their output is kept
// for the error message.
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
  options: { timeoutMs?: number; env?: NodeJS.ProcessEnv; cwd?: string; signal?: AbortSignal } = {},
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
        ...(options.signal ? { signal: options.signal } : {}),
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

/** We install packages only as root on Debian or Ubuntu. */
export const mayInstallPackages = (): boolean => isRoot() && findOnPath('apt-get') !== null;

/** Installs Debian packages; the answer is that of apt-get. */
export const aptInstall = async (packages: readonly string[]): Promise<CommandResult> => {
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    runCommand('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], { env });
  // The package lists are updated first. Where that fails (one source is dead), the old lists may still do.
  await runCommand('apt-get', [...options, 'update'], { env });
  return install();
};

/**
 * The set-up cannot go on until a person changes something, and the message says what. The command line prints it
 * without a stack.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Gets one line for the person who waits: the part it is about, and what was chosen and why. */
export type Say = (part: string, message: string) => void;

// A launcher for unit tests: python3 of this machine, confined by nothing, for texts that the test itself wrote.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Confined, ConfinedSpec, Ending, Launcher } from '../../activities/sandbox/contract/confined.ts';

const launch = async ({ source, args, onStdout, onStderr }: ConfinedSpec): Promise<Confined> => {
  const folder = mkdtempSync(join(tmpdir(), 'plain-'));
  const child = spawn('python3', ['-s', '-c', source, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, PYTHONHASHSEED: '0' },
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', onStdout);
  child.stderr.on('data', onStderr);
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  child.on('close', (exitCode, signal) => {
    rmSync(folder, { recursive: true, force: true });
    resolve({ exitCode: exitCode ?? (signal === null ? null : 137), oom: false, lost: null, killed: signal !== null });
  });
  const kill = async (): Promise<void> => {
    try {
      // The whole group: what a program forked must not outlive it.
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      /* it has ended */
    }
  };
  return {
    send: (bytes) => void child.stdin.write(bytes),
    closeInput: () => void child.stdin.end(),
    claim: async () => undefined,
    kill,
    ended,
    markUse: () => undefined,
    use: () => ({ cpuMs: null, peakBytes: null }),
    remove: kill,
  };
};

export const createPlainLauncher = (): Launcher => ({
  level: 'fake',
  imageId: 'none',
  launch,
  close: async () => undefined,
});

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockHolder, tryLock, unlock, withLock } from '../../../deploy/host/lock.ts';
import { identityOf, isAlive, self } from '../../../deploy/host/process-identity.ts';
import { scratchDirectory } from '../scratch.ts';

const endedProcess = async (): Promise<{ pid: number; identity: string }> => {
  const child = spawn('sleep', ['60']);
  const ref = { pid: child.pid!, identity: identityOf(child.pid!)! };
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  return ref;
};

describe('lock', () => {
  it('is held by one, and free again after', () => {
    const file = join(scratchDirectory(), 'lock');
    expect(tryLock(file)).toBe(true);
    expect(tryLock(file)).toBe(false);
    expect(lockHolder(file)).toEqual(self());
    unlock(file);
    expect(existsSync(file)).toBe(false);
    expect(tryLock(file)).toBe(true);
  });

  it('is given up after its time, though the clock of the machine is set back meanwhile', async () => {
    const file = join(scratchDirectory(), 'lock');
    expect(tryLock(file)).toBe(true);
    let now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => (now -= 3_600_000));
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(withLock(file, { timeoutMs: 50 }, async () => undefined)).rejects.toThrow(/has held .*lock for 0 s/);
  });

  it('is taken over from a holder that died', async () => {
    const file = join(scratchDirectory(), 'lock');
    writeFileSync(file, JSON.stringify(await endedProcess()));
    expect(lockHolder(file)).toBeNull();
    expect(tryLock(file)).toBe(true);
  });

  it('is taken over when the pid lives but belongs to another process by now', () => {
    const file = join(scratchDirectory(), 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.pid, identity: 'other-1' }));
    expect(tryLock(file)).toBe(true);
  });

  it('is taken over when the file is garbage', () => {
    const file = join(scratchDirectory(), 'lock');
    writeFileSync(file, '{"pid":');
    expect(tryLock(file)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self());
  });

  it('lets work through one at a time, and opens after a failure', async () => {
    const file = join(scratchDirectory(), 'lock');
    let inside = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
    };
    await Promise.all([1, 2, 3].map(() => withLock(file, { timeoutMs: 300_000 }, work)));
    await expect(withLock(file, { timeoutMs: 300_000 }, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(tryLock(file)).toBe(true);
  });

  it('counts a dead process as dead even before it is reaped', async () => {
    expect(isAlive(await endedProcess())).toBe(false);
    expect(isAlive(self())).toBe(true);
    expect(identityOf(-1)).toBeNull();
  });
});

// Calls that end with a signal: a worker makes millions of them under one that lasts as long as it does.
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endedBy } from '../../../client/temporal/ended-calls.ts';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';

/** As the library's client does it: each call adds a listener, and none is removed. */
const client = () => {
  const signals = new AsyncLocalStorage<AbortSignal>();
  return {
    withAbortSignal: <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => signals.run(signal, work),
    call: (ms: number): Promise<'answer'> =>
      new Promise((resolve, reject) => {
        const signal = signals.getStore()!;
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
        if (signal.aborted) reject(new Error('cancelled'));
        void sleep(ms).then(() => resolve('answer'));
      }),
  };
};

describe('calls that end with a signal', () => {
  it('leave nothing with it, whether they are answered or fail', async () => {
    const { call, ...connection } = client();
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n++) expect(await endedBy(connection, signal, () => call(0))).toBe('answer');
    await expect(endedBy(connection, signal, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('are given up with it, also where it was aborted before', async () => {
    const { call, ...connection } = client();
    const ending = new AbortController();
    const under = endedBy(connection, ending.signal, () => call(60_000));
    ending.abort();
    await expect(under).rejects.toThrow('cancelled');
    await expect(endedBy(connection, ending.signal, () => call(60_000))).rejects.toThrow('cancelled');
  });

  it('are made in this way alone', () => {
    const files = ['client', 'workers', 'deploy', 'activities', 'cli'].flatMap((folder) =>
      readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    );
    expect(
      files.filter((file) => readFileSync(join(PROJECT_ROOT, file), 'utf8').includes('.withAbortSignal(')),
    ).toEqual([join('client', 'temporal', 'ended-calls.ts')]);
  });
});

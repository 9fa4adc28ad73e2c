// Pools of waiting processes: programs with many different limits at once, on a launcher that starts nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Confined, Ending, Launcher } from '../../../activities/sandbox/contract/confined.ts';
import { encodeFrame } from '../../../activities/sandbox/contract/frames.ts';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { job, never, quickLimits } from './levels/docker.ts';

/** Ready after a while; hands over the memory limit that it was started with. */
const launcher: Launcher = {
  level: 'fake',
  imageId: 'fake',
  close: async () => undefined,
  launch: async ({ limits, onStdout }): Promise<Confined> => {
    const { promise: ended, resolve } = Promise.withResolvers<Ending>();
    void sleep(40).then(() => onStdout(encodeFrame('R')));
    return {
      ended,
      claim: async () => undefined,
      markUse: () => undefined,
      use: () => ({ cpuMs: 1, peakBytes: null }),
      closeInput: () => undefined,
      send: () => {
        onStdout(encodeFrame('S', Buffer.from(JSON.stringify({ memory: limits.memoryBytes }))));
        resolve({ exitCode: 0, oom: false, lost: null });
      },
      kill: async () => resolve({ exitCode: 137, oom: false, lost: null }),
      remove: async () => resolve({ exitCode: 137, oom: false, lost: null }),
    };
  },
};

test('programs of many different limits at once all run: no pool is closed under one that waits for it', async () => {
  const sandbox = createConfinedSandbox({ launcher, home: 'pools', concurrency: 6, poolSize: 1, log: () => undefined });
  const sizes = [1, 2, 3, 4, 5, 6];
  const results = await Promise.all(
    sizes.map((size) => sandbox.run(job('x = 1', { limits: { ...quickLimits, memoryBytes: size } }), never())),
  );
  expect(results.map(({ solution }) => solution)).toEqual(sizes.map((memory) => ({ memory })));
  await sandbox.close();
});

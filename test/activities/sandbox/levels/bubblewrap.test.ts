// The bubblewrap fallback keeps the shared contract, refuses the same system calls and survives a fork bomb. Needs
// bwrap and root or user namespaces.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, readCheats } from '../../../../activities/check/cheats.ts';
import { offence } from '../../../../activities/check/check-cheats.ts';
import {
  createBubblewrapGate,
  createBubblewrapSandbox,
  createBubblewrapScorer,
} from '../../../../activities/sandbox/levels/bubblewrap.ts';
import { createEvaluator, type Evaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { ensureRootfs } from '../../../../deploy/images/evaluator/image.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { Sandbox } from '../../../../activities/sandbox/contract/types.ts';
import { sandboxContract } from './contract.ts';
import { fromOutside } from './from-outside.ts';
import { imageCache, never, quickLimits, requirements, testHome } from './docker.ts';
import { functionContract, OF_A_LEVEL } from './function-contract.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const TASK = 'circle-packing-square-26';

/** The fallback is optional on a machine with Docker: its tests run where bwrap is installed. */
const installed = ((): boolean => {
  try {
    execFileSync('bwrap', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

const options = async (): Promise<{ rootfs: string; imageId: string; log: () => void }> => {
  const { path, id } = await ensureRootfs({ cacheDir: imageCache, requirements, say: (line) => console.log(line) });
  return { rootfs: path, imageId: id, log: () => undefined };
};

if (!installed) test.skip('bubblewrap is not installed', () => undefined);
else {
  sandboxContract('the bubblewrap sandbox', async () =>
    createBubblewrapSandbox({ ...(await options()), home: testHome(), concurrency: 2 }),
  );

  functionContract(
    'bubblewrap',
    async () => {
      const given = await options();
      return {
        sandbox: createBubblewrapSandbox({ ...given, home: testHome(), concurrency: 2 }),
        gate: createBubblewrapGate(given),
        scorerFor: (task) => createBubblewrapScorer({ ...given, task }),
      };
    },
    OF_A_LEVEL,
  );

  const signalled = (signal: NodeJS.Signals) => async (): Promise<void> => {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
    for (const pid of children.map(Number))
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('bwrap')) process.kill(pid, signal);
  };
  const outside = { killed: signalled('SIGKILL'), ended: signalled('SIGTERM'), stopped: signalled('SIGSTOP') };
  let own: Sandbox;
  beforeAll(async () => {
    own = createBubblewrapSandbox({ ...(await options()), home: testHome(), concurrency: 1 });
  });
  afterAll(() => own.close());
  fromOutside('bubblewrap', outside, () => ({ sandbox: own, home: '' }));

  describe('bubblewrap', () => {
    let evaluator: Evaluator;
    let close: () => Promise<void>;
    let initial: string;
    let task: Task;
    beforeAll(async () => {
      task = { ...(await loadTask(TASK)), limits: { ...quickLimits, memoryBytes: 2 ** 30 } };
      const given = await options();
      const [sandbox, scorer, gate] = [
        createBubblewrapSandbox({ ...given, home: testHome(), concurrency: 2 }),
        createBubblewrapScorer({ ...given, task }),
        createBubblewrapGate(given),
      ];
      evaluator = createEvaluator({ sandbox, scorer, gate, task });
      initial = task.initialProgram;
      close = async () => {
        await sandbox.close();
        await scorer.close();
        await gate.close();
      };
    });
    afterAll(() => close());
    const evaluate = (code: string): ReturnType<Evaluator['evaluate']> =>
      evaluator.evaluate(
        { key: 'k', run: 'r', code, seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
        never(),
      );

    test('the whole pipeline runs without Docker, and says so', async () => {
      expect(await evaluate(initial)).toMatchObject({
        outcome: 'valid',
        score: 0.9597642169962064,
        isolation: 'bubblewrap',
      });
    });
    for (const name of [
      'sockets',
      'system-calls',
      'leave-files',
      'daemon-child',
      'fork-bomb',
      'flood-stderr',
      'kill-everything',
      'read-evaluator',
      'fill-scratch',
    ]) {
      test(`cheat ${name} ends as it should`, async () => {
        const solution = { circles: Array.from({ length: 26 }, () => [0, 0, 0]) };
        const [cheat] = (await readCheats(['containment'], join(ROOT, 'tasks'), '')).filter(
          (one) => one.name === `containment/${name}`,
        );
        const result = await evaluate(fill(cheat!.code, task, solution));
        expect(offence(cheat!, result, { task, solution, honest: 0, best: 0 })).toBeNull();
      });
    }
  });
}

// What a run has reached, in the words of whoever gives it limits with which it would not go on; and its pace.
import { expect, test } from 'vitest';
import { alreadyReached, reachedText } from '../../../activities/run/reached.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { extended } from '../../../client/runs/check-change.ts';
import { paceOf } from '../../../client/read/advice.ts';
import type { RunLimits } from '../../../evolution/config/run-config.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const NOW = new Date('2026-11-21T10:01:00Z');
const run = runDocument({ committedStep: 12 });
const NONE = {
  ...run.config.limits,
  ...{ steps: null, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null },
  ...{ noImprovementPrograms: null, stagnantEpochs: null },
} satisfies RunLimits;

test('limits that a run has reached are refused with what it has, not with what it was given', async () => {
  const given = extended({} as Store, run, { steps: 5 });
  await expect(given).rejects.toThrow(
    'run demo has made 12 steps; limits.steps = 5 is not more, so it would not go on. Limits count from the start of the run: give more, or --add',
  );
  expect((await extended({} as Store, run, { steps: 5, add: true })).limits.steps).toBe(21);
});

test('one is one', () => {
  const steps = { ...NONE, steps: 1 };
  expect(reachedText({ ...run, committedStep: 1 }, 'steps', steps, NOW)).toContain('has made 1 step;');
});

test.each([
  [{ programs: 192 }, 'has made 192 programs; limits.programs = 192 leaves no room for another program'],
  [{ tokens: 1_280_300 }, 'has paid for 1280245 tokens; limits.tokens = 1280300 leaves no room for another program'],
  [{ wallSeconds: 60 }, 'has taken 60 s; limits.wallSeconds = 60 is not more'],
  [
    { noImprovementPrograms: 40 },
    'has made 40 programs without a better best; limits.noImprovementPrograms = 40 is not more',
  ],
  [{ targetScore: 1.5 }, 'has the best score 1.8412960456789; limits.targetScore = 1.5 is not better'],
] as const)('%j', (limits, text) => {
  const all: RunLimits = { ...NONE, ...limits };
  const reached = alreadyReached(run, all, 'maximise', NOW)!;
  expect(reachedText(run, reached, all, NOW)).toBe(`run demo ${text}, so it would not go on`);
});

test('the pace is that of ten steps or ten minutes of work, whichever is longer, until now; none while it rests', async () => {
  const asked: number[] = [];
  // A step of 16 programs a minute; two hours of rest before step 60.
  const restMs = (step: number): number => (step < 60 ? 0 : 7_200_000);
  const atMs = (step: number): number => run.createdAt.getTime() + 60_000 * step + restMs(step);
  const store = {
    async *eachStep({ committedStep }: RunDocument, step: number) {
      expect(committedStep).toBe(step);
      asked.push(step);
      const totals = { programs: 16 * step, tokens: { in: 0, out: 0 }, costUsd: 0 };
      yield { at: new Date(atMs(step)), pausedMs: restMs(step), totals };
    },
  } as unknown as Store;
  const slow = { ...run, committedStep: 64, pausedMs: restMs(64) };
  expect((await paceOf(store, slow, new Date(atMs(64))))!.programs).toBe(960);
  expect(asked).toEqual([64, 54]);
  expect((await paceOf(store, slow, new Date(atMs(64) + 3_600_000)))!.programs).toBeLessThan(200);
  expect(await paceOf(store, { ...run, committedStep: 0 }, NOW)).toBeNull();
  expect(await paceOf(store, { ...slow, status: 'paused' }, NOW)).toBeNull();
  // The steps of the run that it was forked off are of another time.
  expect(await paceOf(store, { ...slow, origin: { run: 'other', step: 63 } }, NOW)).toBeNull();
});

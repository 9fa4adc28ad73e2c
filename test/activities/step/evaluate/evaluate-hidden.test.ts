// A program on hidden instances: whose draws it gets, and what stands beside its score.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createNoopEvaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { createEvaluateHidden, type EvaluateProgram } from '../../../../activities/step/evaluate/evaluate.ts';
import { programId } from '../../../../evolution/ids.ts';
import type { OnHidden } from '../../../../activities/interface/step.ts';
import { hiddenScoreOfInitial } from '../../../../activities/store/population/hidden-results.ts';
import { besideHidden, readProgram } from '../../../../activities/results/program-texts.ts';
import { hiddenText } from '../../../../cli/terminal/solution.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { grow, newRun } from '../../store/fixtures.ts';

const parts = () => {
  const store = memoryStore();
  const jobs: Parameters<EvaluateProgram>[0][] = [];
  const noop = createNoopEvaluator();
  const { evaluateHidden } = createEvaluateHidden({
    store,
    evaluatorFor: async () => ({
      isolation: 'fake',
      evaluate: (job, signal) => {
        jobs.push(job);
        return noop.evaluate({ ...job, code: job.key, scoring: 'tolerant' }, signal);
      },
    }),
  });
  const hidden = (run: string, program: string): Promise<OnHidden> =>
    new MockActivityEnvironment().run(evaluateHidden, { run, program });
  return { store, jobs, hidden };
};

test('the initial program is scored there too, once, so that a score can be compared with it', async () => {
  const { store, jobs, hidden } = parts();
  await grow(store, 'r', 1);
  const [initial, best] = [programId('r', 0, 0, 0), programId('r', 1, 0, 1)];
  const first = await hidden('r', best);
  expect(first).toMatchObject({ program: best, outcome: 'valid', initial: expect.any(Number) });
  expect(first.initial).not.toBe(first.score);
  expect(first.initial).toBe(await hiddenScoreOfInitial(store, 'r'));
  expect(await hidden('r', best)).toEqual(first);
  expect(await hidden('r', initial)).toMatchObject({ score: first.initial });
  expect(jobs.map(({ draws, holdout }) => [draws, holdout])).toEqual(Array(2).fill(['r', true]));

  const shown = (await readProgram(store, best))!.hidden!;
  expect(shown).toMatchObject({ result: { score: first.score }, initial: first.initial });
  expect(hiddenText({ ...shown, direction: 'minimise' })).toMatch(
    /^on hidden instances, which never decide a ranking: valid, score 1\.\d+, the smaller the better, the initial program has 1\.\d+ there$/,
  );
  // The fixtures' task is of a kind that says no direction.
  expect(await besideHidden(store, 'r')).toEqual({ direction: null, initial: first.initial });
});

test('a fork is judged on the draws of the run that it goes on from', async () => {
  const { store, jobs, hidden } = parts();
  await grow(store, 'r', 1);
  await store.createFork({ run: 'f', from: 'r', step: 1, config: newRun('f').config, createdAt: new Date() });
  await store.createFork({ run: 'ff', from: 'f', step: 1, config: newRun('ff').config, createdAt: new Date() });
  await hidden('ff', programId('r', 1, 0, 1));
  expect(jobs.map(({ run, draws }) => [run, draws])).toEqual(Array(2).fill(['ff', 'r']));
});

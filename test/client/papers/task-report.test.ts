// What `evolve report` reads of a run: its own numbers, and those of its programs.
import { expect, test } from 'vitest';
import { reportStored } from '../../../client/papers/task-report.ts';
import { holdoutKey } from '../../../evolution/scoring/evaluation.ts';
import { commitOf, evaluation, grow, newRun, program } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

test('a row has the numbers of its run, and the best values of any of its valid programs', async () => {
  const store = memoryStore();
  await grow(store, 'r', 1);
  const generation = await store.openStep('r', 2, 'w');
  const of = (slot: number, more: object) => program('r', 2, slot, generation, more);
  const document = await store.commit({
    ...commitOf('r', 2, generation),
    programs: [
      of(0, { score: 2.5, strictScore: 2.25 }),
      of(1, { score: 2.75, strictScore: 2 }),
      of(2, { outcome: 'invalid', score: 9, strictScore: 9 }),
      of(3, { outcome: 'invalid', score: 9, strictScore: 9, reasons: ['quarantined: too good'] }),
    ],
  });
  const best = (await store.getPrograms([document.best!.program])).get(document.best!.program)!;
  await store.putEvaluations([{ ...evaluation('r', 2, 3), _id: holdoutKey(best.evaluation!), score: 1.5 }]);
  const { rows } = await reportStored(store, [document]);
  const { config } = newRun('r');
  expect(rows).toEqual([
    {
      ...{ run: 'r', task: config.task, method: config.method, settings: '', seed: config.seed },
      ...{ start: { name: null, score: 1.3 }, state: document.status, programs: 8, tokens: 960, costUsd: null },
      ...{ best: 2.75, bestStrict: 2.25, hidden: 1.5, hiddenInitial: null, hiddenDirection: null },
      ...{ quarantined: 1, offlineModel: true, level: null },
      scoreName: expect.any(String) as string,
      direction: 'maximise',
      paper: 2.6359857,
      bestKnown: { value: 2.6359830849176022, strict: true },
      excel: (2.75 - 2.634) / 2.634,
    },
  ]);
});

test('the best run stands first, what sets groups of runs apart is told, and runs without a program of their own are left out', async () => {
  const store = memoryStore();
  const of = (run: string, steps: number, more: { readonly seed?: number; readonly batch?: number }) => {
    const { config } = newRun(run);
    const { batch = config.batch, seed = 1 } = more;
    return { ...newRun(run), config: { ...config, seed, batch, limits: { ...config.limits, steps } } };
  };
  const runs: readonly (readonly [run: string, made: number, limit: number, more: Parameters<typeof of>[2]])[] = [
    ['short', 1, 10, {}],
    ['long', 2, 20, {}],
    ['other-seed', 3, 20, { seed: 2 }],
    ['wide', 1, 20, { batch: 5 }],
    ['waiting', 0, 20, { seed: 3 }],
  ];
  for (const [run, , limit, more] of runs) await store.createRun(of(run, limit, more));
  for (const [run, steps] of runs)
    for (let step = 0; step <= steps; step++) {
      const commit = commitOf(run, step, await store.openStep(run, step, 'w'));
      const programs = step === 0 ? 0 : commit.totals.programs;
      const score = step / 10 + (run === 'short' ? 5 : 1);
      await store.commit({
        ...commit,
        totals: { ...commit.totals, programs },
        programs: commit.programs.map((one) => ({ ...one, score, strictScore: null })),
      });
    }
  const { config } = (await store.readRun('long'))!;
  await store.createFork({ run: 'fork', from: 'long', step: 1, config, createdAt: new Date() });
  const { rows, notes } = await reportStored(store, await store.listRuns());
  expect(rows.map(({ run, settings }) => [run, settings])).toEqual([
    ['short', 'batch=2 steps=10'],
    ['other-seed', 'batch=2 steps=20'],
    ['long', 'batch=2 steps=20'],
    ['wide', 'batch=5 steps=20'],
  ]);
  expect(notes[0]).toMatch(/^left out, without a program of their own: (waiting, fork|fork, waiting)$/);
});

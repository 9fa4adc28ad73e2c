// Steps, bests, failures and events of a run as the page's server answers them: what was kept between two questions
// changes nothing, and a rewind is seen.
import { expect, test } from 'vitest';
import type { Store } from '../../../../activities/store/store.ts';
import type { Events } from '../../../../page/api/run/events.ts';
import type { AtAGlance, Failures, Records } from '../../../../page/api/run/overview.ts';
import { endOf } from '../../../../evolution/budget/limits.ts';
import type { Overview } from '../../../../page/api/run/runs.ts';
import type { Steps } from '../../../../page/api/run/steps.ts';
import { eventAnswers } from '../../../../page/server/routes/events.ts';
import { glanceAnswers } from '../../../../page/server/routes/overview.ts';
import { runAnswers } from '../../../../page/server/routes/runs.ts';
import { stepAnswers } from '../../../../page/server/routes/steps.ts';
import { commitOf, grow, newRun } from '../../../activities/store/fixtures.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { answersOver, grown } from '../../../support/page/in-tests.ts';

const asker = (store: Store) => answersOver(store, [stepAnswers, glanceAnswers, eventAnswers]).json;
const without = ({ lineage: _, ...steps }: Steps): Omit<Steps, 'lineage'> => steps;

test('steps that come later are read behind those that are known, as a fresh reader reads all', async () => {
  const store = memoryStore();
  const ask = asker(store);
  await grow(store, 'demo', 2);
  expect((await ask<Steps>('progress')).points.map(({ step }) => step)).toEqual([0, 1, 2]);
  await store.commit(commitOf('demo', 3, await store.openStep('demo', 3, 'w')));
  const after = await ask<Steps>('progress');
  expect(after.points.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  expect(after.records.map(({ ranking }) => ranking)).toEqual([1, 2, 3, 4]);
  expect(without(await asker(await grown(3))<Steps>('progress')).records.map(({ program }) => program)).toEqual(
    after.records.map(({ program }) => program),
  );
});

test('a rewind takes steps and their bests away, has another lineage, and is an event', async () => {
  const store = memoryStore();
  const ask = asker(store);
  await grow(store, 'demo', 4);
  const before = await ask<Steps>('progress');
  const generation = await store.openStep('demo', 2, 'rewind');
  const during = await ask<Steps>('progress');
  expect(during.lineage).not.toBe(before.lineage);
  expect(during.points.map(({ step }) => step)).toEqual([0, 1]);
  expect(during.records.map(({ step }) => step)).toEqual([0, 1]);
  await store.commit(commitOf('demo', 2, generation));
  expect((await ask<Steps>('progress')).points.map(({ step }) => step)).toEqual([0, 1, 2]);
  const { events } = await ask<Events>('events');
  expect(events.filter(({ kind }) => kind === 'rewind').map(({ text, step }) => [text, step])).toEqual([
    ['the rewind to step 1 took steps 2 to 4 back; their programs stay readable', 2],
  ]);
});

test('the first failure of each kind is found by the step in which it was first counted', async () => {
  const store = await grown(1);
  const generation = await store.openStep('demo', 2, 'w');
  const commit = commitOf('demo', 2, generation, { outcome: 'invalid', reasons: ['circles 1 and 2 overlap'] });
  await store.commit({ ...commit, totals: { ...commit.totals, failures: { ...commit.totals.failures, invalid: 99 } } });
  const { failures } = await asker(store)<Failures>('failures');
  expect(failures.find(({ outcome }) => outcome === 'invalid')).toMatchObject({
    count: 99,
    first: { step: 2, reason: 'circles 1 and 2 overlap' },
  });
});

test('each best says what it gained and what was changed; limits say what is spent', async () => {
  const store = memoryStore();
  await store.createRun({
    ...newRun('demo'),
    config: { ...newRun('demo').config, limits: { ...newRun('demo').config.limits, steps: 10 } },
  });
  for (let step = 0; step <= 2; step++)
    await store.commit(commitOf('demo', step, await store.openStep('demo', step, 'w')));
  const ask = asker(store);
  const { records } = await ask<Records>('records');
  expect(records.map(({ step }) => step)).toEqual([2, 1, 0]);
  const { limits, next } = (await ask<AtAGlance>('overview')).glance;
  expect(limits).toContainEqual({ limit: 'steps', of: 10, spent: 2 });
  expect(next.urgent).toBe(false);
});

test('the cards of a sweep say what each run of it tries', async () => {
  const store = memoryStore();
  await store.createRun(newRun('alone'));
  const runs = [10, 20].map((cap, group) => ({ run: `capped-${cap}`, group, seed: 7, repeat: 1 }));
  for (const { run } of runs) await store.createRun({ ...newRun(run), sweep: 'capped' });
  await store.putSweep({
    ...{ _id: 'capped', run: 'sweep:capped', spec: { name: 'capped' }, runs, decisions: [] },
    ...{ groups: [{ 'population.cap': 10 }, { 'population.cap': 20 }], status: 'running', stopReason: null },
    ...{ createdAt: new Date(Date.UTC(2026, 10, 7)), endedAt: null },
  });
  const { runs: cards } = await answersOver(store, [runAnswers], '/').json<Overview>('overview');
  expect(Object.fromEntries(cards.map(({ run, varied }) => [run, varied]))).toEqual({
    alone: null,
    'capped-10': { 'population.cap': 10 },
    'capped-20': { 'population.cap': 20 },
  });
});

test('all of an overview is of one committed step, also where another question has read further meanwhile', async () => {
  const store = await grown(3);
  const old = (await store.readRun('demo'))!;
  await store.commit(commitOf('demo', 4, await store.openStep('demo', 4, 'w')));
  let late = 0;
  // What the first look finds is older than what is committed, as where a commit falls between two reads.
  const slow: Store = { ...store, readRun: async (run) => (late++ === 1 ? old : store.readRun(run)) };
  const ask = asker(slow);
  await ask('progress');
  const { report, steps } = await ask<AtAGlance>('overview');
  expect(late).toBe(3);
  expect([report.steps, steps.points.at(-1)!.step]).toEqual([4, 4]);
  expect(report.programs).toBe(steps.points.at(-1)!.programs);
  expect(report.best!.program).toBe(steps.records.at(-1)!.program);
});

test('steps without a new best are one event, and a best says by how much it is better', async () => {
  const store = await grown(2);
  for (const step of [3, 4, 5])
    await store.commit({
      ...commitOf('demo', step, await store.openStep('demo', step, 'w')),
      best: (await store.readRun('demo'))!.best,
    });
  await store.commit(commitOf('demo', 6, await store.openStep('demo', 6, 'w')));
  const { events } = await asker(store)<Events>('events');
  const told = events.filter(({ kind }) => kind === 'step' || kind === 'best');
  expect(told.map(({ text, step }) => [text, step])).toEqual([
    ['7, better by 4', 6],
    ['steps 3 to 5, no new best: 12 programs, 12 of them valid', 5],
    ['3, better by 1', 2],
    ['2, better by 1', 1],
    ['1, first valid program', 0],
  ]);
});

test('pauses, other settings and the text of a hint are events, in words', async () => {
  const store = await grown(1);
  await store.setStatus('demo', 'pausing', { reason: 'lunch' });
  await store.setStatus('demo', 'paused', { reason: 'lunch' });
  await store.setStatus('demo', 'paused', { reason: 'lunch' });
  await store.setStatus('demo', 'running', { reason: null });
  const { config } = (await store.readRun('demo'))!;
  const hinted = { ...config, prompt: { ...config.prompt, hints: [{ island: 1, text: 'try hexagons' }] } };
  await store.setConfig('demo', hinted, 1);
  await store.setConfig('demo', { ...config, batch: 5 }, 2);
  const stopReason = 'stopped by a person: good enough';
  await store.setStatus('demo', 'stopped', { stopReason, endedAt: new Date() });
  const { events } = await asker(store)<Events>('events');
  expect(
    events
      .filter(({ kind }) => kind === 'state')
      .map(({ text, waits }) => [text, waits ?? false])
      .sort(),
  ).toEqual([
    ['paused: lunch', true],
    ['stopped: by a person: good enough', false],
    ['the run was created', false],
    ['the run went on', false],
  ]);
  expect(
    events
      .filter(({ kind }) => kind === 'settings')
      .map(({ text, exact }) => [text, exact])
      .sort(),
  ).toEqual([
    ['settings version 2: hint for island 1: “try hexagons”', true],
    ['settings version 3: the hint for island 1 was removed; batch 2 → 5', true],
  ]);
});

test('an end says by what, in the words of its state', () => {
  expect(endOf('finished', 'programs')).toBe('finished by its limit of programs');
  expect(endOf('stopped', 'stopped by a person: enough')).toBe('stopped: by a person: enough');
});

test('a best without words for its change shows the first lines that went and came, and counts both', async () => {
  const store = memoryStore();
  await store.createRun(newRun('demo'));
  const [before, after] = await store.putTexts(['x = 1\ny = 2\n', 'x = 3\ny = 2\nz = 4\n']);
  await store.commit(commitOf('demo', 0, await store.openStep('demo', 0, 'w'), { code: before! }));
  const lines = { added: 2, reintroduced: 0 };
  await store.commit(commitOf('demo', 1, await store.openStep('demo', 1, 'w'), { code: after!, lines }));
  const { records } = await asker(store)<Records>('records');
  expect(records[0]).toMatchObject({
    change: null,
    lines: { added: 2, deleted: 1 },
    diff: { went: ['x = 1'], came: ['x = 3', 'z = 4'] },
  });
  expect(records[1]).toMatchObject({ cause: { kind: 'initial', from: null }, lines: null, diff: null });
});

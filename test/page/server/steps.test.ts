// Steps, bests, failures and events of a run as the page's server answers them: what was kept between two questions
// changes nothing, and a rewind is seen.
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import type { Events } from '../../../page/data/events.ts';
import type { Failures, Glance, Records } from '../../../page/data/glance.ts';
import type { Overview } from '../../../page/data/runs.ts';
import type { Steps } from '../../../page/data/steps.ts';
import { eventAnswers } from '../../../page/server/answers/events.ts';
import { glanceAnswers } from '../../../page/server/answers/glance.ts';
import { runAnswers } from '../../../page/server/answers/runs.ts';
import { stepAnswers } from '../../../page/server/answers/steps.ts';
import { commitOf, grow, newRun } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { siteOver } from '../../support/page/serve.ts';

const asker = (store: Store): (<T>(path: string) => Promise<T>) => {
  const site = siteOver(store);
  onTestFinished(() => site.close());
  const app = new Hono();
  for (const add of [stepAnswers, glanceAnswers, eventAnswers]) add(app, site);
  return async <T>(path: string) => {
    const response = await app.request(`/runs/demo/${path}`);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
};
const without = ({ lineage: _, ...steps }: Steps): Omit<Steps, 'lineage'> => steps;

test('steps that come later are read behind those that are known, as a fresh reader reads all', async () => {
  const store = memoryStore();
  const ask = asker(store);
  await grow(store, 'demo', 2);
  expect((await ask<Steps>('steps')).points.map(({ step }) => step)).toEqual([0, 1, 2]);
  await store.commit(commitOf('demo', 3, await store.openStep('demo', 3, 'w')));
  const after = await ask<Steps>('steps');
  expect(after.points.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  expect(after.records.map(({ ranking }) => ranking)).toEqual([1, 2, 3, 4]);
  const again = memoryStore();
  await grow(again, 'demo', 3);
  expect(without(await asker(again)<Steps>('steps')).records.map(({ program }) => program)).toEqual(
    after.records.map(({ program }) => program),
  );
});

test('a rewind takes steps and their bests away, has another lineage, and is an event', async () => {
  const store = memoryStore();
  const ask = asker(store);
  await grow(store, 'demo', 4);
  const before = await ask<Steps>('steps');
  const generation = await store.openStep('demo', 2, 'rewind');
  const during = await ask<Steps>('steps');
  expect(during.lineage).not.toBe(before.lineage);
  expect(during.points.map(({ step }) => step)).toEqual([0, 1]);
  expect(during.records.map(({ step }) => step)).toEqual([0, 1]);
  await store.commit(commitOf('demo', 2, generation));
  expect((await ask<Steps>('steps')).points.map(({ step }) => step)).toEqual([0, 1, 2]);
  const { events } = await ask<Events>('events');
  expect(events.filter(({ kind }) => kind === 'rewind').map(({ text, step }) => [text.slice(0, 12), step])).toEqual([
    ['steps 2 to 4', 2],
  ]);
});

test('the first failure of each kind is found by the step in which it was first counted', async () => {
  const store = memoryStore();
  await grow(store, 'demo', 1);
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
  const { limits, next } = await ask<Glance>('glance');
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
  const site = siteOver(store);
  onTestFinished(() => site.close());
  const app = new Hono();
  runAnswers(app, site);
  const { runs: cards } = (await (await app.request('/overview')).json()) as Overview;
  expect(Object.fromEntries(cards.map(({ run, varied }) => [run, varied]))).toEqual({
    alone: null,
    'capped-10': { 'population.cap': 10 },
    'capped-20': { 'population.cap': 20 },
  });
});

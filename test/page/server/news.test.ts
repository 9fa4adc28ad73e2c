// The news of a run: new rows come with them, in the sets that a page wants, and are read once for all who follow it.
import { expect, onTestFinished, test } from 'vitest';
import { storeOver } from '../../../activities/store/open-store.ts';
import { type Columns, type ColumnSet, decodeColumns } from '../../../page/api/rows/columns.ts';
import type { LiveEvent } from '../../../page/api/site/live.ts';
import { commitOf, grow, rollout, SLOTS } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { until } from '../../support/machine/home.ts';
import { asPage, eventsIn } from '../../support/page/in-tests.ts';

const world = async () => {
  const collections = memoryCollections();
  const store = storeOver(collections);
  await grow(store, 'demo', 1);
  const asked = asPage(store);
  const ask = async (path: string): Promise<Response> => asked(`/api/v1/${path}`);
  /** Follows as a page does, and keeps what came. */
  const follow = async (wants: string) => {
    const events: LiveEvent[] = [];
    const response = await ask(`live?run=demo&with=${wants}`);
    const end = new AbortController();
    const read = async (): Promise<void> => {
      for await (const event of eventsIn(response, end.signal)) events.push(event);
    };
    void read().catch(() => undefined);
    onTestFinished(() => end.abort());
    await until('the first news', 60_000, () => events.some(({ kind }) => kind === 'run'));
    return events;
  };
  const commit = async (step: number): Promise<void> => {
    await store.putRollouts([rollout('demo', step, 0, `model ${step}`)]);
    await store.commit(commitOf('demo', step, await store.openStep('demo', step, 'w')));
  };
  /** A change that is told at once, and with it what the run has made. */
  const change = (reason: string): Promise<void> => store.setStatus('demo', 'running', { reason });
  return { ask, follow, commit, change, collections, store };
};

const rowsIn = (events: readonly LiveEvent[]) => events.filter((event) => event.kind === 'rows');
const columnsIn = (event: ReturnType<typeof rowsIn>[number] | undefined, set: ColumnSet): Columns =>
  decodeColumns(new Uint8Array(Buffer.from(event!.columns![set]!, 'base64')));

test('new rows come with the news, in the sets that are wanted, and are read once for all who follow', async () => {
  const { ask, follow, commit, collections } = await world();
  const [table, other, narrow] = [await follow('base,paid'), await follow('base,paid'), await follow('base')];
  const read: string[] = [];
  for (const name of ['programs', 'rollouts'] as const) {
    const getMany = collections[name].getMany.bind(collections[name]) as (ids: readonly string[]) => Promise<never>;
    collections[name].getMany = (ids) => {
      read.push(`${name} ${ids.length}`);
      return getMany(ids);
    };
  }
  await commit(2);
  for (const events of [table, other, narrow])
    await until('the new rows', 60_000, () => rowsIn(events).at(-1)?.columns !== undefined);
  expect(read.filter((one) => one.startsWith('programs'))).toEqual([`programs ${SLOTS}`]);
  const news = rowsIn(table).at(-1)!;
  expect(news).toEqual(rowsIn(other).at(-1));
  expect(news.rows).toBe(1 + 2 * SLOTS);
  expect(Object.keys(rowsIn(narrow).at(-1)!.columns!)).toEqual(['base']);
  for (const set of ['base', 'paid'] as const) {
    const answer = await ask(`runs/demo/columns?set=${set}&from=${2 * SLOTS}&lineage=${news.lineage}`);
    expect(columnsIn(news, set).column).toEqual(decodeColumns(await answer.arrayBuffer()).column);
  }
  expect(columnsIn(news, 'base').header).toMatchObject({ from: 2 * SLOTS, rows: SLOTS, total: 3 * SLOTS });
  expect(columnsIn(news, 'paid').header.models).toContain('model 2');
});

test('after a rewind nothing comes with the news, and later what is behind the rows of the new lineage', async () => {
  const { follow, commit, store } = await world();
  const events = await follow('base');
  await commit(2);
  await until('the new rows', 60_000, () => rowsIn(events).at(-1)?.columns !== undefined);
  const generation = await store.openStep('demo', 2, 'rewind');
  await until('the rewind', 60_000, () => events.some(({ kind }) => kind === 'again'));
  await until('its rows', 60_000, () => rowsIn(events).at(-1)?.columns === undefined);
  await store.commit(commitOf('demo', 2, generation, { score: 7, fit: 7 }));
  await until('the rows of the new lineage', 60_000, () => rowsIn(events).at(-1)?.columns !== undefined);
  const { lineage } = rowsIn(events).at(-1)!;
  expect(columnsIn(rowsIn(events).at(-1), 'base').header).toMatchObject({ lineage, from: 2 * SLOTS, rows: SLOTS });
});

test('a change of the run is told without its answers, which a page asks for', async () => {
  const { follow, change } = await world();
  const events = await follow('');
  const told = () => events.filter(({ kind }) => kind === 'run');
  const before = told().length;
  await change('one');
  await until('the change', 60_000, () => told().length > before);
  expect(told().at(-1)).toEqual({ kind: 'run', run: 'demo' });
});

test('the islands of a run are counted anew at once when its state is another', async () => {
  const { ask, commit, store } = await world();
  const step = async () => ((await (await ask('runs/demo/islands')).json()) as { step: number }).step;
  expect(await step()).toBe(1);
  await commit(2);
  await store.setStatus('demo', 'paused', { reason: 'lunch' });
  await new Promise((done) => setTimeout(done, 500));
  expect(await step()).toBe(2);
});

test('what is asked for in another way is refused with a sentence', async () => {
  const { ask } = await world();
  const said = async (path: string) => {
    const response = await ask(path);
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.status, error.message];
  };
  const expected = 'with: expected some of base, features, paid, evaluated, got settings';
  expect(await said('live?run=demo&with=base,settings')).toEqual([400, expected]);
  expect(await said('live?run=demo&as=x')).toEqual([400, 'expected run or with, got as']);
});

// What comes with the news of a run: the new rows and the answers that a page wants, read once for all who follow it, so
// that nobody asks. Put together as a page does it, they are what the server answers.
import { expect, onTestFinished, test } from 'vitest';
import { storeOver } from '../../../activities/store/open-store.ts';
import { type Columns, type ColumnSet, decodeColumns } from '../../../page/data/columns.ts';
import type { AtAGlance } from '../../../page/data/glance.ts';
import { edited } from '../../../page/data/edit.ts';
import type { LiveEvent } from '../../../page/data/live.ts';
import { createApp } from '../../../page/server/app.ts';
import { commitOf, grow, rollout, SLOTS } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { until } from '../../support/machine/home.ts';
import { siteOver } from '../../support/page/serve.ts';

const HEADERS = { 'x-evolve-page': '1', host: '127.0.0.1:8235' };

const world = async () => {
  const collections = memoryCollections();
  const store = storeOver(collections);
  await grow(store, 'demo', 1);
  const site = siteOver(store);
  const app = createApp(site, {});
  const ask = async (path: string, method = 'GET'): Promise<Response> =>
    app.request(`http://127.0.0.1:8235/api/${path}`, { method, headers: HEADERS });
  /** Follows as a page does, and keeps what came. */
  const follow = async (wants: string, as = 'aviewer00') => {
    const events: LiveEvent[] = [];
    const response = await ask(`live?run=demo&as=${as}&with=${wants}`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const read = async (): Promise<void> => {
      for (let rest = ''; ;) {
        const { value = '', done } = await reader.read();
        if (done) return;
        const parts = (rest + value).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) if (part.startsWith('data: ')) events.push(JSON.parse(part.slice(6)) as LiveEvent);
      }
    };
    void read().catch(() => undefined);
    onTestFinished(() => reader.cancel());
    await until('the first news', 60_000, () => events.some(({ kind }) => kind === 'run'));
    return events;
  };
  const commit = async (step: number): Promise<void> => {
    await store.putRollouts([rollout('demo', step, 0, `model ${step}`)]);
    await store.commit(commitOf('demo', step, await store.openStep('demo', step, 'w')));
  };
  /** A change that is told at once, and with it what the run has made. */
  const change = (reason: string): Promise<void> => store.setStatus('demo', 'running', { reason });
  onTestFinished(() => site.close());
  return { ask, follow, commit, change, collections, store };
};

const rowsIn = (events: readonly LiveEvent[]) => events.filter((event) => event.kind === 'rows');
const toldIn = (events: readonly LiveEvent[]) =>
  events.filter((event) => event.kind === 'run').flatMap(({ answers }) => (answers === undefined ? [] : [answers]));
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

test('answers come whole at first and then as what is other in them; all are of one step', async () => {
  const { ask, follow, commit, change } = await world();
  const events = await follow('report,overview,latest,islands');
  expect(Object.keys(toldIn(events)[0]!).sort()).toEqual(['islands', 'latest', 'overview', 'report']);
  await commit(2);
  await change('one');
  await until('the next answers', 60_000, () => toldIn(events).length === 2);
  const [first, second] = toldIn(events);
  const [before, after] = [first!.overview!, second!.overview!];
  expect([before.of, after.of]).toEqual([null, before.number]);
  const text = edited(edited('', before.edit), after.edit);
  expect(after.edit.text.length).toBeLessThan(text.length);
  const { steps } = JSON.parse(text) as AtAGlance;
  expect(steps).toEqual(await (await ask('runs/demo/steps')).json());
  const report = JSON.parse(edited(edited('', first!.report!.edit), second!.report!.edit)) as { steps: number };
  expect(report.steps).toBe(2);
  // What stayed as it was is told without its text.
  await change('two');
  await until('the last answers', 60_000, () => toldIn(events).length === 3);
  expect(toldIn(events)[2]).toMatchObject({ islands: null });
});

test('what a page wants may change, and what it wants from then on comes whole', async () => {
  const { ask, follow, change } = await world();
  const events = await follow('', 'anotherviewer');
  expect(toldIn(events)).toEqual([]);
  expect(await (await ask('live?as=anotherviewer&with=report', 'POST')).json()).toEqual({ known: true });
  await change('one');
  await until('the report', 60_000, () => toldIn(events).length === 1);
  expect(toldIn(events)).toEqual([{ report: expect.objectContaining({ of: null }) as unknown }]);
  expect(await (await ask('live?as=nobody000&with=report', 'POST')).json()).toEqual({ known: false });
});

test('what is asked for in another way is refused with a sentence', async () => {
  const { ask } = await world();
  const said = async (path: string, method = 'GET') => {
    const response = await ask(path, method);
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.status, error.message];
  };
  const expected = 'with: expected some of base, paid, features, report, overview, latest, islands, got settings';
  expect(await said('live?run=demo&with=report,settings')).toEqual([400, expected]);
  expect(await said('live?run=demo&as=X')).toEqual([400, 'as: expected 8 to 40 of a-z and 0-9, got X']);
  expect(await said('live?as=nobody000&run=demo', 'POST')).toEqual([400, 'expected as, with, got run']);
});

// Rows that a page holds: asked for once however many views look, followed while the run grows, read anew after a rewind,
// and kept when the server is away.
import { afterAll, expect, it, vi } from 'vitest';
import { COLUMN_SETS, COLUMN_TYPES, type ColumnsHeader, encodeColumns } from '../../../page/api/rows/columns.ts';
import { type Source, SourceError } from '../../../page/view/base/source.ts';
import type { LiveEvent } from '../../../page/api/site/live.ts';
import { setSource } from '../../../page/view/base/state.ts';
import { HeldRows } from '../../../page/view/rows/rows.ts';

vi.useFakeTimers();
afterAll(() => void vi.useRealTimers());
const until = async (check: () => boolean): Promise<void> => {
  for (let ms = 0; !check() && ms < 60_000; ms += 20) await vi.advanceTimersByTimeAsync(20);
  expect(check()).toBe(true);
};

const RUN = 'held';
const server = { lineage: 'a', rows: 3, away: false, asked: [] as string[], most: 1_000 };

type Set = 'base' | 'paid';
const encoded = (set: Set, from: number): Uint8Array<ArrayBuffer> => {
  const rows = Math.min(server.rows - from, server.most);
  const columns = Object.entries(COLUMN_SETS[set]).map(([name, type]) => ({ name, type }));
  const header: ColumnsHeader = {
    ...{ lineage: server.lineage, set, from, rows, total: server.rows, better: 'more' },
    ...{ owners: [RUN], outcomes: ['valid'], models: ['m'], features: [], columns },
  };
  const column = Object.fromEntries(
    columns.map(({ name, type }) => [
      name,
      COLUMN_TYPES[type].from(Array.from({ length: rows }, (_, at) => from + at)),
    ]),
  );
  return encodeColumns({ header, column });
};
/** As the server answers: what comes after the row that is named, or all where the lineage is another. */
const bytes = async (path: string): Promise<ArrayBuffer> => {
  server.asked.push(path);
  if (server.away) throw new SourceError('away', 'The server does not answer.');
  const query = new URL(path, 'http://x/').searchParams;
  const from = query.get('lineage') === server.lineage ? Number(query.get('from') ?? 0) : 0;
  return encoded(query.get('set') as Set, from).buffer;
};
const listeners = new Map<(event: LiveEvent) => void, readonly string[]>();
const follow: Source['follow'] = (run, on, wants = []) => {
  expect(run).toBe(RUN);
  listeners.set(on, wants);
  return () => void listeners.delete(on);
};
setSource({ bytes, follow } as unknown as Source);
const say = (event: LiveEvent): void => listeners.forEach((_, listener) => listener(event));
/** New rows, of which those behind `from` come with the news; none where it is null. */
const sayRows = (from: number | null): void => {
  const { lineage, rows } = server;
  const told = (set: Set) => [set, Buffer.from(encoded(set, from!)).toString('base64')];
  const columns = from === null ? {} : { columns: Object.fromEntries((['base', 'paid'] as const).map(told)) };
  say({ kind: 'rows', run: RUN, rows, lineage, ...columns });
};

const held = new HeldRows(RUN);
const base = held.shown(['base']);
const leave: (() => void)[] = [];
afterAll(() => leave.forEach((one) => one()));

it('come when a view looks, in pieces where they are many', async () => {
  expect(base.value).toMatchObject({ rows: null, busy: true });
  server.most = 2;
  leave.push(held.look(['base']), held.look(['base']));
  await until(() => base.value.rows?.rows === 3);
  expect(server.asked).toEqual([`runs/${RUN}/columns?set=base`, `runs/${RUN}/columns?set=base&from=2&lineage=a`]);
  server.most = 1_000;
});

it('grow with the run, and are the same object while nothing is new', async () => {
  const before = base.value.rows;
  say({ kind: 'back' });
  await until(() => server.asked.length >= 3 && !base.value.busy);
  expect(base.value.rows).toBe(before);
  server.rows = 5;
  sayRows(null);
  await until(() => base.value.rows?.rows === 5);
  expect([...base.value.rows!.column['slot']!]).toEqual([0, 1, 2, 3, 4]);
  expect(before!.rows).toBe(3);
});

it('stay when the server is away, with the reason', async () => {
  server.away = true;
  say({ kind: 'back' });
  await until(() => base.value.error !== null);
  expect(base.value).toMatchObject({ error: { message: 'The server does not answer.' }, rows: { rows: 5 } });
  server.away = false;
  say({ kind: 'back' });
  await until(() => base.value.error === null);
});

it('are read anew after a rewind, every set that is looked at, and never mixed', async () => {
  const both = held.shown(['base', 'paid']);
  leave.push(held.look(['base', 'paid']));
  await until(() => both.value.rows?.rows === 5);
  const lineages = new Set<string>();
  const unfollow = both.subscribe(({ rows }) => {
    if (rows !== null) lineages.add(`${rows.lineage} ${rows.rows}`);
  });
  [server.lineage, server.rows] = ['b', 2];
  say({ kind: 'again', run: RUN, lineage: 'b' });
  await until(() => both.value.rows?.lineage === 'b');
  unfollow();
  expect(base.value.rows).toMatchObject({ lineage: 'b', rows: 2 });
  expect([...lineages]).toEqual(['a 5', 'b 2']);
});

it('come with the news, all sets together, and nothing is asked for', async () => {
  const both = held.shown(['base', 'paid']);
  expect([...listeners.values()].flat().sort()).toEqual(['base', 'paid']);
  const [asked, before] = [server.asked.length, both.value.rows!];
  const seen: number[] = [];
  const unfollow = both.subscribe(({ rows }) => void seen.push(rows!.rows));
  server.rows = 4;
  sayRows(2);
  // Some that are there already come again.
  server.rows = 6;
  sayRows(3);
  // Of a commit that was asked for already nothing is new.
  sayRows(null);
  await until(() => both.value.rows!.rows === 6);
  unfollow();
  expect(seen).toEqual([2, 6]);
  expect([...both.value.rows!.column['slot']!]).toEqual([0, 1, 2, 3, 4, 5]);
  expect([...both.value.rows!.column['tokensIn']!]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(before.column['slot']!).toHaveLength(2);
  expect(server.asked).toHaveLength(asked);
});

it('are asked for where the news leave some out, or are those of another lineage', async () => {
  const both = held.shown(['base', 'paid']);
  const asked = server.asked.length;
  server.rows = 10;
  sayRows(8);
  await until(() => both.value.rows!.rows === 10);
  expect(server.asked.slice(asked)).toContain(`runs/${RUN}/columns?set=base&from=6&lineage=b`);
  [server.lineage, server.rows] = ['c', 11];
  sayRows(10);
  await until(() => both.value.rows!.lineage === 'c' && both.value.rows!.rows === 11);
  expect([...both.value.rows!.column['slot']!]).toEqual(Array.from({ length: 11 }, (_, row) => row));
});

it('follow nothing any more when no view looks', () => {
  for (const one of leave.splice(0)) one();
  expect(listeners.size).toBe(0);
});

it('are asked for again where the server had read none of them yet, also when nothing is new', async () => {
  const late = new HeldRows(RUN);
  const rows = late.shown(['base', 'paid']);
  server.most = 0;
  const asked = server.asked.length;
  leave.push(late.look(['base', 'paid']));
  await until(() => server.asked.length >= asked + 2 && !rows.value.busy);
  server.most = 1_000;
  await until(() => rows.value.rows?.rows === server.rows);
});

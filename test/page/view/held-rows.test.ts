// Rows that a page holds: asked for once however many views look, followed while the run grows, read anew after a rewind,
// and kept when the server is away.
import { afterAll, expect, it, vi } from 'vitest';
import { type ColumnsHeader, COLUMN_SETS, COLUMN_TYPES, encodeColumns } from '../../../page/data/columns.ts';
import { SourceError, type Source } from '../../../page/view/base/source.ts';
import { setSource, tell } from '../../../page/view/base/state.ts';
import { HeldRows } from '../../../page/view/rows/rows.ts';

const until = (check: () => boolean): Promise<boolean> => vi.waitUntil(check, { timeout: 60_000, interval: 20 });

const RUN = 'held';
const server = { lineage: 'a', rows: 3, away: false, asked: [] as string[], most: 1_000 };

/** As the server answers: what comes after the row that is named, or all where the lineage is another. */
const bytes = async (path: string): Promise<ArrayBuffer> => {
  server.asked.push(path);
  if (server.away) throw new SourceError('away', 'The server does not answer.');
  const query = new URL(path, 'http://x/').searchParams;
  const set = query.get('set') as 'base' | 'paid';
  const from = query.get('lineage') === server.lineage ? Number(query.get('from') ?? 0) : 0;
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
  return encodeColumns({ header, column }).buffer as ArrayBuffer;
};
setSource({ bytes } as unknown as Source);

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
  tell(RUN);
  await until(() => server.asked.length >= 3 && !base.value.busy);
  expect(base.value.rows).toBe(before);
  server.rows = 5;
  tell(RUN);
  await until(() => base.value.rows?.rows === 5);
  expect([...base.value.rows!.column['slot']!]).toEqual([0, 1, 2, 3, 4]);
  expect(before!.rows).toBe(3);
});

it('stay when the server is away, with the reason', async () => {
  server.away = true;
  tell(RUN);
  await until(() => base.value.error !== null);
  expect(base.value).toMatchObject({ error: { message: 'The server does not answer.' }, rows: { rows: 5 } });
  server.away = false;
  tell(RUN);
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
  tell(RUN);
  await until(() => both.value.rows?.lineage === 'b');
  unfollow();
  expect(base.value.rows).toMatchObject({ lineage: 'b', rows: 2 });
  expect([...lineages]).toEqual(['a 5', 'b 2']);
});

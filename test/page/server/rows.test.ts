// The rows of a run as the page's server reads, keeps and follows them: whatever happened between, they are those of a
// fresh read of the database.
import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { EvaluationDocument, ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { programId } from '../../../evolution/ids.ts';
import {
  type Column,
  type Columns,
  type ColumnSet,
  decodeColumns,
  encodeColumns,
  FLAGS,
  ROWS_PER_ANSWER,
} from '../../../page/api/rows/columns.ts';
import { unpacked } from '../../../page/server/rows/row-files.ts';
import { RowsOfRuns } from '../../../page/server/rows/rows-of-runs.ts';
import { commitOf, forkCommitOf, grow, newRun, program, rollout, SLOTS } from '../../activities/store/fixtures.ts';
import { memoryCollections, memoryStore } from '../../doubles/memory-store.ts';
import { grown, ownFolder } from '../../support/page/in-tests.ts';
import { collect } from '../../activities/store/fixtures.ts';

/** All rows of a set, asked for as a page does. */
const all = async (rows: RowsOfRuns, store: Store, run: string, set: ColumnSet = 'base'): Promise<Columns> => {
  const document = (await store.readRun(run))!;
  const parts: Columns[] = [];
  for (let from = 0, total = 1; from < total;) {
    const part = decodeColumns(encodeColumns(await rows.columns(document, set, from, null)));
    parts.push(part);
    from += part.header.rows;
    total = part.header.rows === 0 ? from : part.header.total;
  }
  const [first] = parts;
  const column: { [name: string]: Column } = {};
  for (const { name } of first!.header.columns)
    column[name] = Float64Array.from(parts.flatMap((part) => [...part.column[name]!]));
  return { header: { ...parts.at(-1)!.header, from: 0, rows: column[first!.header.columns[0]!.name]!.length }, column };
};
const idsOf = ({ header, column }: Columns): readonly string[] =>
  Array.from({ length: header.rows }, (_, row) =>
    programId(
      header.owners[column['owner']![row]!]!,
      column['named']![row]!,
      column['epoch']![row]!,
      column['slot']![row]!,
    ),
  );
const stored = (store: Store, run: string): Promise<readonly ProgramDocument[]> => collect(store.eachProgram(run));
/** What a reader with no files and no memory sees. */
const fresh = async (store: Store, run: string, set: ColumnSet = 'base'): Promise<Columns> =>
  all(new RowsOfRuns(async () => store, ownFolder()), store, run, set);

describe('rows of a run', () => {
  it('are the programs as they are stored, in the order of commits', async () => {
    const store = await grown(3);
    const documents = await stored(store, 'demo');
    const columns = await fresh(store, 'demo');
    expect(idsOf(columns)).toEqual(documents.map(({ _id }) => _id));
    const expected = (of: (one: ProgramDocument) => number | null) => documents.map((one) => of(one) ?? Number.NaN);
    expect([...columns.column['score']!]).toEqual(expected(({ score }) => score));
    expect([...columns.column['strictScore']!]).toEqual(expected(({ strictScore }) => strictScore));
    expect([...columns.column['island']!]).toEqual(expected(({ island }) => island));
    expect([...columns.column['length']!]).toEqual(expected(({ length }) => length));
    const ids = documents.map(({ _id }) => _id);
    expect([...columns.column['parent']!]).toEqual(expected(({ parents }) => ids.indexOf(parents[0] ?? '')));
    const best = documents.map(({ fit = -Infinity }, at) =>
      documents.slice(0, at).every((one) => (one.fit ?? -Infinity) < fit),
    );
    expect([...columns.column['flags']!].map((flags) => (flags & FLAGS.record) !== 0)).toEqual(best);
  });

  it('grow with the commits, and are the same as those of a fresh read, also after a restart', async () => {
    const store = await grown(2);
    const root = ownFolder();
    let rows = new RowsOfRuns(async () => store, root);
    const before = await all(rows, store, 'demo');
    const generation = await store.openStep('demo', 3, 'w');
    await store.commit(commitOf('demo', 3, generation));
    const after = await all(rows, store, 'demo');
    expect(after.header).toMatchObject({ rows: before.header.rows + SLOTS, lineage: before.header.lineage });
    expect(after).toEqual(await fresh(store, 'demo'));
    await rows.close();
    rows = new RowsOfRuns(async () => store, root);
    expect(await all(rows, store, 'demo')).toEqual(after);
  });

  it('lose what a rewind set aside, and then have another lineage', async () => {
    const store = memoryStore();
    const root = ownFolder();
    const rows = new RowsOfRuns(async () => store, root);
    await grow(store, 'demo', 5);
    const before = await all(rows, store, 'demo');
    await rows.close();
    const generation = await store.openStep('demo', 3, 'rewind');
    const during = await all(rows, store, 'demo');
    expect(during.header.lineage).not.toBe(before.header.lineage);
    expect(during).toEqual(await fresh(store, 'demo'));
    await store.commit(commitOf('demo', 3, generation, { score: 7, fit: 7 }));
    const after = await all(rows, store, 'demo');
    expect(after).toEqual(await fresh(store, 'demo'));
    expect(idsOf(after)).toEqual((await stored(store, 'demo')).map(({ _id }) => _id));
    expect([...after.column['score']!].slice(-SLOTS)).toEqual(Array(SLOTS).fill(7));
  });

  it('are begun anew for who names a lineage of before', async () => {
    const store = await grown(3);
    const rows = new RowsOfRuns(async () => store, ownFolder());
    const document = (await store.readRun('demo'))!;
    expect((await rows.columns(document, 'base', 8, 'another')).header).toMatchObject({ from: 0 });
    const { lineage } = (await rows.columns(document, 'base', 0, null)).header;
    expect((await rows.columns(document, 'base', 8, lineage)).header).toMatchObject({ from: 8, lineage });
  });

  it('of a fork name whose they are, and stay when the other run is rewound', async () => {
    const store = await grown(3);
    const { config, createdAt } = newRun('twin');
    await store.createFork({ run: 'twin', from: 'demo', step: 2, config, createdAt });
    const generation = await store.openStep('twin', 3, 'w');
    await store.commit(forkCommitOf('twin', { run: 'demo', step: 2 }, 3, generation));
    await store.openStep('demo', 1, 'rewind');
    const columns = await fresh(store, 'twin');
    expect(columns.header.owners).toEqual(['demo', 'twin']);
    expect(idsOf(columns)).toEqual((await stored(store, 'twin')).map(({ _id }) => _id));
  });

  it('say what each answer cost, and of which model it was', async () => {
    const store = await grown(1);
    await store.putRollouts([
      rollout('demo', 1, 1, 'gpt'),
      { ...rollout('demo', 1, 2, 'gpt'), asked: 'other', costUsd: 0.5 },
    ]);
    const { header, column } = await fresh(store, 'demo', 'paid');
    expect([...column['model']!].map((index) => header.models[index])).toEqual([
      '',
      '',
      '',
      '',
      '',
      'gpt',
      'other',
      '',
    ]);
    expect([...column['costUsd']!]).toEqual([0, 0, 0, 0, 0, 0, 0.5, 0]);
  });

  it('say what each evaluation took, as far as there was one', async () => {
    const store = await grown(1);
    const [first, ...others] = await stored(store, 'demo');
    const evaluated = { ...first!, evaluation: 'demo:c:e:0' };
    const { getPrograms } = store;
    store.getPrograms = async (ids) => new Map([...(await getPrograms(ids)), [evaluated._id, evaluated]]);
    store.getEvaluations = async () => new Map([[evaluated.evaluation, { cpuMs: 1500 } as EvaluationDocument]]);
    const { column } = await fresh(store, 'demo', 'evaluated');
    expect([...column['cpuSeconds']!]).toEqual([1.5, ...others.map(() => Number.NaN)]);
  });

  it('fill several files, and of a torn one are read again', async () => {
    const store = memoryStore();
    const root = ownFolder();
    const count = ROWS_PER_ANSWER + 100;
    await store.createRun(newRun('demo'));
    const generation = await store.openStep('demo', 0, 'w');
    const slots = Array.from({ length: count }, (_, slot) => program('demo', 0, slot, generation, { length: slot }));
    await store.commit({ ...commitOf('demo', 0, generation), programs: slots });
    let rows = new RowsOfRuns(async () => store, root);
    const whole = await all(rows, store, 'demo');
    expect([...whole.column['length']!]).toEqual(slots.map(({ length }) => length));
    await rows.close();
    const [kept = ''] = readdirSync(join(root, 'rows'));
    const file = join(root, 'rows', kept, 'base-0.zst');
    expect(readdirSync(join(root, 'rows', kept)).filter((name) => name.startsWith('base'))).toHaveLength(2);
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    rows = new RowsOfRuns(async () => store, root);
    expect(await all(rows, store, 'demo')).toEqual(whole);
    rmSync(file);
    await rows.close();
    // So many are read apart, once, although the run counts programs that have no row.
    const asked: string[] = [];
    const reader = new RowsOfRuns(async () => store, root);
    rows = new RowsOfRuns(
      async () => store,
      root,
      async (run, set, more) => {
        asked.push(`${run} ${set}`);
        await all(reader, store, run);
        await reader.close();
        more();
      },
    );
    const counted = async (): Promise<RunDocument> => {
      const document = (await store.readRun('demo'))!;
      return { ...document, totals: { ...document.totals, programs: 2 * count } };
    };
    expect(await rows.bringForward(await counted())).toMatchObject({ rows: count });
    expect(await rows.bringForward(await counted())).toMatchObject({ rows: count });
    expect(asked).toEqual(['demo base']);
    const sent = await rows.columnsToSend(await counted(), 'base', 0, null);
    expect('packed' in sent && unpacked(sent).column['length']).toEqual(
      Uint32Array.from(slots.slice(0, ROWS_PER_ANSWER), ({ length }) => length),
    );
  });

  it('are what was known where the database has gone away', async () => {
    const collections = memoryCollections();
    const store = storeOver(collections);
    await grow(store, 'demo', 2);
    const rows = new RowsOfRuns(async () => store, ownFolder());
    const document = (await store.readRun('demo'))!;
    const known = await rows.columns(document, 'base', 0, null);
    const gone = { ...document, committedStep: 5, totals: { ...document.totals, programs: 60 } };
    collections.steps.getMany = () => Promise.reject(new Error('away'));
    expect((await rows.columns(gone, 'base', 0, null)).header.rows).toBe(known.header.rows);
    await expect(rows.columns(gone, 'base', known.header.rows, known.header.lineage)).rejects.toThrow('away');
  });
});

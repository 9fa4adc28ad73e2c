// `--csv` and `--parquet`: one table of rows that need not have the same fields.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RowFile } from '../../../cli/terminal/row-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evolve-row-file-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = [
  { id: 'a', score: null, reasons: ['no, "x"'], at: new Date('2026-11-28T00:00:00Z'), metrics: { radius: 0.5 } },
  { id: 'b', score: 1.5, reasons: [], metrics: { radius: 2, packed: true, note: 'ü' } },
  { id: '=c', score: 2, reasons: [], metrics: { note: 3, packed: false } },
];

test('columns come from all rows; a list is JSON, an absent field is empty', async () => {
  const csv = join(folder, 'rows.csv');
  const file = RowFile.of({ csv })!;
  for (const row of ROWS) file.add(row);
  await file.end();
  expect(readFileSync(csv, 'utf8').split('\r\n')).toEqual([
    'id,score,reasons,at,metrics.radius,metrics.packed,metrics.note',
    'a,,"[""no, \\""x\\""""]",2026-11-28T00:00:00.000Z,0.5,,',
    'b,1.5,[],,2,true,ü',
    "'=c,2,[],,,false,3",
    '',
  ]);
});

test('Parquet has numbers, counts and times as such, texts where a column holds two kinds, and no text where it holds none', async () => {
  const parquet = join(folder, 'rows.parquet');
  const file = RowFile.of({ parquet })!;
  for (const row of ROWS) file.add({ ...row, step: 7, reward: null });
  await file.end();
  const buffer = await asyncBufferFromFile(parquet);
  const { schema } = await parquetMetadataAsync(buffer);
  expect(Object.fromEntries(schema.slice(1).map(({ name, type }) => [name, type]))).toMatchObject({
    ...{ id: 'BYTE_ARRAY', score: 'DOUBLE', step: 'INT32', reward: 'DOUBLE', at: 'INT64', 'metrics.packed': 'BOOLEAN' },
  });
  const read = await parquetReadObjects({ file: buffer });
  expect(read.map((row) => [row['id'], row['step'], row['score'], row['metrics.packed'], row['metrics.note']])).toEqual(
    [
      ['a', 7, null, null, null],
      ['b', 7, 1.5, true, 'ü'],
      ['=c', 7, 2, false, '3'],
    ],
  );
  expect(read.map((row) => row['at'])).toEqual([ROWS[0]!.at, null, null]);
});

test('100,000 rows become row groups; nothing is left beside the file', async () => {
  const parquet = join(folder, 'many.parquet');
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('evolve-rows-'));
  const file = RowFile.of({ parquet })!;
  for (let row = 0; row < 100_000; row += 1) file.add({ id: `run:${row}`, score: row / 7 });
  await file.end();
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('evolve-rows-'))).toEqual(before);
  const read = await parquetReadObjects({
    file: await asyncBufferFromFile(parquet),
    rowStart: 99_999,
    rowEnd: 100_000,
  });
  expect(read).toEqual([{ id: 'run:99999', score: 99_999 / 7 }]);
});

test('both flags at once are refused', () => {
  expect(() => RowFile.of({ csv: '-', parquet: 'x' })).toThrow('expected one of them');
  expect(RowFile.of({})).toBeNull();
});

// Where rows of the last steps begin, which a look at a run asks for often.
import { expect, it } from 'vitest';
import { type Columns, ROWS_PER_ANSWER } from '../../../page/api/rows/columns.ts';
import type { RowFiles } from '../../../page/server/rows/row-files.ts';
import { Chunks } from '../../../page/server/rows/chunks.ts';

/** Nothing can be written, so whole chunks stay in memory. */
const noFiles: RowFiles = { read: () => null, write: () => false, dropFrom: () => undefined };
const said = (): Pick<Columns['header'], 'lineage' | 'owners' | 'better' | 'models' | 'features'> => ({
  ...{ lineage: '', owners: [], better: null, models: [], features: [] },
});

it('counts the rows from a step on, in one chunk and over several', () => {
  const rows = new Chunks('base', { step: 'u32' }, noFiles, said);
  expect(rows.rowsFrom('step', 0)).toBe(0);
  const steps = Array.from({ length: 2 * ROWS_PER_ANSWER + 10 }, (_, row) => Math.floor(row / 16));
  for (const [row, step] of steps.entries()) {
    rows.add({ step });
    // Also where the last chunk has just begun and has no row.
    if ([0, 5, ROWS_PER_ANSWER - 1, ROWS_PER_ANSWER].includes(row))
      for (const least of [0, step, step + 1])
        expect(rows.rowsFrom('step', least)).toBe(steps.slice(0, row + 1).filter((one) => one >= least).length);
  }
  for (const least of [0, 1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049])
    expect(rows.rowsFrom('step', least)).toBe(steps.filter((one) => one >= least).length);
});

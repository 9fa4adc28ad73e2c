// Rows that come in pieces are the rows that come at once, and what follows from them agrees with a naive reading.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Column,
  COLUMN_SETS,
  COLUMN_TYPES,
  type Columns,
  type ColumnSet,
  FLAGS,
} from '../../../../page/api/rows/columns.ts';
import {
  ancestorsOf,
  appended,
  bestsBeside,
  beside,
  childrenOfRow,
  columnsPath,
  firstOfStep,
  idOf,
  parentOf,
  recordsOf,
  type Rows,
  rowOf,
} from '../../../../page/api/rows/rows.ts';
import { programId } from '../../../../evolution/ids.ts';

type Program = { readonly step: number; readonly slot: number; readonly parent: number; readonly record: boolean };

const programs = fc
  .array(fc.record({ steps: fc.nat(2), parent: fc.nat(), root: fc.boolean(), record: fc.boolean() }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((drawn) => {
    let step = 0;
    return drawn.map(({ steps, parent, root, record }, row): Program => {
      step += row === 0 ? 0 : steps;
      return { step, slot: row, parent: row === 0 || root ? -1 : parent % row, record };
    });
  });

/** The answer with the rows from `from` to before `to`. */
const answer = (
  all: readonly Program[],
  from: number,
  to: number,
  { lineage = 'a', set = 'base' as ColumnSet } = {},
): Columns => {
  const part = all.slice(from, to);
  const values: { readonly [name: string]: (program: Program) => number } = {
    ...{
      step: ({ step }) => step,
      named: ({ step }) => step,
      slot: ({ slot }) => slot,
      parent: ({ parent }) => parent,
    },
    flags: ({ record }) => (record ? FLAGS.record : 0),
    score: ({ slot }) => slot / 7,
  };
  const columns = Object.entries(COLUMN_SETS[set]).map(([name, type]) => ({ name, type }));
  return {
    header: {
      ...{ lineage, set, from, rows: part.length, total: all.length, better: 'more' as const },
      ...{ owners: ['demo'], outcomes: ['valid'], models: ['m'], features: [], columns },
    },
    column: Object.fromEntries(
      columns.map(({ name, type }): [string, Column] => [
        name,
        COLUMN_TYPES[type].from(part.map(values[name] ?? (() => 0))),
      ]),
    ),
  };
};

const whole = (all: readonly Program[]): Rows => appended(null, answer(all, 0, all.length))!;
const plain = (rows: Rows) =>
  Object.fromEntries(Object.entries(rows.column).map(([name, values]) => [name, [...values]]));

describe('rows of several answers', () => {
  it('are those of one answer, and earlier views of them stay as they were', () => {
    fc.assert(
      fc.property(programs, fc.array(fc.nat(60), { maxLength: 6 }), (all, cuts) => {
        let rows: Rows | null = null;
        const views: { readonly rows: Rows; readonly was: object }[] = [];
        for (const to of [...cuts.map((cut) => cut % all.length), all.length].sort((a, b) => a - b)) {
          rows = appended(rows, answer(all, rows?.rows ?? 0, to));
          views.push({ rows: rows!, was: plain(rows!) });
        }
        expect(plain(rows!)).toEqual(plain(whole(all)));
        for (const view of views) expect(plain(view.rows)).toEqual(view.was);
      }),
    );
  });

  it('are asked for anew where the answer is of another lineage or leaves rows out', () => {
    const all: Program[] = [0, 1, 2, 3].map((slot) => ({ step: slot, slot, parent: -1, record: false }));
    const rows = appended(null, answer(all, 0, 2))!;
    expect(appended(rows, answer(all, 3, 4))).toBeNull();
    expect(appended(rows, answer(all, 2, 4, { lineage: 'b' }))).toBeNull();
    expect(appended(rows, answer(all, 0, 1, { lineage: 'b' }))).toMatchObject({ rows: 1, lineage: 'b' });
    // A late answer brings nothing that is not there.
    expect(appended(rows, answer(all, 0, 1))).toBe(rows);
    expect(appended(rows, answer(all, 1, 4))!.rows).toBe(4);
    expect(columnsPath('a b', 'base')).toBe('runs/a%20b/columns?set=base');
    expect(columnsPath('demo', 'paid', rows)).toBe('runs/demo/columns?set=paid&from=2&lineage=a');
  });

  it('stand beside those of other sets as far as all have them', () => {
    const all: Program[] = [0, 1, 2].map((slot) => ({ step: slot, slot, parent: -1, record: false }));
    const [base, paid] = [appended(null, answer(all, 0, 3))!, appended(null, answer(all, 0, 2, { set: 'paid' }))!];
    const both = beside([base, paid])!;
    expect(both.rows).toBe(2);
    expect([both.column['score']!.length, both.column['costUsd']!.length]).toEqual([2, 2]);
    expect(beside([base, null])).toBeNull();
    expect(beside([base, appended(null, answer(all, 0, 2, { set: 'paid', lineage: 'b' }))])).toBeNull();
  });
});

describe('what follows from rows', () => {
  it('agrees with a naive reading', () => {
    fc.assert(
      fc.property(programs, (all) => {
        const rows = whole(all);
        for (const [row, { step, slot, parent }] of all.entries()) {
          const id = programId('demo', step, 0, slot);
          expect(idOf(rows, row)).toBe(id);
          expect([rowOf(rows, id), rowOf(rows, id, step)]).toEqual([row, row]);
          expect(parentOf(rows, row)).toBe(parent);
          const children = all.flatMap((other, at) => (other.parent === row ? [at] : []));
          expect(childrenOfRow(rows, row)).toEqual(children);
          const up: number[] = [];
          for (let at = parent; at >= 0; at = all[at]!.parent) up.unshift(at);
          expect(ancestorsOf(rows, row)).toEqual(up);
          const first = all.findIndex((other) => other.step >= step);
          expect(firstOfStep(rows, step)).toBe(first);
          for (const [from, end] of [
            [0, null],
            [1, 4],
            [2, null],
          ] as const)
            expect(bestsBeside(rows, step, [from, end])).toEqual(
              [step, Infinity].map((before) =>
                all.findLastIndex(
                  (one) => one.record && one.step >= from && one.step < Math.min(before, end ?? Infinity),
                ),
              ),
            );
        }
        const lastOf = (step: number): number => all.findLastIndex((other) => other.record && other.step === step);
        expect(recordsOf(rows)).toEqual(all.flatMap(({ step }, row) => (lastOf(step) === row ? [row] : [])));
        expect(rowOf(rows, 'demo:000099:0:000000')).toBe(-1);
        expect(rowOf(rows, 'other:000000:0:000000')).toBe(-1);
        expect(rowOf(rows, '"><script>')).toBe(-1);
      }),
      { numRuns: 40 },
    );
  });
});

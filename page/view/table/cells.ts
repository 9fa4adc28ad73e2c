// The columns of the table of programs: their titles, their widths, the texts of their cells.
import { markOfRow } from '../../api/rows/marks.ts';
import { columnOf, hasFlag, idOf, isRecord, parentOf, type Rows } from '../../api/rows/rows.ts';
import { numberEntry, type NumberName, numberNames } from '../../../evolution/reports/program-numbers.ts';
import type { TableColumn } from '../../api/rows/order.ts';
import { alignedScore, count, decimalsOf, outcomeName, shown } from '../base/text.ts';

type Cells = {
  readonly title: string;
  /** In pixels, at the usual size of letters. */
  readonly width: number;
  readonly number?: true;
  readonly text: (rows: Rows, row: number, run: string) => string;
  /** The value in a file, where it is not the text of the cell. */
  readonly value?: (rows: Rows, row: number) => number | string | null;
};

/** An id without the name of the run, where it is the run that one looks at. */
export const shortId = (id: string, run: string): string =>
  shown(id.startsWith(`${run}:`) ? id.slice(run.length + 1) : id);

const known = new WeakMap<Rows, { [name: string]: number }>();
/** The digits after the point of a column of scores. */
const decimalsIn = (rows: Rows, name: NumberName): number => {
  const ofRows = known.get(rows) ?? {};
  known.set(rows, ofRows);
  return (ofRows[name] ??= decimalsOf(columnOf(rows, name)));
};

const numberCells = (name: NumberName): Cells => {
  const { title, width, text, ranks } = numberEntry(name);
  return {
    ...{ title, width, number: true },
    text: (rows, row) => {
      const value = columnOf(rows, name)[row]!;
      if (Number.isNaN(value)) return '–';
      return ranks ? alignedScore(value, decimalsIn(rows, name)) : text(value as never);
    },
    value: (rows, row) => {
      const value = columnOf(rows, name)[row]!;
      return Number.isNaN(value) ? null : value;
    },
  };
};

const whole = (title: string, width: number): Cells => ({
  ...{ title, width, number: true },
  text: (rows, row) => count(columnOf(rows, title)[row]!),
  value: (rows, row) => columnOf(rows, title)[row]!,
});

export const CELLS: { readonly [name in TableColumn]: Cells } = {
  id: { title: 'program', width: 136, text: (rows, row, run) => shortId(idOf(rows, row), run), value: idOf },
  mark: { title: 'mark', width: 110, text: (rows, row) => shown(markOfRow(rows, row)) },
  step: whole('step', 70),
  island: whole('island', 72),
  outcome: {
    title: 'outcome',
    width: 110,
    text: (rows, row) => outcomeName(rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? ''),
    value: (rows, row) => rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? '',
  },
  parent: {
    title: 'parent',
    width: 136,
    text: (rows, row, run) => (parentOf(rows, row) < 0 ? '–' : shortId(idOf(rows, parentOf(rows, row)), run)),
    value: (rows, row) => (parentOf(rows, row) < 0 ? null : idOf(rows, parentOf(rows, row))),
  },
  model: {
    title: 'model',
    width: 130,
    text: (rows, row) => shown(rows.names.models[columnOf(rows, 'model')[row]!] ?? '–'),
    value: (rows, row) => rows.names.models[columnOf(rows, 'model')[row]!] ?? null,
  },
  change: { title: 'delta', width: 72, text: (rows, row) => (hasFlag(rows, row, 'change') ? 'yes' : '') },
  record: { title: 'new best', width: 96, text: (rows, row) => (isRecord(rows, row) ? 'yes' : '') },
  ...(Object.fromEntries(numberNames.map((name) => [name, numberCells(name)])) as {
    readonly [name in NumberName]: Cells;
  }),
};

/** The columns that a screen has room for when nobody has chosen. The excerpts of a search need some of it. */
export const columnsFor = (widthPx: number, searching: boolean, hasMarks = false): readonly TableColumn[] => {
  const mark = hasMarks ? (['mark'] as const) : [];
  if (widthPx < 700) return searching ? ['score', 'id'] : ['score', 'outcome', 'id', ...mark];
  if (searching) return ['id', ...mark, 'step', 'outcome', 'score'];
  return widthPx < 1_100
    ? ['id', ...mark, 'step', 'outcome', 'score', 'parent', 'model', 'record']
    : [
        'id',
        ...mark,
        'step',
        'island',
        'outcome',
        'score',
        'length',
        'parent',
        'model',
        'tokens',
        'costUsd',
        'change',
        'record',
      ];
};

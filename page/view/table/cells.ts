// The columns of the table of programs: their titles, their widths, the texts of their cells.
import { columnOf, hasFlag, idOf, isRecord, parentOf, type Rows } from '../../api/rows/rows.ts';
import type { TableColumn } from '../../api/rows/table.ts';
import { compact, count, score, shown, usd } from '../base/text.ts';
import { outcomeName } from '../base/text.ts';

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

const number = (name: string): Pick<Cells, 'number' | 'value'> => ({
  number: true,
  value: (rows, row) => {
    const value = columnOf(rows, name)[row]!;
    return Number.isNaN(value) ? null : value;
  },
});
const tokens = (rows: Rows, row: number): number =>
  columnOf(rows, 'tokensIn')[row]! + columnOf(rows, 'tokensOut')[row]!;

export const CELLS: { readonly [name in TableColumn]: Cells } = {
  id: { title: 'program', width: 136, text: (rows, row, run) => shortId(idOf(rows, row), run), value: idOf },
  step: { title: 'step', width: 70, ...number('step'), text: (rows, row) => count(columnOf(rows, 'step')[row]!) },
  island: {
    title: 'island',
    width: 72,
    ...number('island'),
    text: (rows, row) => String(columnOf(rows, 'island')[row]),
  },
  outcome: {
    title: 'outcome',
    width: 110,
    text: (rows, row) => outcomeName(rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? ''),
    value: (rows, row) => rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? '',
  },
  score: { title: 'score', width: 120, ...number('score'), text: (rows, row) => score(columnOf(rows, 'score')[row]) },
  strict: {
    title: 'strict score',
    width: 128,
    ...number('strict'),
    text: (rows, row) => score(columnOf(rows, 'strict')[row]),
  },
  reward: {
    title: 'reward',
    width: 88,
    ...number('reward'),
    text: (rows, row) => {
      const value = columnOf(rows, 'reward')[row]!;
      return Number.isNaN(value) ? '–' : String(Number(value.toPrecision(4)));
    },
  },
  length: {
    title: 'length',
    width: 80,
    ...number('length'),
    text: (rows, row) => count(columnOf(rows, 'length')[row]!),
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
  tokens: { title: 'tokens', width: 84, number: true, text: (rows, row) => compact(tokens(rows, row)), value: tokens },
  cost: { title: 'cost', width: 84, ...number('cost'), text: (rows, row) => usd(columnOf(rows, 'cost')[row]!) },
  change: { title: 'delta', width: 72, text: (rows, row) => (hasFlag(rows, row, 'change') ? 'yes' : '') },
  record: { title: 'new best', width: 96, text: (rows, row) => (isRecord(rows, row) ? 'yes' : '') },
};

/** The columns that a screen has room for when nobody has chosen. The excerpts of a search need some of it. */
export const columnsFor = (widthPx: number, searching: boolean): readonly TableColumn[] => {
  if (widthPx < 700) return searching ? ['score', 'id'] : ['score', 'outcome', 'id', 'step'];
  if (searching) return ['id', 'step', 'outcome', 'score'];
  return widthPx < 1_100
    ? ['id', 'step', 'outcome', 'score', 'parent', 'model', 'record']
    : ['id', 'step', 'island', 'outcome', 'score', 'length', 'parent', 'model', 'tokens', 'cost', 'change', 'record'];
};

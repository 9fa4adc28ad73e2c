// The table of programs as its address says it: which rows, in which order, which columns. Everything here is pure, so
// that a link to a part of the table can be made and read by any view.
import { isNumber, numberEntry } from '../../../evolution/reports/program-numbers.ts';
import { chosenMarks, markedRows } from './marks.ts';
import { COLUMN_SETS, type ColumnSet, columnSets, FLAGS } from './columns.ts';
import { type Flag, type Range, type RowQuery, TABLE_COLUMNS, type TableColumn } from './order.ts';
import type { Rows } from './rows.ts';

export const SEARCHED = ['code', 'deltas', 'ideas'] as const;
export type Searched = (typeof SEARCHED)[number];

export type TableState = {
  /** Names; null stands for all. */
  readonly outcomes: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly island: number | null;
  readonly step: Range | null;
  readonly score: Range | null;
  readonly flag: Flag | null;
  /** One of the choices of page/api/rows/marks.ts. */
  readonly mark: string | null;
  readonly text: string;
  readonly searched: readonly Searched[];
  /** Null: the best first, as the task counts. */
  readonly sort: TableColumn | null;
  readonly descending: boolean | null;
  /** Null: as many as the screen has room for. */
  readonly columns: readonly TableColumn[] | null;
};

const listed = <T extends string>(text: string | null, known: readonly T[]): readonly T[] | null => {
  const found = (text ?? '').split(',').filter((one): one is T => (known as readonly string[]).includes(one));
  return found.length === 0 ? null : found;
};

const names = (text: string | null): readonly string[] | null => {
  const found = (text ?? '').split(',').filter((one) => one !== '');
  return found.length === 0 ? null : found;
};

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
export const numberIn = (text: string | null): number | null => {
  const trimmed = (text ?? '').trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : null;
};

/** `12..20`, `12..`, `..20` or `12`. What is no range is none. */
export const rangeIn = (text: string | null): Range | null => {
  if (text === null || text.trim() === '') return null;
  const [from, to, more] = text.includes('..') ? text.split('..') : [text, text];
  const range: Range = [numberIn(from ?? null), numberIn(to ?? null)];
  return more !== undefined || (range[0] === null && range[1] === null) ? null : range;
};

export const rangeText = (range: Range | null): string | null => {
  if (range === null || (range[0] === null && range[1] === null)) return null;
  return range[0] === range[1] ? String(range[0]) : `${range[0] ?? ''}..${range[1] ?? ''}`;
};

export const tableStateOf = (query: URLSearchParams): TableState => ({
  outcomes: names(query.get('outcome')),
  models: names(query.get('model')),
  island: numberIn(query.get('island')),
  step: rangeIn(query.get('step')),
  score: rangeIn(query.get('score')),
  flag: listed(query.get('only'), Object.keys(FLAGS) as Flag[])?.[0] ?? null,
  mark: query.get('mark') || null,
  text: (query.get('q') ?? '').slice(0, MOST_SEARCHED),
  searched: listed(query.get('in'), SEARCHED) ?? ['code', 'deltas', 'ideas'],
  sort: listed(query.get('sort'), TABLE_COLUMNS)?.[0] ?? null,
  descending: query.has('order') ? query.get('order') === 'desc' : null,
  columns: listed(query.get('columns'), TABLE_COLUMNS),
});

/** A text that is searched for is cut to this many characters. */
export const MOST_SEARCHED = 200;

const places = (wanted: readonly string[] | null, known: readonly string[]): readonly number[] | null =>
  wanted === null ? null : wanted.map((name) => known.indexOf(name)).filter((place) => place >= 0);

/** `found` are the rows that a search has found so far. `descends` is the order in which the best score comes first. */
export const rowQueryOf = (
  { outcomes, models, island, step, score, flag, mark, sort, descending }: TableState,
  rows: Rows,
  { found, descends }: { readonly found: Uint32Array | null; readonly descends: boolean },
): RowQuery => ({
  outcomes: places(outcomes, rows.names.outcomes),
  models: places(models, rows.names.models),
  island,
  step,
  score,
  flag,
  found,
  marked: mark === null ? null : chosenMarks(rows, mark),
  sort: sort ?? 'score',
  descending: descending ?? (ranks(sort ?? 'score') ? descends : false),
  modelPlaces: sort === 'model' ? alphabetical(rows.names.models) : null,
  marks: sort === 'mark' ? markedRows(rows) : null,
});

/** The task says which end of it is better. */
export const ranks = (column: TableColumn): boolean => isNumber(column) && numberEntry(column).ranks === true;

const alphabetical = (all: readonly string[]): readonly number[] => {
  const order = [...all.keys()].sort((a, b) => (all[a]! < all[b]! ? -1 : 1));
  return all.map((_, index) => order.indexOf(index));
};

/** The sets of columns that a table needs: those of its columns, of its order and of its filters. */
export const setsFor = (
  { models, sort }: Pick<TableState, 'models' | 'sort'>,
  columns: readonly TableColumn[],
): readonly ColumnSet[] => {
  const names = [...columns, ...(sort === null ? [] : [sort]), ...(models === null ? [] : (['model'] as const))];
  return columnSets.filter((set) => set === 'base' || names.some((name) => Object.hasOwn(COLUMN_SETS[set], name)));
};

export const hasSets = ({ column }: Pick<Rows, 'column'>, sets: readonly ColumnSet[]): boolean =>
  sets.every((set) => Object.keys(COLUMN_SETS[set]).some((name) => name in column));

// The rows of a table and their order. It runs in the page's worker over whole columns, so it uses no objects per row.
// Everything here is pure.
import { numbersIn } from '../../../evolution/reports/program-numbers.ts';
import { type Column, FLAGS } from './columns.ts';
import { isRecord } from './rows.ts';

export type Flag = keyof typeof FLAGS;
/** The columns of the table of programs. Rows are sorted by any of them: by `id` they are in the order of commits. */
export const TABLE_COLUMNS = [
  ...(['id', 'mark', 'step', 'island', 'outcome'] as const),
  ...numbersIn('base'),
  ...numbersIn('features'),
  ...(['parent', 'model'] as const),
  ...numbersIn('paid'),
  ...numbersIn('evaluated'),
  ...(['change', 'record'] as const),
];
export type TableColumn = (typeof TABLE_COLUMNS)[number];

/** A closed range; either end may be open. */
export type Range = readonly [from: number | null, to: number | null];

/** Null everywhere means that nothing is left out for that reason. */
export type RowQuery = {
  readonly outcomes: readonly number[] | null;
  readonly models: readonly number[] | null;
  readonly island: number | null;
  readonly step: Range | null;
  readonly score: Range | null;
  /** Rows that have this flag. */
  readonly flag: Flag | null;
  /** Rows that a search has found, ascending. */
  readonly found: Uint32Array | null;
  /** Rows with the marks that are asked for. */
  readonly marked: ReadonlySet<number> | null;
  readonly sort: TableColumn;
  readonly descending: boolean;
  /** Places of the models by name, where they are sorted by. */
  readonly modelPlaces: readonly number[] | null;
  /** The values of marks by row, where they are sorted by. */
  readonly marks: ReadonlyMap<number, number> | null;
};

export type TableColumns = { readonly rows: number; readonly column: { readonly [name: string]: Column } };

/** The step tells the last of several records of a step. */
const RECORD_COLUMNS = ['flags', 'step'];

/** Columns that a query reads beside the base set, so that only these need to be sent to a worker. */
export const columnsOfQuery = ({ outcomes, models, island, step, score, flag, sort }: RowQuery): readonly string[] => {
  const sorted: readonly string[] =
    sort === 'id' || sort === 'mark' ? [] : sort === 'change' ? ['flags'] : sort === 'record' ? RECORD_COLUMNS : [sort];
  return [
    ...new Set([
      ...(outcomes === null ? [] : ['outcome']),
      ...(models === null ? [] : ['model']),
      ...(island === null ? [] : ['island']),
      ...(step === null ? [] : ['step']),
      ...(score === null ? [] : ['score']),
      ...(flag === null ? [] : flag === 'record' ? RECORD_COLUMNS : ['flags']),
      ...sorted,
    ]),
  ];
};

const within = (values: Column, [from, to]: Range): ((row: number) => boolean) => {
  const [low, high] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
  return (row) => values[row]! >= low && values[row]! <= high;
};

const among = (values: Column, wanted: readonly number[]): ((row: number) => boolean) => {
  const has = new Uint8Array(256);
  for (const one of wanted) has[one] = 1;
  return (row) => has[values[row]!] === 1;
};

const flagged = (columns: TableColumns, flag: Flag): ((row: number) => boolean) =>
  flag === 'record' ? (row) => isRecord(columns, row) : (row) => (columns.column['flags']![row]! & FLAGS[flag]) !== 0;

/** The rows that fit, ascending. */
export const filtered = ({ rows, column }: TableColumns, query: RowQuery): Uint32Array => {
  const { outcomes, models, island, step, score, flag, found, marked } = query;
  const tests: ((row: number) => boolean)[] = [];
  if (outcomes !== null) tests.push(among(column['outcome']!, outcomes));
  if (models !== null) tests.push(among(column['model']!, models));
  if (island !== null) tests.push((row) => column['island']![row] === island);
  if (step !== null) tests.push(within(column['step']!, step));
  if (score !== null) tests.push(within(column['score']!, score));
  if (flag !== null) tests.push(flagged({ rows, column }, flag));
  if (marked !== null) tests.push((row) => marked.has(row));
  const fitting = new Uint32Array(found === null ? rows : found.length);
  let count = 0;
  const all = found?.length ?? rows;
  for (let at = 0; at < all; at++) {
    const row = found === null ? at : found[at]!;
    if (row < rows && tests.every((fits) => fits(row))) fitting[count++] = row;
  }
  return fitting.subarray(0, count);
};

/** NaN where a row has nothing to be sorted by. */
const keysOf = (
  { rows, column }: TableColumns,
  { sort, modelPlaces, marks }: RowQuery,
  order: Uint32Array,
): Float64Array => {
  const keys = new Float64Array(order.length);
  const fill = (of: (row: number) => number): Float64Array => {
    for (let at = 0; at < order.length; at++) keys[at] = of(order[at]!);
    return keys;
  };
  switch (sort) {
    case 'id':
      return fill((row) => row);
    case 'mark':
      return fill((row) => marks?.get(row) ?? Number.NaN);
    case 'parent':
      return fill((row) => (column['parent']![row]! < 0 ? Number.NaN : column['parent']![row]!));
    case 'model':
      return fill((row) => modelPlaces?.[column['model']![row]!] ?? column['model']![row]!);
    case 'change':
    case 'record': {
      const has = flagged({ rows, column }, sort);
      return fill((row) => (has(row) ? 1 : 0));
    }
    default:
      return fill((row) => column[sort]![row]!);
  }
};

/**
 * The rows by their keys, NaN last in both directions, and equal ones in the order in which they are given. A radix
 * sort over the bits of the numbers: it takes the same time whatever their order, and about a tenth of a sort that
 * compares.
 */
export const sorted = (order: Uint32Array, keys: Float64Array, descending: boolean): Uint32Array => {
  const { length } = order;
  const bits = new Uint32Array(2 * length);
  const floats = new Float64Array(bits.buffer);
  for (let at = 0; at < length; at++) floats[at] = keys[at]! + 0;
  // Little-endian, as every browser is: the low half comes first.
  const flip = descending ? 0xffffffff : 0;
  for (let at = 0; at < length; at++) {
    const high = bits[2 * at + 1]!;
    if (Number.isNaN(keys[at]!)) {
      bits[2 * at] = 0xffffffff;
      bits[2 * at + 1] = 0xffffffff;
    } else if (high >>> 31 === 1) {
      bits[2 * at] = ~bits[2 * at]! ^ flip;
      bits[2 * at + 1] = ~high ^ flip;
    } else {
      bits[2 * at] = bits[2 * at]! ^ flip;
      bits[2 * at + 1] = (high | 0x80000000) ^ flip;
    }
  }
  let from = new Uint32Array(length);
  for (let at = 0; at < length; at++) from[at] = at;
  let to = new Uint32Array(length);
  const counts = new Uint32Array(65_537);
  for (const [half, shift] of [
    [0, 0],
    [0, 16],
    [1, 0],
    [1, 16],
  ] as const) {
    counts.fill(0);
    for (let at = 0; at < length; at++) counts[((bits[2 * at + half]! >>> shift) & 0xffff) + 1]!++;
    // All alike in these bits.
    if (length > 0 && counts[((bits[half]! >>> shift) & 0xffff) + 1] === length) continue;
    for (let value = 0; value < 65_536; value++) counts[value + 1]! += counts[value]!;
    for (let at = 0; at < length; at++) {
      const place = from[at]!;
      to[counts[(bits[2 * place + half]! >>> shift) & 0xffff]!++] = place;
    }
    [from, to] = [to, from];
  }
  for (let at = 0; at < length; at++) to[at] = order[from[at]!]!;
  return to;
};

export const orderOf = (columns: TableColumns, query: RowQuery): Uint32Array => {
  const rows = filtered(columns, query);
  if (query.sort !== 'id') return sorted(rows, keysOf(columns, query, rows), query.descending);
  return query.descending ? rows.slice().reverse() : rows.slice();
};

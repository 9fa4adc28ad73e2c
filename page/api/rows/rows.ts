// The rows of a run as a page holds them: the columns of several answers put together, and what follows from them (ids,
// parents, children, records). Everything here is pure. The columns grow in place, behind what earlier views of them
// show.
import { firstIndex } from '../../../evolution/binary-search.ts';
import { programId } from '../../../evolution/ids.ts';
import type { ColumnType } from '../../../evolution/reports/program-numbers.ts';
import { type Column, type Columns, type COLUMN_TYPES, type ColumnSet, FLAGS } from './columns.ts';

/** The columns of one set or of several. Each is exactly `rows` long; behind it may be room for more. */
export type Rows = {
  readonly lineage: string;
  readonly rows: number;
  /** Rows that the server knows of. */
  readonly total: number;
  /** `more` if a higher score is better; null where nothing was valid so far. */
  readonly better: 'more' | 'less' | null;
  readonly names: Names;
  readonly column: { readonly [name: string]: Column };
};
type Names = {
  readonly owners: readonly string[];
  readonly outcomes: readonly string[];
  readonly models: readonly string[];
  readonly features: readonly string[];
  /** The texts of people's marks (page/api/rows/marks.ts). */
  readonly marks?: readonly string[];
};

/** Without `from` all that is stored; else what comes after, if the lineage is still this one. */
export const columnsPath = (run: string, set: ColumnSet, after: Rows | null = null): string => {
  const more = after === null ? '' : `&from=${after.rows}&lineage=${encodeURIComponent(after.lineage)}`;
  return `runs/${encodeURIComponent(run)}/columns?set=${set}${more}`;
};

const longer = (before: readonly string[], now: readonly string[]): readonly string[] =>
  now.length >= before.length ? now : before;

/**
 * The rows with an answer behind them. Null where the two do not fit, so that everything is to be asked for again:
 * the answer is of another lineage and does not begin with the first row, or leaves out rows.
 */
export const appended = (before: Rows | null, { header, column }: Columns): Rows | null => {
  const { lineage, from, rows: more, total, better, owners, outcomes, models, features } = header;
  const kept = before !== null && before.lineage === lineage ? before : null;
  if (from > (kept?.rows ?? 0)) return null;
  const rows = from + more;
  // An answer that came late and tells nothing new.
  if (kept !== null && rows <= kept.rows) return kept;
  const joined: { [name: string]: Column } = {};
  for (const { name } of header.columns) joined[name] = grown(kept?.column[name], column[name]!, from);
  const names: Names = {
    owners: longer(kept?.names.owners ?? [], owners),
    outcomes: longer(kept?.names.outcomes ?? [], outcomes),
    models: longer(kept?.names.models ?? [], models),
    features: longer(kept?.names.features ?? [], features),
  };
  return { lineage, rows, total: Math.max(total, rows), better, names, column: joined };
};

/**
 * A column with values behind it, from row `from` on; rows that it has already are not written again, because other
 * views show them. Room is doubled when it is used up, so that a run that grows by single rows copies each about once.
 */
export const grown = (kept: Column | undefined, added: Column, from: number): Column => {
  const Type = added.constructor as (typeof COLUMN_TYPES)[ColumnType];
  const size = Type.BYTES_PER_ELEMENT;
  const have = kept?.length ?? 0;
  const rows = from + added.length;
  const room = kept instanceof Type ? (kept.buffer.byteLength - kept.byteOffset) / size : 0;
  let whole: Column;
  if (kept instanceof Type && room >= rows) whole = new Type(kept.buffer as ArrayBuffer, kept.byteOffset, rows);
  else {
    whole = new Type(new ArrayBuffer(size * (have === 0 ? rows : 2 * rows)), 0, rows);
    if (kept !== undefined) whole.set(kept);
  }
  whole.set(added.subarray(Math.max(0, have - from)), Math.max(have, from));
  return whole;
};

const cut = (columns: Rows['column'], rows: number): { [name: string]: Column } =>
  Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [name, values.length === rows ? values : values.subarray(0, rows)]),
  );

/** Null until every set is there, and while they are of different lineages. Rows that one set lacks are left out. */
export const beside = (sets: readonly (Rows | null)[]): Rows | null => {
  const there = sets.filter((set) => set !== null);
  const first = there[0];
  if (first === undefined || there.length < sets.length || there.some(({ lineage }) => lineage !== first.lineage))
    return null;
  const rows = Math.min(...there.map((set) => set.rows));
  return {
    lineage: first.lineage,
    rows,
    total: Math.max(...there.map(({ total }) => total)),
    better: there.find(({ better }) => better !== null)?.better ?? null,
    names: there
      .map(({ names }) => names)
      .reduce((all, names) => ({
        owners: longer(all.owners, names.owners),
        outcomes: longer(all.outcomes, names.outcomes),
        models: longer(all.models, names.models),
        features: longer(all.features, names.features),
      })),
    column: Object.assign({}, ...there.map(({ column }) => cut(column, rows))) as Rows['column'],
  };
};

/** The column of this name. Throws where its set was not asked for. */
export const columnOf = ({ column }: Pick<Rows, 'column'>, name: string): Column => {
  const values = column[name];
  if (values === undefined)
    throw new TypeError(`column ${name}: expected a set of columns that holds it to be asked for`);
  return values;
};

export const idOf = (rows: Rows, row: number): string =>
  programId(
    rows.names.owners[columnOf(rows, 'owner')[row]!] ?? '',
    columnOf(rows, 'named')[row]!,
    columnOf(rows, 'epoch')[row]!,
    columnOf(rows, 'slot')[row]!,
  );

const ID = /^(.+):(\d{1,9}):(\d{1,5}):(\d{1,9})$/s;

/** The first row whose step is at least this; the steps of rows never fall. */
export const firstOfStep = (rows: Rows, step: number): number => {
  const steps = columnOf(rows, 'step');
  return firstIndex(rows.rows, (row) => steps[row]! >= step);
};

/** -1 where no row has this id. `step`, where it is known, is that of the commit, and makes it faster. */
export const rowOf = (rows: Rows, id: string, step?: number): number => {
  const [, run, ...numbers] = ID.exec(id) ?? [];
  const at = run === undefined ? -1 : rows.names.owners.indexOf(run);
  if (at < 0) return -1;
  const [named, epoch, slot] = numbers.map(Number);
  const [owner, names, epochs, slots] = ['owner', 'named', 'epoch', 'slot'].map((name) => columnOf(rows, name));
  const from = firstOfStep(rows, step ?? named!);
  const until = step === undefined ? rows.rows : firstOfStep(rows, step + 1);
  for (let row = from; row < until; row++)
    if (names![row] === named && slots![row] === slot && epochs![row] === epoch && owner![row] === at) return row;
  return -1;
};

/** -1 for a program without one, and where it is not among these rows. */
export const parentOf = (rows: Rows, row: number): number => {
  const parent = columnOf(rows, 'parent')[row] ?? -1;
  return parent < rows.rows ? parent : -1;
};

/** From the root down to the parent. */
export const ancestorsOf = (rows: Rows, row: number): readonly number[] => {
  const found: number[] = [];
  // A parent is committed before its children; what says otherwise is not followed, so that this ends.
  for (let [at, child] = [parentOf(rows, row), row]; at >= 0 && at < child; [at, child] = [parentOf(rows, at), at])
    found.push(at);
  return found.reverse();
};

/** The children of one row, by one pass. */
export const childrenOfRow = (rows: Rows, of: number): readonly number[] => {
  const parents = columnOf(rows, 'parent');
  const found: number[] = [];
  for (let row = of + 1; row < rows.rows; row++) if (parents[row] === of) found.push(row);
  return found;
};

/** Records are asked for by `isRecord`. */
export const hasFlag = (rows: Rows, row: number, flag: Exclude<keyof typeof FLAGS, 'record'>): boolean =>
  (columnOf(rows, 'flags')[row]! & FLAGS[flag]) !== 0;

/** The last row of a step that was the best so far: the steps, the plots and the events count so too. */
export const isRecord = ({ column, rows }: Pick<Rows, 'column' | 'rows'>, row: number): boolean => {
  const [flags, steps] = [column['flags']!, column['step']!];
  if ((flags[row]! & FLAGS.record) === 0) return false;
  for (let next = row + 1; next < rows && steps[next] === steps[row]; next++)
    if ((flags[next]! & FLAGS.record) !== 0) return false;
  return true;
};

/** Rows that were the best of the run after their step, oldest first; the last is the best of these rows. */
export const recordsOf = (rows: Rows): readonly number[] => {
  const found: number[] = [];
  for (let row = 0; row < rows.rows; row++) if (isRecord(rows, row)) found.push(row);
  return found;
};

/**
 * Of the steps that compare: the best before a step, and the best of all; -1 where there is none. Another version of the
 * task scores otherwise.
 */
export const bestsBeside = (
  rows: Rows,
  step: number,
  [from, end]: readonly [from: number, before: number | null],
): readonly [before: number, best: number] => {
  const stepOf = (row: number): number => columnOf(rows, 'step')[row]!;
  const bests = recordsOf(rows).filter((row) => stepOf(row) >= from && (end === null || stepOf(row) < end));
  return [bests.findLast((row) => stepOf(row) < step) ?? -1, bests.at(-1) ?? -1];
};

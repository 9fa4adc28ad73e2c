// GET runs/<run>/marks: the marks that people put on programs of a run, by program; and these marks as a column beside
// the rows of a run, by which its table is sorted and filtered.
import { markText, type SetMark } from '../../../evolution/steering/base/people.ts';
import { rowOf, type Rows } from './rows.ts';

export type ProgramMarks = { readonly [program: string]: SetMark };

const hasStar = (text: string): boolean => text.startsWith('★');

/** The rows with a column `mark`: 0 for none, else 1 and a place in `names.marks`, in which starred ones come first. */
export const withMarks = (rows: Rows, marks: ProgramMarks): Rows => {
  const column = new Uint16Array(rows.rows);
  const names = [...new Set(Object.values(marks).map(markText))].sort(
    (a, b) => Number(hasStar(b)) - Number(hasStar(a)) || (a < b ? -1 : 1),
  );
  for (const [program, mark] of Object.entries(marks)) {
    const row = rowOf(rows, program);
    if (row >= 0) column[row] = names.indexOf(markText(mark)) + 1;
  }
  return { ...rows, names: { ...rows.names, marks: names }, column: { ...rows.column, mark: column } };
};

export const markOfRow = ({ names, column }: Rows, row: number): string =>
  names.marks?.[(column['mark']?.[row] ?? 0) - 1] ?? '';

/** The marked rows with the values of the column. They are few, so that a query has all of them. */
export const markedRows = ({ column }: Rows): ReadonlyMap<number, number> => {
  const marked = new Map<number, number>();
  column['mark']?.forEach((value, row) => {
    if (value > 0) marked.set(row, value);
  });
  return marked;
};

const ANY = 'any';

/** What the filter can ask for. */
export const markChoices = (names: readonly string[]): readonly string[] => [ANY, ...names];

/** The marked rows that fit a choice. */
export const chosenMarks = (rows: Rows, wanted: string): ReadonlySet<number> =>
  new Set([...markedRows(rows).keys()].filter((row) => wanted === ANY || markOfRow(rows, row) === wanted));

// Finds the delta sections of an answer and reads their fields, tolerantly (DeltaEvolve Figure 5). It is linear:
// patterns are anchored, and no two neighbouring repetitions take the same character.
import { cutTo, TEXT_LIMITS } from '../edits/limits.ts';
import type { DeltaSummary, Modification } from './delta.ts';

export type SectionKind = 'summary' | 'plan';

/** A line of the answer, or a part of a line that holds text beside a delimiter. */
export type Piece = { readonly text: string; readonly line: number };

/** The pieces from `first` to `end - 1`. A section without END runs to the next START or the end. */
export type Section = {
  readonly kind: SectionKind;
  readonly complete: boolean;
  readonly first: number;
  readonly end: number;
};

/** A line of a delimiter alone, in any case, with `-`, `_` or blanks between the words, and Markdown around it. */
const OWN_LINE = /^[\s>*_`~#=+-]*delta[\s_-]+(summary|plan(?:[\s_-]+details)?)[\s_-]+(start|end)[\s*_`~#=:-]*$/i;

/** Beside text only the literal form counts, and a START only before a label: prose may speak of delimiters. */
const BESIDE_TEXT = /(#DELTA-(?:SUMMARY|PLAN-DETAILS)-(?:START(?=[ \t]*(?:FROM:|TO:|COMPONENT:|\[Modification))|END))/;

export const piecesOf = (answer: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  for (const [line, text] of answer.split('\n').entries()) {
    if (!text.includes('#DELTA-') || OWN_LINE.test(text)) pieces.push({ text, line });
    else for (const part of text.split(BESIDE_TEXT)) if (part !== '') pieces.push({ text: part, line });
  }
  return pieces;
};

/** The sections in their order; no two overlap. */
export const sectionsOf = (pieces: readonly Piece[]): readonly Section[] => {
  const sections: Section[] = [];
  let open: { readonly kind: SectionKind; readonly first: number } | null = null;
  for (const [index, { text }] of pieces.entries()) {
    const delimiter = delimiterOf(text);
    if (delimiter === null || (delimiter.edge === 'end' && open?.kind !== delimiter.kind)) continue;
    if (open !== null)
      sections.push({ ...open, complete: delimiter.edge === 'end', end: delimiter.edge === 'end' ? index + 1 : index });
    open = delimiter.edge === 'start' ? { kind: delimiter.kind, first: index } : null;
  }
  if (open !== null) sections.push({ ...open, complete: false, end: pieces.length });
  return sections;
};

/** The lines between the delimiters, without their ends. */
export const contentOf = (pieces: readonly Piece[], { first, end }: Section): readonly string[] =>
  pieces
    .slice(first + 1, end)
    .filter(({ text }) => delimiterOf(text) === null)
    .map(({ text }) => (text.endsWith('\r') ? text.slice(0, -1) : text));

const delimiterOf = (text: string): { readonly kind: SectionKind; readonly edge: 'start' | 'end' } | null => {
  const [, name, edge] = OWN_LINE.exec(text) ?? [];
  if (name === undefined || edge === undefined) return null;
  return {
    kind: name.toLowerCase() === 'summary' ? 'summary' : 'plan',
    edge: edge.toLowerCase() === 'start' ? 'start' : 'end',
  };
};

/** Reads the labels and entry headers at the beginning of the lines of one kind of section. */
type LabelReader = {
  /** Cuts a line before each further label. Within a line only the literal form of a label, after a blank, counts. */
  readonly cut: (line: string) => readonly string[];
  /** The label of a line and what follows it; null where it has none. */
  readonly read: (line: string) => { readonly label: string; readonly value: string } | null;
};

/** Labels such as OLD_LOGIC, read in any case, with blanks or `-` for `_`, in bold, lists, quotes or headings. */
const labelReader = (names: readonly string[]): LabelReader => {
  const tolerant = names.map((name) => name.replaceAll('_', '[ \\t_-]+')).join('|');
  const atStart = new RegExp(
    `^[\\s>#+-]*(?:\\d+[.)][ \\t]*)?(?:\\*[ \\t]+)?([*_\`]*)(${tolerant})([*_\`]*)[ \\t]*[:：](.*)$`,
    'is',
  );
  const within = new RegExp(`[ \\t](?=\\*{0,2}(?:${names.join('|')}):|\\[Modification \\d)`);
  return {
    cut: (line) => {
      const [first = '', second, ...others] = line.split(within);
      // A list mark or an indentation belongs to the label behind it.
      return second !== undefined && LEAD.test(first)
        ? [`${first} ${second}`, ...others]
        : second === undefined
          ? [first]
          : [first, second, ...others];
    },
    read: (line) => {
      const [, opening, name, closing, value] = atStart.exec(line) ?? [];
      if (name === undefined || value === undefined) return null;
      return {
        label: name.toUpperCase().replace(/[ \t_-]+/g, '_'),
        value: opening && !closing ? withoutMark(value, opening) : value,
      };
    },
  };
};

const LEAD = /^[\s>#+*_`-]*(?:\d+[.)])?$/;

/** `[Modification 2]` and anything; without brackets its number, and then nothing, a colon or a dash. */
const HEADER =
  /^[\s>#*_`+-]*(?:\[\s*modification(?:[\s_#-]*\d+)?\s*\]|modification[\s_#-]*\d+(?=[*_`]*[ \t]*(?:$|[:.)–—-])))[*_`]*[ \t]*[:.)–—-]?(.*)$/is;

/** The text behind the header of an entry; null where the line is none. */
const afterHeader = (line: string): string | null => HEADER.exec(line)?.[1] ?? null;

/** Bold or code that opened before the label ends after its colon (`**TO:** x`) or with the line (`**TO: x**`). */
const withoutMark = (value: string, mark: string): string => {
  const text = value.trim();
  if (text.startsWith(mark)) return text.slice(mark.length);
  return text.endsWith(mark) ? text.slice(0, -mark.length) : text;
};

// The labels of the two kinds of section. What stands under them is cut only far beyond the length of honest answers,
// and says so.
const SUMMARY = labelReader(['FROM', 'TO']);
const PLAN = labelReader(['COMPONENT', 'OLD_LOGIC', 'NEW_LOGIC', 'HYPOTHESIS']);

/** The lines under each label, in order. TITLE holds what stands before the first label. */
type Entry = Map<string, string[]>;
const TITLE = '';

/** Null for a section without a `TO`. */
export const readSummary = (lines: readonly string[]): DeltaSummary | null => {
  const entry: Entry = new Map();
  let label = TITLE;
  for (const line of lines.flatMap(SUMMARY.cut)) {
    const labelled = SUMMARY.read(line);
    if (labelled !== null) label = labelled.label;
    add(entry, label, labelled?.value ?? line);
  }
  const to = valueOf(entry, 'TO');
  return to === '' ? null : { from: valueOf(entry, 'FROM'), to };
};

/** Entries without a `NEW_LOGIC` are left out. Text beside the number stands in for a missing component. */
export const readPlan = (lines: readonly string[]): readonly Modification[] => {
  const entries: Entry[] = [new Map()];
  let label = TITLE;
  const open = (): void => {
    entries.push(new Map());
    label = TITLE;
  };
  for (const line of lines.flatMap(PLAN.cut)) {
    const title = afterHeader(line);
    if (title !== null) open();
    const text = title ?? line;
    const labelled = PLAN.read(text);
    if (labelled?.label === 'COMPONENT' && entries.at(-1)!.has('COMPONENT')) open();
    if (labelled !== null) label = labelled.label;
    add(entries.at(-1)!, label, labelled?.value ?? text);
  }
  const all = entries.map(modificationOf).filter(({ newLogic }) => newLogic !== '');
  const more = all.length - TEXT_LIMITS.modifications;
  if (more <= 0) return all;
  const mark = { component: '', oldLogic: '', newLogic: `[${more} more modifications are cut]`, hypothesis: '' };
  return [...all.slice(0, TEXT_LIMITS.modifications), mark];
};

const modificationOf = (entry: Entry, index: number): Modification => ({
  component: valueOf(entry, 'COMPONENT') || (index === 0 ? '' : titleOf(entry)),
  oldLogic: valueOf(entry, 'OLD_LOGIC'),
  newLogic: valueOf(entry, 'NEW_LOGIC'),
  hypothesis: valueOf(entry, 'HYPOTHESIS'),
});

const add = (entry: Entry, label: string, text: string): void => {
  const lines = entry.get(label);
  if (lines) lines.push(text);
  else entry.set(label, [text]);
};

/** The text under a label on one line. Echoes of the template count as empty: text in angle brackets, lone dots. */
const valueOf = (entry: Entry, label: string): string => {
  const text = (entry.get(label) ?? [])
    .filter((line) => !isFurniture(line.trim()))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /^(?:<[^<>]*>|[.… ]+)$/.test(text) ? '' : cutTo(text, TEXT_LIMITS.deltaFieldChars);
};

/** A remark in brackets, such as "(if applicable)", is no name. */
const titleOf = (entry: Entry): string => {
  const title = valueOf(entry, TITLE);
  let [first, end] = [0, title.length];
  while (first < end && MARKS.has(title[first]!)) first++;
  while (first < end && MARKS.has(title[end - 1]!)) end--;
  return title[first] === '(' ? '' : title.slice(first, end);
};

const MARKS: ReadonlySet<string> = new Set('*_` ');

/** Fences and rulers around or within a section. */
const isFurniture = (line: string): boolean => /^(?:(?:`{3,}|~{3,})[ \t]?[\w+-]*|(?:[-*_] ?){3,})$/.test(line);

// From the lines of a delta section to its fields (DeltaEvolve, section 2, Parser 4 to 7). Called by parse.ts. Nothing is cut for length.
import type { DeltaSummary, Modification } from './delta.ts';
import { afterHeader, labelReader } from './labels.ts';

const SUMMARY = labelReader(['FROM', 'TO']);
const PLAN = labelReader(['COMPONENT', 'OLD_LOGIC', 'NEW_LOGIC', 'HYPOTHESIS']);

/** Lines of each label, in order; TITLE: what stands before the first label. */
type Entry = Map<string, string[]>;
const TITLE = '';

/** Null without a `TO`. */
export const readSummary = (lines: readonly string[]): DeltaSummary | null => {
  const entry: Entry = new Map();
  let label = TITLE;
  for (const line of lines.flatMap(SUMMARY.cut)) {
    const read = SUMMARY.read(line);
    if (read !== null) label = read.label;
    add(entry, label, read?.value ?? line);
  }
  const to = valueOf(entry, 'TO');
  return to === '' ? null : { from: valueOf(entry, 'FROM'), to };
};

/** Entries without a `NEW_LOGIC` are left out. What an entry's header says beside its number names the component where no label does. */
export const readPlan = (lines: readonly string[]): readonly Modification[] => {
  const entries: Entry[] = [new Map()];
  let label = TITLE;
  const open = (): void => { entries.push(new Map()); label = TITLE; };
  for (const line of lines.flatMap(PLAN.cut)) {
    const title = afterHeader(line);
    if (title !== null) open();
    const text = title ?? line;
    const read = PLAN.read(text);
    if (read?.label === 'COMPONENT' && entries.at(-1)!.has('COMPONENT')) open();
    if (read !== null) label = read.label;
    add(entries.at(-1)!, label, read?.value ?? text);
  }
  return entries.map(modificationOf).filter(({ newLogic }) => newLogic !== '');
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

/** One line. Template echoes count as empty: text in angle brackets, lone dots. */
const valueOf = (entry: Entry, label: string): string => {
  const text = (entry.get(label) ?? []).filter((line) => !isFurniture(line.trim())).join(' ').replace(/\s+/g, ' ').trim();
  return /^(?:<[^<>]*>|[.… ]+)$/.test(text) ? '' : text;
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

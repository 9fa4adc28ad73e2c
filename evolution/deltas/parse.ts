// Splits an answer into its delta and the rest for its edits (DeltaEvolve 4.2, Figure 5; docs/methods/deltaevolve.md).
// The delta is cut out first, so that markers quoted in it never touch code.
import type { RunConfig } from '../config/run-config.ts';
import { type StyleName, styleOf } from '../config/styles.ts';
import { readAnswer } from '../edits/diff.ts';
import { TEXT_LIMITS } from '../edits/limits.ts';
import { type Delta, deltaOf } from './delta.ts';
import {
  contentOf,
  type Piece,
  piecesOf,
  readPlan,
  readSummary,
  type Section,
  type SectionKind,
  sectionsOf,
} from './sections.ts';

/** `rest` is the answer without its delta sections, byte for byte. */
type ParsedDelta = { readonly delta: Delta; readonly rest: string };

/**
 * The last complete section of a kind with real content wins, else the last one without an END. These are cut out.
 * Never throws; time and memory are linear in the answer.
 */
export const parseDelta = (answer: string): ParsedDelta => {
  const pieces = piecesOf(answer);
  const sections = sectionsOf(pieces);
  const summary = winner(sections, 'summary', (section) => readSummary(contentOf(pieces, section)));
  const plan = winner(sections, 'plan', (section) => nonEmpty(readPlan(contentOf(pieces, section))));
  const cut = sections.filter((section) => section.complete || section === summary.section || section === plan.section);
  return { delta: deltaOf(summary.value, plan.value ?? []), rest: cut.length === 0 ? answer : without(pieces, cut) };
};

/** `section` is the one whose END is missing, where it is the one that is read. */
type Winner<T> = { readonly section: Section | null; readonly value: T | null };

const winner = <T>(
  sections: readonly Section[],
  kind: SectionKind,
  read: (section: Section) => T | null,
): Winner<T> => {
  const own = sections.filter((section) => section.kind === kind);
  for (const section of own.toReversed()) {
    const value = section.complete ? read(section) : null;
    if (value !== null) return { section: null, value };
  }
  const last = own.at(-1);
  return last === undefined || last.complete ? { section: null, value: null } : { section: last, value: read(last) };
};

const nonEmpty = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

/** A line goes too when nothing but blanks is left of it. */
const without = (pieces: readonly Piece[], cut: readonly Section[]): string => {
  const lines: string[] = [];
  let next = 0;
  for (let index = 0; index < pieces.length;) {
    const { line } = pieces[index]!;
    let text = '';
    let whole = true;
    for (; pieces[index]?.line === line; index++) {
      while (next < cut.length && index >= cut[next]!.end) next++;
      if (next < cut.length && index >= cut[next]!.first) whole = false;
      else text += pieces[index]!.text;
    }
    if (whole || text.trim() !== '') lines.push(text);
  }
  return lines.join('\n');
};

/** Stands for an answer that held nothing but its delta: it is an answer without blocks, not an empty one. */
const NOTHING_BUT_A_DELTA = '(delta)';

/** `response` is what the edits are read from. `delta` is null where the style asks for none. */
export const splitAnswer = (
  response: string,
  config: { readonly prompt: { readonly style: StyleName }; readonly diff: Pick<RunConfig['diff'], 'parse'> },
): { readonly response: string; readonly delta: Delta | null } => {
  if (!styleOf(config).asksForDelta) return { response, delta: null };
  const answer = readAnswer(response, config.diff.parse);
  // The early checks refuse such an answer, and say so.
  if (answer.length > TEXT_LIMITS.answerChars) return { response, delta: deltaOf(null, []) };
  const { delta, rest } = parseDelta(answer);
  return { response: answer.trim() === '' ? response : rest.trim() === '' ? NOTHING_BUT_A_DELTA : rest, delta };
};

// Writes edits as SEARCH/REPLACE blocks that match uniquely and lie strictly between the EVOLVE-BLOCK markers. The
// result is null when the edits change nothing or cannot be written safely.
import { edited, type Edit } from './edit.ts';
import type { Program } from './program.ts';

type Span = { first: number; end: number };

const UNSAFE = /^(?:<{7} SEARCH|={7}|>{7} REPLACE)\s*$|EVOLVE-BLOCK|^# === FILE: |<\/?think>/;

export function writeBlocks(program: Program, edits: readonly Edit[]): string | null {
  if (edits.length === 0) return null;
  const child = edited(program.lines, edits, 0, program.lines.length);
  if (equal(child, program.lines)) return null;
  const separate = mergeSpans(edits.map((edit) => widen(program, edit)));
  const whole = mergeSpans([
    widen(program, { first: Math.min(...edits.map((e) => e.first)), end: Math.max(...edits.map((e) => e.end)) }),
  ]);
  for (const spans of [separate, whole]) {
    const blocks = spans?.map((span) => ({
      search: program.lines.slice(span.first, span.end),
      replace: edited(program.lines, edits, span.first, span.end),
    }));
    if (blocks === undefined || blocks.some((b) => [...b.search, ...b.replace].some((line) => UNSAFE.test(line))))
      continue;
    const applied = blocks.reduce<readonly string[] | null>(
      (lines, b) => lines && replaceFirst(lines, b.search, b.replace),
      program.lines,
    );
    if (applied !== null && equal(applied, child)) return blocks.map(formatBlock).join('\n\n');
  }
  return null;
}

function formatBlock(block: { search: readonly string[]; replace: readonly string[] }): string {
  return ['<<<<<<< SEARCH', ...block.search, '=======', ...block.replace, '>>>>>>> REPLACE'].join('\n');
}

/**
 * Grows a span inside the open region until it begins and ends with text, occurs once in the file and leaves
 * something in its place.
 */
function widen(program: Program, edit: Span & { readonly lines?: readonly string[] }): Span | null {
  const { lines } = program;
  const blank = (at: number): boolean => (lines[at] ?? '').trim() === '';
  let { first, end } = edit;
  const grow = (up: boolean): boolean => {
    if (up && first > program.first) {
      first -= 1;
      return true;
    }
    if (!up && end < program.end) {
      end += 1;
      return true;
    }
    return false;
  };
  const unfit = (): boolean =>
    first === end ||
    blank(first) ||
    blank(end - 1) ||
    (edit.lines?.length === 0 && first === edit.first && end === edit.end) ||
    occurrences(lines, first, end) > 1;
  for (let up = true; unfit(); up = !up) {
    const preferUp = first === end ? up : blank(first) || (!blank(end - 1) && up);
    if (!grow(preferUp) && !grow(!preferUp)) return null;
  }
  return { first, end };
}

function occurrences(lines: readonly string[], first: number, end: number): number {
  let count = 0;
  for (let at = 0; at + (end - first) <= lines.length; at += 1)
    if (matchesAt(lines, at, lines.slice(first, end))) count += 1;
  return count;
}

function matchesAt(lines: readonly string[], at: number, search: readonly string[]): boolean {
  return search.every((line, offset) => lines[at + offset]?.trimEnd() === line.trimEnd());
}

function mergeSpans(spans: readonly (Span | null)[]): readonly Span[] | null {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => (a?.first ?? 0) - (b?.first ?? 0))) {
    if (span === null) return null;
    const last = merged.at(-1);
    if (last !== undefined && span.first <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

function replaceFirst(
  lines: readonly string[],
  search: readonly string[],
  replace: readonly string[],
): readonly string[] | null {
  for (let at = 0; at + search.length <= lines.length; at += 1) {
    if (matchesAt(lines, at, search)) return [...lines.slice(0, at), ...replace, ...lines.slice(at + search.length)];
  }
  return null;
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

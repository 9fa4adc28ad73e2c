// The Markdown of a chat prompt: its headings and fenced texts, and from these the parent to mutate and the other
// programs shown. Reading is linear in the length of the text.

/** The text between two fence lines; `heading` is the nearest heading-like line above that stands in no fence. */
type Fence = {
  readonly language: string;
  readonly text: string;
  readonly heading: string;
  readonly line: number;
  readonly end: number;
};
/** Headings of the first level, such as `# Task`, that stand in no fence. */
type Heading = { readonly title: string; readonly line: number };
export type Outline = {
  readonly lines: readonly string[];
  readonly fences: readonly Fence[];
  readonly headings: readonly Heading[];
};

/** A fence closes with at least as many marks as it opened with. Without such a line it takes the rest of the text. */
export function outlineOf(text: string): Outline {
  const lines = text.split(/\r?\n/);
  const fences: Fence[] = [],
    headings: Heading[] = [];
  let heading = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const opening = /^(`{3,}|~{3,})[ \t]*([\w+-]*)$/.exec(line.trimEnd());
    if (opening === null) {
      if (/^(?:#{1,6}\s|[-=]{3,}|\*\*)|:\s*$/.test(line)) heading = line;
      if (line.startsWith('# ')) headings.push({ title: line.slice(2).trim(), line: at });
      continue;
    }
    const marks = opening[1] ?? '```';
    const closes = (other: string): boolean =>
      other.startsWith(marks) && other.trimEnd().replaceAll(marks.charAt(0), '') === '';
    let end = at + 1;
    while (end < lines.length && !closes(lines[end] ?? '')) end += 1;
    fences.push({
      language: (opening[2] ?? '').toLowerCase(),
      text: lines.slice(at + 1, end).join('\n'),
      heading,
      line: at,
      end,
    });
    at = end;
  }
  return { lines, fences, headings };
}

/** Lines that stand in no fence, fence lines left out. */
export function unfenced({ lines, fences }: Outline): readonly string[] {
  const starts = [0, ...fences.map(({ end }) => end + 1)];
  return starts.flatMap((start, index) => lines.slice(start, fences[index]?.line ?? lines.length));
}

export type PromptPrograms = { readonly parent: string | null; readonly others: readonly string[] };

const LANGUAGES = new Set(' python py python3 c cpp rust go fortran r javascript java julia'.split(' '));
const SEARCH = /^<{7} SEARCH\s*$/;

/**
 * The parent is the last fenced program under a heading that says "current program". Without one it is the last under a
 * heading that says "previous program", else the last with EVOLVE-BLOCK-START, else the last before the edit rules.
 * Fences with SEARCH/REPLACE markers are examples and count as none of these.
 */
export function readPrompt(text: string): PromptPrograms {
  const { lines, fences } = outlineOf(text);
  const rules = lines.findIndex((line) => SEARCH.test(line));
  const programs = fences.filter(
    (fence) => LANGUAGES.has(fence.language) && !/^<{7} SEARCH\s*$/m.test(fence.text) && fence.text.trim() !== '',
  );
  const parent =
    programs.findLast((fence) => /current\s+program/i.test(fence.heading)) ??
    programs.findLast((fence) => /previous\s+program/i.test(fence.heading)) ??
    programs.findLast((fence) => fence.text.includes('EVOLVE-BLOCK-START')) ??
    programs.findLast((fence) => rules < 0 || fence.line < rules) ??
    programs.at(-1);
  return {
    parent: parent?.text ?? null,
    others: programs.filter((fence) => fence !== parent && fence.text !== parent?.text).map((fence) => fence.text),
  };
}

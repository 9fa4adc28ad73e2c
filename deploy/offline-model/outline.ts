// A prompt's Markdown: its headings and fenced texts. Read by prompt.ts and role.ts. Linear in the length of the text.

/** The text between two fence lines; `heading` is the nearest heading-like line above that stands in no fence. */
export type Fence = { readonly language: string; readonly text: string; readonly heading: string; readonly line: number; readonly end: number };
/** Headings of the first level, such as `# Task`, that stand in no fence. */
export type Heading = { readonly title: string; readonly line: number };
export type Outline = { readonly lines: readonly string[]; readonly fences: readonly Fence[]; readonly headings: readonly Heading[] };

/** A fence closes with at least as many of its own marks; without such a line it takes the rest. */
export function outlineOf(text: string): Outline {
  const lines = text.split(/\r?\n/);
  const fences: Fence[] = [], headings: Heading[] = [];
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
    const closes = (other: string): boolean => other.startsWith(marks) && other.trimEnd().replaceAll(marks.charAt(0), '') === '';
    let end = at + 1;
    while (end < lines.length && !closes(lines[end] ?? '')) end += 1;
    fences.push({ language: (opening[2] ?? '').toLowerCase(), text: lines.slice(at + 1, end).join('\n'), heading, line: at, end });
    at = end;
  }
  return { lines, fences, headings };
}

/** Lines that stand in no fence, fence lines left out. */
export function unfenced({ lines, fences }: Outline): readonly string[] {
  const starts = [0, ...fences.map(({ end }) => end + 1)];
  return starts.flatMap((start, index) => lines.slice(start, fences[index]?.line ?? lines.length));
}

// Reads the programs out of a chat prompt: the parent to mutate and the other programs shown. Called by answer.ts.

export type PromptPrograms = { readonly parent: string | null; readonly others: readonly string[] };

type Fence = { readonly language: string; readonly text: string; readonly heading: string; readonly line: number };

const LANGUAGES = new Set(['', 'python', 'py', 'python3']);

/**
 * The parent is the last fenced program under a heading that says "current program"; else the last with EVOLVE-BLOCK-START;
 * else the last before the edit rules. Fences with SEARCH/REPLACE markers are examples, not programs.
 */
export function readPrompt(text: string): PromptPrograms {
  const lines = text.split(/\r?\n/);
  const rules = lines.findIndex((line) => /^<{7} SEARCH\s*$/.test(line));
  const programs = fences(lines).filter((fence) => LANGUAGES.has(fence.language) && !/^<{7} SEARCH\s*$/m.test(fence.text) && fence.text.trim() !== '');
  const parent = programs.findLast((fence) => /current\s+program/i.test(fence.heading))
    ?? programs.findLast((fence) => fence.text.includes('EVOLVE-BLOCK-START'))
    ?? programs.findLast((fence) => rules < 0 || fence.line < rules) ?? programs.at(-1);
  return { parent: parent?.text ?? null, others: programs.filter((fence) => fence !== parent && fence.text !== parent?.text).map((fence) => fence.text) };
}

/** Fenced code blocks; a fence closes with at least as many of its own marks. The heading is the nearest non-fenced heading-like line above. */
function fences(lines: readonly string[]): readonly Fence[] {
  const found: Fence[] = [];
  let heading = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const opening = /^(`{3,}|~{3,})\s*([\w+-]*)\s*$/.exec(line);
    if (opening === null) {
      if (/^(?:#{1,6}\s|[-=]{3,}|\*\*)|:\s*$/.test(line)) heading = line;
      continue;
    }
    const marks = opening[1] ?? '```';
    const end = lines.findIndex((other, index) => index > at && other.startsWith(marks) && other.trimEnd().replaceAll(marks.charAt(0), '') === '');
    const stop = end < 0 ? lines.length : end;
    found.push({ language: (opening[2] ?? '').toLowerCase(), text: lines.slice(at + 1, stop).join('\n'), heading, line: at });
    at = stop;
  }
  return found;
}

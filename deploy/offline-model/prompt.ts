// Reads the programs out of a chat prompt: the parent to mutate and the other programs shown. Called by role.ts.
import { outlineOf } from './outline.ts';

export type PromptPrograms = { readonly parent: string | null; readonly others: readonly string[] };

const LANGUAGES = new Set(['', 'python', 'py', 'python3']);
const SEARCH = /^<{7} SEARCH\s*$/;

/**
 * The parent is the last fenced program under a heading that says "current program"; else the last under one that says "previous program";
 * else the last with EVOLVE-BLOCK-START; else the last before the edit rules. Fences with SEARCH/REPLACE markers are examples, not programs.
 */
export function readPrompt(text: string): PromptPrograms {
  const { lines, fences } = outlineOf(text);
  const rules = lines.findIndex((line) => SEARCH.test(line));
  const programs = fences.filter((fence) => LANGUAGES.has(fence.language) && !/^<{7} SEARCH\s*$/m.test(fence.text) && fence.text.trim() !== '');
  const parent = programs.findLast((fence) => /current\s+program/i.test(fence.heading))
    ?? programs.findLast((fence) => /previous\s+program/i.test(fence.heading))
    ?? programs.findLast((fence) => fence.text.includes('EVOLVE-BLOCK-START'))
    ?? programs.findLast((fence) => rules < 0 || fence.line < rules) ?? programs.at(-1);
  return { parent: parent?.text ?? null, others: programs.filter((fence) => fence !== parent && fence.text !== parent?.text).map((fence) => fence.text) };
}

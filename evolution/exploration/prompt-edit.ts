// Edits of a prompt between `# PROMPT-BLOCK-START` and `# PROMPT-BLOCK-END`, by SEARCH/REPLACE (CodeEvolve 4.2,
// Appendix D; docs/methods/codeevolve.md, Prompts).
import type { DiffSettings } from '../config/run-config.ts';
import { applyBlocks } from '../edits/apply.ts';
import { type Block, parseBlocks, readAnswer } from '../edits/diff.ts';
import { withoutLastNewlines } from '../edits/language.ts';
import { TEXT_LIMITS, tooLong } from '../edits/limits.ts';

export const PROMPT_START = '# PROMPT-BLOCK-START';
export const PROMPT_END = '# PROMPT-BLOCK-END';

const START = /^\s*#\s*PROMPT-BLOCK-START\b/;
const END = /^\s*#\s*PROMPT-BLOCK-END\b/;

/** The initial prompt: the text as it is where it holds markers, else with all of it open. */
export const openPrompt = (text: string): string =>
  isOpen(text) ? text : `${PROMPT_START}\n${withoutLastNewlines(text)}\n${PROMPT_END}\n`;

/** True for a prompt that may be edited. */
export const isOpen = (text: string): boolean => linesOf(text).some(isMarker);

/** The prompt as a model reads it that writes programs: without the lines of the markers, the rest byte for byte. */
export const withoutPromptMarkers = (prompt: string): string =>
  linesOf(prompt)
    .filter((line) => !isMarker(line))
    .join('\n');

export type PromptEdit = {
  /** The new prompt; the given one where `reason` is not null. */
  readonly text: string;
  /** Why there is no new prompt; null where there is one. */
  readonly reason: string | null;
};

/** The text outside the open part, markers included, stays the same to the byte. */
export const editPrompt = (prompt: string, response: string, { parse }: Pick<DiffSettings, 'parse'>): PromptEdit => {
  const kept = (reason: string): PromptEdit => ({ text: prompt, reason });
  const answer = readAnswer(response, parse);
  const length = tooLong('the answer', answer, TEXT_LIMITS.answerChars);
  if (length !== null) return kept(length);
  const blocks = parseBlocks(answer);
  if (blocks.length === 0) return kept('no SEARCH/REPLACE block in the answer');
  if (blocks.length * prompt.length > TEXT_LIMITS.searchSteps)
    return kept(`${blocks.length} blocks are too many for a prompt of ${prompt.length} characters`);
  let parts = partsOf(prompt);
  if (typeof parts === 'string') return kept(parts);
  for (const [index, block] of blocks.entries()) {
    const edited = editParts(parts, block);
    if (typeof edited === 'string') return kept(`block ${index + 1}: ${edited}`);
    parts = edited;
  }
  const text = parts.flatMap(({ lines }) => lines).join('\n');
  const tooLarge = tooLong('the edited prompt', text, Math.max(TEXT_LIMITS.promptChars, prompt.length));
  if (tooLarge !== null) return kept(tooLarge);
  if (withoutBlanks(text) === withoutBlanks(prompt)) return kept('the edits change nothing');
  if (parts.every(({ open, lines }) => !open || lines.every((line) => line.trim() === '')))
    return kept('the edits leave nothing in the PROMPT-BLOCK');
  return { text, reason: null };
};

/** The lines of a prompt that are open together, or closed together. The marker lines are in the closed parts. */
type Part = { readonly open: boolean; readonly lines: readonly string[] };

/** Closed and open parts in turn, beginning with a closed one; or what is wrong with the markers. */
const partsOf = (prompt: string): readonly Part[] | string => {
  const parts: Part[] = [];
  let open = false;
  let lines: string[] = [];
  const end = (): void => {
    parts.push({ open, lines });
    lines = [];
    open = !open;
  };
  for (const line of linesOf(prompt)) {
    if (START.test(line)) {
      if (open) return 'a PROMPT-BLOCK begins before the one above has ended';
      lines.push(line);
      end();
    } else if (END.test(line)) {
      if (!open) return 'a PROMPT-BLOCK ends that has not begun';
      end();
      lines.push(line);
    } else lines.push(line);
  }
  if (open) return 'a PROMPT-BLOCK has no end';
  end();
  return parts.length === 1 ? 'the prompt has no PROMPT-BLOCK' : parts;
};

/** The first open part that has the lines is edited. */
const editParts = (parts: readonly Part[], block: Block): readonly Part[] | string => {
  if ([...block.search, ...block.replace].some(isMarker))
    return 'contains a marker: the PROMPT-BLOCK lines stay as they are';
  if (block.search.every((line) => line.trim() === '')) return 'empty SEARCH';
  for (const [index, part] of parts.entries()) {
    if (!part.open) continue;
    const { applied, code } = applyBlocks(part.lines.join('\n'), [block], { enforceBlock: false, strict: true });
    if (applied > 0) return parts.with(index, { open: true, lines: code === '' ? [] : linesOf(code) });
  }
  return 'no match: the PROMPT-BLOCK has no such lines';
};

const isMarker = (line: string): boolean => START.test(line) || END.test(line);

/** Line ends other than LF stay in the lines. */
const linesOf = (text: string): readonly string[] => text.split('\n');

const withoutBlanks = (text: string): string =>
  linesOf(text)
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();

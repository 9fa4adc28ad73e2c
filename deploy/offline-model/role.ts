// The wish of a request, read from the headings and markers of its prompt: programs, an idea, a judgement, an edited
// prompt, notes, or the log of a patch. Whatever is not recognised is a request for a program.
import { type Outline, outlineOf, type PromptPrograms, readPrompt, unfenced } from './prompt.ts';
import type { AskedMessage } from './request.ts';

/** The delta sections at the end of the answer. */
export type DeltasWanted = { readonly summary: boolean; readonly plan: boolean };

export type Asked =
  | { readonly kind: 'judge'; readonly idea: string }
  | { readonly kind: 'idea'; readonly programs: PromptPrograms }
  | { readonly kind: 'meta'; readonly prompt: string }
  | { readonly kind: 'notes'; readonly programs: PromptPrograms }
  /** The question is whether two programs differ in a way that matters. */
  | { readonly kind: 'novelty' }
  /** The request is for a delta that an earlier answer left out, and shows only the patch. */
  | { readonly kind: 'deltas'; readonly wanted: DeltasWanted; readonly patch: string }
  | {
      readonly kind: 'program';
      readonly programs: PromptPrograms;
      readonly deltas: DeltasWanted;
      /** The answer is a whole program in a fence. */
      readonly whole: boolean;
      /** The mutation operator that the proposal to carry out names. */
      readonly operator: string | null;
    };

/** The last user message says what is to be done; rules stand in the system message, too. */
export function askedIn(messages: readonly AskedMessage[]): Asked {
  const last = (messages.findLast(({ role }) => role === 'user') ?? messages.at(-1))?.content ?? '';
  const idea = judgedIdea(last);
  if (idea !== null) return { kind: 'judge', idea };
  const outline = outlineOf(last);
  const { headings, fences } = outline;
  const [first, final] = [headings[0]?.title, headings.at(-1)?.title];
  const has = (title: string): boolean => headings.some((heading) => heading.title === title);
  if (first === 'Current prompt' && fences[0] !== undefined) return { kind: 'meta', prompt: fences[0].text };
  if (final === 'What to write' && has('Newest programs')) return { kind: 'notes', programs: readPrompt(last) };
  if (final === 'Question' && has('Proposed program')) return { kind: 'novelty' };
  if (final === 'Your task' && has('Current Proposal') && has('Current Program'))
    return { kind: 'idea', programs: readPrompt(last) };
  const rules = messages
    .filter(({ role }) => role !== 'assistant')
    .map(({ content }) => content)
    .filter((text) => text !== last)
    .map(outlineOf);
  const deltas = deltasWanted([...rules, outline]);
  const patch = fences.find(({ language, heading }) => language === 'diff' && heading === '# Patch');
  if (patch !== undefined && (deltas.summary || deltas.plan))
    return { kind: 'deltas', wanted: deltas, patch: patch.text };
  const own = readPrompt(last);
  const programs = own.parent === null ? readPrompt(messages.map(({ content }) => content).join('\n')) : own;
  return { kind: 'program', programs, deltas, whole: asksForWhole([...rules, outline]), operator: operatorIn(outline) };
}

/** The reviewer's template says \boxed{} before the proposal, so the proposal is what follows. */
function judgedIdea(text: string): string | null {
  const [template = '', ...rest] = text.split(/^The proposal:[ \t]*\r?$/m);
  if (rest.length === 0 || !template.includes('\\boxed{}') || /^(?:#{1,6}\s|`{3}|~{3})/m.test(template)) return null;
  return text.slice(text.indexOf('The proposal:', template.length) + 'The proposal:'.length).trim();
}

function deltasWanted(outlines: readonly Outline[]): DeltasWanted {
  const lines = new Set(outlines.flatMap((outline) => unfenced(outline).map((line) => line.trim())));
  return { summary: lines.has('#DELTA-SUMMARY-START'), plan: lines.has('#DELTA-PLAN-DETAILS-START') };
}

/** True if the prompt shows no form of an edit and asks for the whole program. */
function asksForWhole(outlines: readonly Outline[]): boolean {
  if (outlines.some(({ lines }) => lines.some((line) => /^<{7} SEARCH\s*$/.test(line)))) return false;
  return outlines.some((outline) =>
    unfenced(outline).some((line) =>
      /\b(?:whole|complete|full|entire|rewritten|new)\s+(?:python\s+|improved\s+|new\s+)?program\b|\brewrite\b/i.test(
        line,
      ),
    ),
  );
}

/** An idea of the offline model names an operator. In some prompts the idea stands as a quotation. */
function operatorIn(outline: Outline): string | null {
  const named = unfenced(outline).findLast((line) => /^(?:> ?)?Operator: [a-z ]+\.\s*$/.test(line));
  return named === undefined
    ? null
    : named
        .replace(/^(?:> ?)?Operator: /, '')
        .trimEnd()
        .slice(0, -1);
}

// An idea from the answer to its carrying out: proposal, score and gate (AlphaResearch Eq. 1, Algorithm 1, Appendix B;
// docs/methods/alpharesearch.md, The gate).
import type { RunConfig } from '../config/run-config.ts';
import { modelsFor } from '../models/ensemble.ts';

/** A line that opens or closes a Markdown fence; nothing on it is text. */
const FENCE_LINE = /^\s*(?:`{3,}[^`]*$|~{3,}(?!~).*$)/;

/** The answer without reasoning, trimmed and without fence lines. An empty one ends the round as `idea_failed`. */
export const parseIdea = (answer: string): string =>
  answer
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !FENCE_LINE.test(line))
    .join('\n')
    .trim();

/** What an idea is to change, where it may choose. */
const BASE = /^[\s*_#`]*base\s*[:=][\s*_`]*(best|current)\b[^\n]*(?:\n|$)/i;

/** The program that an idea names in its first line, and the idea without that line; null where it names none. */
export const baseIn = (idea: string): { readonly base: 'best' | 'current' | null; readonly idea: string } => {
  const [line, base = null] = BASE.exec(idea) ?? [];
  const rest = line === undefined ? idea : idea.slice(line.length).trim();
  return base === null || rest === ''
    ? { base: null, idea }
    : { base: base.toLowerCase() as 'best' | 'current', idea: rest };
};

/** Stands for the score of an answer without a valid box (AlphaResearch Appendix B). */
export const UNPARSED = -1;

/** The highest score; the lowest is 0. */
export const HIGHEST_SCORE = 10;

const BOX = /\\boxed\s*\{([^{}]*)\}/g;
const SCORE = /^(\d+(\.\d+)?|\.\d+)$/;

/** The score of 0 to 10 in the last box that holds one; -1 without one. `answer` comes without the reasoning. */
export const parseVerdict = (answer: string): number => {
  const scores = [...answer.matchAll(BOX)]
    .map(([, inside = '']) => inside.trim())
    .filter((inside) => SCORE.test(inside))
    .map(Number)
    .filter((score) => score <= HIGHEST_SCORE);
  return scores.at(-1) ?? UNPARSED;
};

/** The gate of ideas (AlphaResearch Algorithm 1, lines 5 to 7). The initial idea is scored and never gated. */
type GateSettings = {
  /** `on`: ideas below the threshold are not carried out. `off`: no judge. `shadow`: a score that rejects nothing. */
  readonly gate: 'on' | 'off' | 'shadow';
  /** A score of 0 to 10; a score equal to it passes. */
  readonly threshold: number;
};

export const GATE_DEFAULTS: GateSettings = { gate: 'on', threshold: 5.5 };

/** The verdict on an idea. All but `pass` are outcomes of a round. */
export type Verdict = 'pass' | 'rejected' | 'unparsed' | 'rm_failed';

type Decision = {
  /** Anything but `pass` ends the round. */
  readonly verdict: Verdict;
  /** The verdict of a gate that is `on`; null with `off`. The report on a shadow gate reads it. */
  readonly would: Verdict | null;
};

/** `score` is -1 without a readable one, null without a judge. A gate that is `on` lets neither pass. */
export const decideGate = (score: number | null, { gate, threshold }: GateSettings): Decision => {
  if (gate === 'off') return { verdict: 'pass', would: null };
  const would = verdictOn(score, threshold);
  return { verdict: gate === 'on' ? would : 'pass', would };
};

const verdictOn = (score: number | null, threshold: number): Verdict => {
  if (score === null) return 'rm_failed';
  if (!(score >= 0 && score <= HIGHEST_SCORE)) return 'unparsed';
  return score >= threshold ? 'pass' : 'rejected';
};

/** Notes on a run's judges, since nothing shows whether a model was trained as one (AlphaResearch Table 2). */
export const judgeNotes = (config: Pick<RunConfig, 'model' | 'models' | 'ideation'>): readonly string[] =>
  config.ideation.kind === 'none' || config.ideation.gate === 'off'
    ? []
    : modelsFor(config, 'judge').map(({ kind, name }) =>
        kind === 'offline'
          ? 'ideas are judged by the offline model: a seeded score, no judgement; a control without a language model'
          : config.ideation.judge !== 'prompted'
            ? `ideas are judged by ${name}, asked in the form in which reward models are trained${config.ideation.judge === 'published' ? ', in the words of the paper' : ''} (ideation.judge)`
            : `ideas are judged by ${name}: a prompt-only judge, a stand-in, unless it was trained as a reward model (docs/prompts.md, Judges of ideas)`,
      );

/**
 * The initial idea is scored and never gated (docs/methods/alpharesearch.md, A round). In the common frame there is
 * none: requests say that nobody proposed the initial program.
 */
export const judgesInitialIdea = ({
  ideation: { kind, gate },
  prompt: { frame },
}: {
  readonly ideation: Pick<RunConfig['ideation'], 'kind' | 'gate'>;
  readonly prompt: Pick<RunConfig['prompt'], 'frame'>;
}): boolean => kind === 'proposal' && gate !== 'off' && frame === 'paper';

// From the idea model's answer to an idea (AlphaResearch Eq. 1, Appendix B).
import type { RunConfig } from '../config/run-config.ts';
import { modelsFor } from '../models/ensemble.ts';

/** A line that opens or closes a Markdown fence: nothing of it is text. */
const FENCE_LINE = /^\s*(`{3,}[^`]*|~{3,}.*)$/;

/**
 * The answer, trimmed and without fence lines, however long. Empty: the round ends as `idea_failed`. `answer`:
 * without the reasoning (readAnswer).
 */
export const parseIdea = (answer: string): string =>
  answer
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !FENCE_LINE.test(line))
    .join('\n')
    .trim();

// The score in a reward model's answer (AlphaResearch Appendix B; docs/methods/alpharesearch.md, The gate).
/** What an answer without a valid box amounts to. */
export const UNPARSED = -1;

/** The highest score; the lowest is 0. */
export const HIGHEST_SCORE = 10;

const BOX = /\\boxed\s*\{([^{}]*)\}/g;
const SCORE = /^(\d+(\.\d+)?|\.\d+)$/;

/**
 * 0 .. 10, of the last box that holds one (digits, decimals, blanks around them); else -1. `answer`: without the
 * reasoning (readAnswer).
 */
export const parseVerdict = (answer: string): number => {
  const scores = [...answer.matchAll(BOX)]
    .map(([, inside = '']) => inside.trim())
    .filter((inside) => SCORE.test(inside))
    .map(Number)
    .filter((score) => score <= HIGHEST_SCORE);
  return scores.at(-1) ?? UNPARSED;
};

// Whether an idea is carried out (AlphaResearch Algorithm 1, lines 5 to 7; docs/methods/alpharesearch.md, The gate).
// The initial idea is scored and never gated.
type GateSettings = {
  /**
   * `on`: ideas below the threshold are not carried out. `off`: nobody asks the reward model. `shadow`: it scores and
   * never rejects.
   */
  readonly gate: 'on' | 'off' | 'shadow';
  /** Score, 0 .. 10; equality passes. */
  readonly threshold: number;
};

export const GATE_DEFAULTS: GateSettings = { gate: 'on', threshold: 5.5 };

/** All but `pass` are outcomes of a round (rounds.ts). */
export type Verdict = 'pass' | 'rejected' | 'unparsed' | 'rm_failed';

type Decision = {
  /** What happens: anything but `pass` ends the round. */
  readonly verdict: Verdict;
  /** What a gate that is `on` says; null with `off`. Stored with the round, for the report on a shadow gate. */
  readonly would: Verdict | null;
};

/** `score`: of parseVerdict, -1 where the answer has none; null: the reward model could not be asked (fails closed). */
export const decideGate = (score: number | null, { gate, threshold }: GateSettings): Decision => {
  if (gate === 'off') return { verdict: 'pass', would: null };
  const would =
    score === null
      ? 'rm_failed'
      : !(score >= 0 && score <= HIGHEST_SCORE)
        ? 'unparsed'
        : score >= threshold
          ? 'pass'
          : 'rejected';
  return { verdict: gate === 'on' ? would : 'pass', would };
};

// What to say of a run's judges before it begins: whether a model was trained as a reward model cannot be seen
// (AlphaResearch Table 2).
export const judgeNotes = (config: Pick<RunConfig, 'model' | 'models' | 'ideation'>): readonly string[] =>
  config.ideation.kind === 'none' || config.ideation.gate === 'off'
    ? []
    : modelsFor(config, 'judge').map(({ kind, name }) =>
        kind === 'offline'
          ? 'ideas are judged by the offline model: a seeded score, no judgement; a control without a language model'
          : `ideas are judged by ${name}: a prompt-only judge, a stand-in, unless it was trained as a reward model (docs/prompts.md, Judges of ideas)`,
      );

/** Whether the initial idea is scored, which is never gated (docs/methods/alpharesearch.md, A round). */
export const judgesInitialIdea = ({ ideation: { kind, gate } }: Pick<RunConfig, 'ideation'>): boolean =>
  kind === 'proposal' && gate !== 'off';

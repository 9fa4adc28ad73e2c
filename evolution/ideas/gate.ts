// Whether an idea is carried out (AlphaResearch, section 2, Gate; section 3, gate test, RM error, untrained RM). Called once an idea is
// scored. The initial idea is scored and never gated.
import { HIGHEST_SCORE } from './verdict.ts';

export type GateSettings = {
  /** `on`: ideas below the threshold are not carried out. `off`: nobody asks the reward model. `shadow`: it scores and never rejects. */
  readonly gate: 'on' | 'off' | 'shadow';
  /** Score, 0 .. 10; equality passes. */
  readonly threshold: number;
};

export const GATE_DEFAULTS: GateSettings = { gate: 'on', threshold: 5.5 };

/** All but `pass` are outcomes of a round (rounds.ts). */
export type Verdict = 'pass' | 'rejected' | 'unparsed' | 'rm_failed';

export type Decision = {
  /** What happens: anything but `pass` ends the round. */
  readonly verdict: Verdict;
  /** What a gate that is `on` says; null with `off`. Stored with the round, for the report on a shadow gate. */
  readonly would: Verdict | null;
};

/** `score`: of parseVerdict, -1 where the answer has none; null: the reward model could not be asked (fails closed). */
export const decideGate = (score: number | null, { gate, threshold }: GateSettings): Decision => {
  if (gate === 'off') return { verdict: 'pass', would: null };
  const would = score === null ? 'rm_failed' : !(score >= 0 && score <= HIGHEST_SCORE) ? 'unparsed' : score >= threshold ? 'pass' : 'rejected';
  return { verdict: gate === 'on' ? would : 'pass', would };
};

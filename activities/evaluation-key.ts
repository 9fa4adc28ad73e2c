// The key of an evaluation: equivalent programs share one (ThetaEvolve: equal siblings, one evaluation).
import type { RunId } from '../evolution/types.ts';

export type EvaluationIdentity = { readonly run: RunId; readonly normHash: string; readonly evaluatorDigest: string; readonly seed: number };

/** `run:program:evaluator:seed`; digests are cut to 32 hexadecimal digits (128 bits). */
export const evaluationKey = ({ run, normHash, evaluatorDigest, seed }: EvaluationIdentity): string =>
  `${run}:${normHash.slice(0, 32)}:${evaluatorDigest.slice(0, 32)}:${seed}`;

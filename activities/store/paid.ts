// What a run has paid for, and the epoch under which a step asks for responses. Pure; called by activities, the fence and resampling.
import type { Paid } from '../interface.ts';
import type { EpochStart, RunDocument } from './documents.ts';

/** In the order in which they were asked for: a later one holds from its step on, whatever earlier ones said. */
export const epochAt = (epochs: readonly EpochStart[], step: number): number => epochs.findLast((start) => start.step <= step)?.epoch ?? 0;

/** The committed steps, and what was set aside and is not among them again. Tokens are in and out together. */
export const paidSoFar = (run: Pick<RunDocument, 'totals' | 'setAside' | 'epochs' | 'committedStep'>): Paid => {
  const gone = run.setAside.filter(({ step, epoch }) => step > run.committedStep || epochAt(run.epochs, step) !== epoch);
  return [run.totals, ...gone].reduce<Paid>((sum, { programs, tokens, costUsd }) => ({
    programs: sum.programs + programs, tokens: sum.tokens + tokens.in + tokens.out, costUsd: sum.costUsd + costUsd,
  }), { programs: 0, tokens: 0, costUsd: 0 });
};

// The sums that a run has paid, and the epoch under which a step asks for responses.
import type { Paid } from '../../../evolution/budget/money.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import type { Usage } from '../../../evolution/types.ts';
import type { EpochStart, RunDocument, SetAside, UnansweredSum } from '../documents/documents.ts';

/** A later epoch holds from its step on, whatever earlier ones said. */
export const epochAt = (epochs: readonly EpochStart[], step: number): number =>
  epochs.findLast((start) => start.step <= step)?.epoch ?? 0;

/** The sums that a run has paid. Each answer counts in one of `committed`, `setAside` and `unanswered`, once. */
export type Money = {
  /** The sum of the four below: what limits on tokens and cost are held against. */
  readonly paid: Paid;
  /** The tokens of `paid`. */
  readonly tokens: { readonly in: number; readonly out: number };
  readonly committed: Paid;
  /** Answers of steps that a rewind or a resampling set aside, and that no committed step has used since. */
  readonly setAside: Paid;
  readonly unanswered: Paid;
  /** The cost of training the run's policies, and no tokens: these are the responses' own, counted there. */
  readonly training: Paid;
  /** The part of `committed` that was set aside once: its steps were done again from stored answers, at no cost. */
  readonly reused: Paid;
};

const NOTHING: Paid = { programs: 0, tokens: 0, costUsd: 0 };
const NO_USAGE: Usage = { in: 0, out: 0 };

type Amount = Pick<UnansweredSum, 'tokens' | 'costUsd'> & { readonly programs?: number };

/** Tokens are input and output together. */
const sumOfAmounts = (all: readonly Amount[]): Paid =>
  all.reduce<Paid>(
    (sum, { programs = 0, tokens, costUsd }) => ({
      programs: sum.programs + programs,
      tokens: sum.tokens + tokens.in + tokens.out,
      costUsd: sum.costUsd + costUsd,
    }),
    NOTHING,
  );

/**
 * The one place where a run's money is counted. A step that was set aside and is committed again under the same epoch
 * has the same answers, which are in the totals.
 */
export const moneyOf = (
  run: Pick<RunDocument, 'totals' | 'setAside' | 'epochs' | 'committedStep' | 'unanswered' | 'training'>,
  without: Pick<UnansweredSum, 'tokens' | 'costUsd'> | undefined = run.unanswered,
): Money => {
  const isReused = ({ step, epoch }: SetAside): boolean =>
    step <= run.committedStep && epochAt(run.epochs, step) === epoch;
  const gone = run.setAside.filter((one) => !isReused(one));
  const open = without === undefined ? [] : [{ tokens: without.tokens, costUsd: without.costUsd }];
  const trained = run.training === undefined ? [] : [{ tokens: NO_USAGE, costUsd: run.training.costUsd }];
  const all = [run.totals, ...gone, ...open, ...trained];
  return {
    paid: sumOfAmounts(all),
    tokens: { in: sumOf(all.map(({ tokens }) => tokens.in)), out: sumOf(all.map(({ tokens }) => tokens.out)) },
    committed: sumOfAmounts([run.totals]),
    setAside: sumOfAmounts(gone),
    unanswered: sumOfAmounts(open),
    training: sumOfAmounts(trained),
    reused: sumOfAmounts(run.setAside.filter(isReused)),
  };
};

/** Everything that was paid for (moneyOf). */
export const paidSoFar = (...of: Parameters<typeof moneyOf>): Paid => moneyOf(...of).paid;

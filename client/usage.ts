// What a run's tokens went to: by model, by role and by step, added up from the answers that are stored. What `evolve
// usage` shows.
import type { RunDocument } from '../activities/store/documents.ts';
import { eachPaid, type PaidAnswer, type PaidFor, paidSoFar } from '../activities/store/paid.ts';
import type { Store } from '../activities/store/store.ts';
import { firstReached, type StopReason } from '../evolution/budget/limits.ts';
import { addUsage, priceOf } from '../evolution/budget/money.ts';
import type { Limits } from '../evolution/config/run-config.ts';
import { modelPool } from '../evolution/models/ensemble.ts';
import type { Direction, Usage } from '../evolution/types.ts';

/** `answers`: responses, calls of stages, embeddings. */
export type UsageSum = { readonly answers: number; readonly tokens: Usage; readonly costUsd: number };

export type UsageReport = {
  readonly run: string;
  /** Of all committed steps: as the run's totals. */
  readonly total: UsageSum;
  /** By the name in the settings; dearest first. */
  readonly models: readonly (UsageSum & { readonly model: string })[];
  readonly roles: readonly (UsageSum & { readonly role: PaidFor })[];
  readonly steps: readonly (UsageSum & { readonly step: number })[];
  /** What steps that were given up had cost: limits count it. */
  readonly givenUp: { readonly tokens: number; readonly costUsd: number };
  /** Models of the run whose price is not known: their tokens count as free. */
  readonly unpriced: readonly string[];
};

const ROLES: readonly PaidFor[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair', 'embedding'];
const NOTHING: UsageSum = { answers: 0, tokens: { in: 0, out: 0 }, costUsd: 0 };

export const usageOf = async (store: Store, document: RunDocument): Promise<UsageReport> => {
  const { run, config, totals } = document;
  let total = NOTHING;
  const models = new Map<string, UsageSum>();
  const roles = new Map<PaidFor, UsageSum>();
  const steps: UsageReport['steps'][number][] = [];
  for await (const { step, answers } of eachPaid(store, run)) {
    let sum = NOTHING;
    for (const entry of answers) {
      sum = plus(sum, entry);
      models.set(entry.model, plus(models.get(entry.model) ?? NOTHING, entry));
      roles.set(entry.role, plus(roles.get(entry.role) ?? NOTHING, entry));
    }
    total = {
      answers: total.answers + sum.answers,
      tokens: addUsage(total.tokens, sum.tokens),
      costUsd: total.costUsd + sum.costUsd,
    };
    steps.push({ step, ...sum });
  }
  const paid = paidSoFar(document);
  return {
    run,
    total,
    steps,
    models: [...models]
      .map(([model, sum]) => ({ model, ...sum }))
      .sort((a, b) => b.costUsd - a.costUsd || all(b.tokens) - all(a.tokens) || (a.model < b.model ? -1 : 1)),
    roles: ROLES.flatMap((role) => (roles.has(role) ? [{ role, ...roles.get(role)! }] : [])),
    givenUp: {
      tokens: Math.max(0, paid.tokens - all(totals.tokens)),
      costUsd: Math.max(0, paid.costUsd - totals.costUsd),
    },
    unpriced: [
      ...modelPool(config)
        .filter((model) => priceOf(model) === null)
        .map(({ name }) => name),
      ...(config.embedding.model !== null && config.embedding.price === null ? [config.embedding.model] : []),
    ],
  };
};

const all = ({ in: read, out }: Usage): number => read + out;

const plus = (sum: UsageSum, { usage, costUsd }: PaidAnswer): UsageSum => ({
  answers: sum.answers + 1,
  tokens: addUsage(sum.tokens, usage),
  costUsd: sum.costUsd + costUsd,
});

// Whether a run with these limits would end again at once.
/** The limit that is reached already, if any. `direction` null (the task is gone): the target score is left out. */
export const alreadyReached = (
  run: RunDocument,
  limits: Limits,
  direction: Direction | null,
  now: Date,
): StopReason | null => {
  const { config, committedStep, totals, best, createdAt } = run;
  if (committedStep < 0) return null;
  const paid = paidSoFar(run);
  const made = Math.max(1, paid.programs);
  return firstReached(
    limits,
    {
      steps: committedStep,
      programs: totals.programs,
      tokens: paid.tokens,
      costUsd: paid.costUsd,
      wallSeconds: (now.getTime() - createdAt.getTime()) / 1000,
      sinceBest: totals.sinceBest,
      best: direction === null ? null : (best?.score ?? null),
    },
    { programs: config.batch * config.responses, tokens: paid.tokens / made, costUsd: paid.costUsd / made },
    direction ?? 'maximise',
  );
};

// What a run's tokens went to: by model, by role and by step, added up from the answers that are stored. What `evolve usage` shows.
// Called by run-handle.ts.
import { eachPaid, type PaidAnswer, type PaidFor } from '../../activities/llm/paid-answers.ts';
import type { RunDocument } from '../../activities/store/documents.ts';
import { paidSoFar } from '../../activities/store/paid.ts';
import type { Store } from '../../activities/store/store.ts';
import { modelPool } from '../../evolution/config/models.ts';
import { priceOf } from '../../evolution/config/prices.ts';
import type { Usage } from '../../evolution/types.ts';
import { addUsage } from '../../evolution/usage.ts';

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
    total = { answers: total.answers + sum.answers, tokens: addUsage(total.tokens, sum.tokens), costUsd: total.costUsd + sum.costUsd };
    steps.push({ step, ...sum });
  }
  const paid = paidSoFar(document);
  return {
    run, total, steps,
    models: [...models].map(([model, sum]) => ({ model, ...sum })).sort((a, b) => b.costUsd - a.costUsd || all(b.tokens) - all(a.tokens) || (a.model < b.model ? -1 : 1)),
    roles: ROLES.flatMap((role) => (roles.has(role) ? [{ role, ...roles.get(role)! }] : [])),
    givenUp: { tokens: Math.max(0, paid.tokens - all(totals.tokens)), costUsd: Math.max(0, paid.costUsd - totals.costUsd) },
    unpriced: [
      ...modelPool(config).filter((model) => priceOf(model) === null).map(({ name }) => name),
      ...(config.embedding.model !== null && config.embedding.price === null ? [config.embedding.model] : []),
    ],
  };
};

const all = ({ in: read, out }: Usage): number => read + out;

const plus = (sum: UsageSum, { usage, costUsd }: PaidAnswer): UsageSum =>
  ({ answers: sum.answers + 1, tokens: addUsage(sum.tokens, usage), costUsd: sum.costUsd + costUsd });

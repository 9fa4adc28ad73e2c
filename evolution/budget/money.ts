// Sums of tokens, and what they cost.
import type { ModelSettings } from '../config/run-config.ts';
import type { Usage } from '../types.ts';
import { PRICES } from './prices.ts';

/** US dollars; 0 where the price is unknown. Reasoning is part of the completion tokens. */
export const costUsd = (usage: Usage, price: ModelSettings['price']): number => {
  if (price === null) return 0;
  const cached = Math.min(usage.cached ?? 0, usage.in);
  return ((usage.in - cached) * price.in + cached * (price.cached ?? price.in) + usage.out * price.out) / 1e6;
};

/** The price of the model; null where it is unknown. A run that began before prices were stored has that of a list. */
export const priceOf = (model: Pick<ModelSettings, 'name' | 'kind' | 'baseUrl' | 'price'>): ModelSettings['price'] =>
  model.price ?? PRICES.find(model);

/** True for a response whose prompt was paid with the first answer of its request. */
export const inputElsewhere = (usage: Usage): boolean => usage.in === 0 && usage.out > 0;

/** Adds tokens. A count that neither side names stays left out, because it is unknown and not zero. */
export const addUsage = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x + y);

/** The tokens that came after `b` and until `a`. */
export const usageSince = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x - y);

/** The larger of each count. */
export const largerUsage = (a: Usage, b: Usage): Usage => combined(a, b, Math.max);

export const sumUsage = (all: readonly Usage[], before: Usage = { in: 0, out: 0 }): Usage =>
  all.reduce(addUsage, before);

const combined = (a: Usage, b: Usage, of: (x: number, y: number) => number): Usage => ({
  in: of(a.in, b.in),
  out: of(a.out, b.out),
  ...(a.cached === undefined && b.cached === undefined ? {} : { cached: of(a.cached ?? 0, b.cached ?? 0) }),
  ...(a.reasoning === undefined && b.reasoning === undefined
    ? {}
    : { reasoning: of(a.reasoning ?? 0, b.reasoning ?? 0) }),
});

/** Answers whose endpoint named no usage, with our estimate of their tokens, in and out together. */
export type Estimated = { readonly answers: number; readonly tokens: number };

type Counted = { readonly usage: Usage; readonly estimated?: boolean | undefined };

/** `before` with the estimated ones of these answers. */
export const addEstimated = (before: Estimated, answers: readonly Counted[]): Estimated =>
  answers.reduce(
    (sum, { usage, estimated = false }) =>
      estimated ? { answers: sum.answers + 1, tokens: sum.tokens + usage.in + usage.out } : sum,
    before,
  );

/** Everything paid for, rewound steps included: this is what limits on tokens and cost are held against. */
export type Paid = { readonly programs: number; readonly tokens: number; readonly costUsd: number };

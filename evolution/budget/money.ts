// The prices of tokens, and their sums. Default prices are no offers: whoever
// knows the endpoint's price sets `model.price`.
import type { ModelSettings } from '../config/run-config.ts';
import type { Usage } from '../types.ts';

/** US dollars; 0 where the price is unknown. Reasoning is part of the completion tokens. */
export const costUsd = (usage: Usage, price: ModelSettings['price']): number => {
  if (price === null) return 0;
  const cached = Math.min(usage.cached ?? 0, usage.in);
  return ((usage.in - cached) * price.in + cached * (price.cached ?? price.in) + usage.out * price.out) / 1e6;
};

type Price = NonNullable<ModelSettings['price']>;

/**
 * US dollars per million prompt and completion tokens, by the exact name that the model is asked under; where they stand,
 * and in which month they stood there. Most are list prices, from sites that compare them. None is one of cached tokens,
 * so these count like others.
 */
export const PRICE_LISTS: readonly {
  readonly source: string;
  readonly asOf: string;
  readonly prices: { readonly [name: string]: Price };
}[] = [
  {
    source: "CodeEvolve's published experiments",
    asOf: '2026-11',
    prices: {
      'gemini-2.5-flash': { in: 0.3, out: 2.5 },
      'gemini-2.5-pro': { in: 1.25, out: 10 },
      'qwen3-coder-30b': { in: 0.08, out: 0.29 },
      'gpt-4.1': { in: 2, out: 8 },
      'gpt-oss-20b': { in: 0.07, out: 0.3 },
      'claude-sonnet-4-5': { in: 3, out: 15 },
      'o4-mini': { in: 1.1, out: 4.4 },
    },
  },
  {
    source: "OpenAI's list, by deploybase.ai",
    asOf: '2026-03',
    prices: { 'gpt-5-mini': { in: 0.25, out: 2 }, 'o3-mini': { in: 1.1, out: 4.4 } },
  },
  {
    source: "Google's list, by anttisahla.com",
    asOf: '2026-05',
    prices: { 'gemini-2.5-flash-lite': { in: 0.1, out: 0.4 } },
  },
];

/** The list that has a price of the model. */
export const priceListOf = (name: string): (typeof PRICE_LISTS)[number] | undefined =>
  PRICE_LISTS.find(({ prices }) => Object.hasOwn(prices, name));

/** The price that was set, else that of a list; null where it is unknown. */
export const priceOf = (model: Pick<ModelSettings, 'name' | 'kind' | 'price'>): Price | null =>
  model.price ?? defaultPrice(model);

/** The price of a list; null where a price was set, or no list has one. */
export const defaultPrice = ({ name, kind, price }: Pick<ModelSettings, 'name' | 'kind' | 'price'>): Price | null =>
  price === null && kind === 'openai' ? (priceListOf(name)?.prices[name] ?? null) : null;

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

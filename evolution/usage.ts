// Sums of tokens. What an endpoint never named stays left out: it is not zero. Called where steps are committed, rebuilt, given up and shown.
import type { Usage } from './types.ts';

export const addUsage = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x + y);

/** What came after `b` until `a`. */
export const usageSince = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x - y);

/** The larger of each. */
export const largerUsage = (a: Usage, b: Usage): Usage => combined(a, b, Math.max);

export const sumUsage = (all: readonly Usage[], before: Usage = { in: 0, out: 0 }): Usage => all.reduce(addUsage, before);

const combined = (a: Usage, b: Usage, of: (x: number, y: number) => number): Usage => ({
  in: of(a.in, b.in), out: of(a.out, b.out),
  ...(a.cached === undefined && b.cached === undefined ? {} : { cached: of(a.cached ?? 0, b.cached ?? 0) }),
  ...(a.reasoning === undefined && b.reasoning === undefined ? {} : { reasoning: of(a.reasoning ?? 0, b.reasoning ?? 0) }),
});

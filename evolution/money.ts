// What tokens cost. Called where a response is stored.
import type { ModelSettings } from './config/run-config.ts';
import type { Usage } from './types.ts';

/** US dollars; 0 where the price is unknown. Prices are per million tokens. Reasoning is part of what is written. */
export const costUsd = (usage: Usage, price: ModelSettings['price']): number => {
  if (price === null) return 0;
  const cached = Math.min(usage.cached ?? 0, usage.in);
  return ((usage.in - cached) * price.in + cached * (price.cached ?? price.in) + usage.out * price.out) / 1e6;
};

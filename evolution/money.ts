// What tokens cost. Called where a response is stored.
import type { ModelSettings } from './config/run-config.ts';
import type { Usage } from './types.ts';

/** US dollars; 0 where the price is unknown. Prices are per million tokens. */
export const costUsd = (usage: Usage, price: ModelSettings['price']): number =>
  (price === null ? 0 : (usage.in * price.in + usage.out * price.out) / 1e6);

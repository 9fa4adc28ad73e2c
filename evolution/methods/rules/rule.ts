// A rule of settings: its keys, the one to change first, and a sentence where settings break it.
import type { Clash } from '../../config/problems.ts';
import type { ModelSettings, RunConfig } from '../../config/run-config.ts';
import { modelPool } from '../../models/ensemble.ts';

export type Rule = { readonly keys: readonly string[]; readonly breaks: (config: RunConfig) => string | null };

export const broken = (rules: readonly Rule[], config: RunConfig): readonly Clash[] =>
  rules.flatMap(({ keys, breaks }) => {
    const message = breaks(config);
    return message === null ? [] : [{ keys, message }];
  });

/** A model of a run, and its place in the settings: `model`, `models.0` and so on. */
export type Placed = { readonly model: ModelSettings; readonly at: string };

export const placedModels = (config: RunConfig): readonly Placed[] =>
  modelPool(config).map((model, index) => ({ model, at: index === 0 ? 'model' : `models.${index - 1}` }));

/** A rule of one model. Keys that begin with a dot are the model's own. */
export type ModelRule = {
  readonly keys: readonly string[];
  readonly breaks: (placed: Placed, config: RunConfig) => string | null;
};

export const brokenBy = (rules: readonly ModelRule[], placed: Placed, config: RunConfig): readonly Clash[] =>
  broken(
    rules.map(({ keys, breaks }) => ({
      keys: keys.map((key) => (key.startsWith('.') ? `${placed.at}${key}` : key)),
      breaks: () => breaks(placed, config),
    })),
    config,
  );

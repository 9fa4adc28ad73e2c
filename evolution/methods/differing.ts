// The settings of a run that are not those of its method's preset: what people look for when they compare runs.
import { shown } from '../config/shown.ts';
import type { RunConfig } from '../config/run-config.ts';
import type { RunSettings } from '../config/settings.ts';
import { valueAt } from '../config/layers.ts';
import { changedKeys } from '../config/changed-keys.ts';
import { defaultsFor } from './defaults.ts';
import { canCost } from './rules/rules.ts';

/** What names a run rather than setting it, or is shown beside it: which task, method, models, seed and limits. */
const APART =
  /^(task|method|seed|models|limits|limits\..*|model\.(kind|name|alias|baseUrl|price|roles|weight)(\..*)?)$/;
const MOST = 12;
const LONGEST_VALUE = 40;

/**
 * Each as `key value`, in the order of the preset; of long values and of lists the key alone. `more` counts those that
 * are not named.
 */
export const differingSettings = (config: RunConfig): { readonly named: readonly string[]; readonly more: number } => {
  const { method, task, seed, limits, model } = config;
  const given = { method, task, seed, limits, model: { kind: model.kind } } as RunSettings;
  const keys = changedKeys(defaultsFor(given, canCost(config)), config).filter((key) => !APART.test(key));
  return {
    named: keys.slice(0, MOST).map((key) => {
      const value = valueAt(config, key.split('.'));
      const text = shown(value);
      return typeof value === 'object' || text.length > LONGEST_VALUE ? key : `${key} ${text}`;
    }),
    more: Math.max(0, keys.length - MOST),
  };
};

// Layers of settings become one complete RunConfig: checked, merged, completed by the preset.
import { PRICES } from '../budget/prices.ts';
import { BYTES_MODEL } from '../config/bytes.ts';
import { defined, merge, valueAt } from '../config/layers.ts';
import { OFFLINE_MODEL } from '../config/offline.ts';
import { ConfigError } from '../config/config-error.ts';
import { type Layer, schemaProblems, type Whereabouts } from '../config/problems.ts';
import type { RunConfig } from '../config/run-config.ts';
import { type RunSettings, settingsSchema } from '../config/settings.ts';
import { type Merged, PUBLISHED_MODELS, rolesLeft, withModels } from '../models/ensemble.ts';
import { withoutTaken } from './ablations.ts';
import { DEFAULT_METHOD, defaultsFor } from './defaults.ts';
import { PRESETS } from './presets.ts';
import { canCost, clashes } from './rules/rules.ts';

export type Resolved = {
  readonly config: RunConfig;
  /** The place of a setting; null for a default. */
  readonly whereabouts: (key: string) => string | null;
  /** Settings that a control took away from the file below it, a sentence for each. */
  readonly notes: readonly string[];
};

type Checked = { readonly settings: RunSettings; readonly where: Whereabouts };

/** Layers come from the weakest to the strongest. Throws a ConfigError with every problem. */
export const resolveConfig = (layers: readonly Layer[]): Resolved => {
  const { layers: checked, notes } = withoutTaken(withPolicy(ownPrice(decideModel(checkAll(layers)))));
  const whereabouts = (key: string): string | null => {
    const path = key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const layer = checked.findLast(({ settings }) => valueAt(settings, path) !== undefined);
    return layer ? layer.where(path) : null;
  };
  const given = checked.reduce<RunSettings>((merged, layer) => merge(merged, layer.settings), {});
  const complete = (costs: boolean): RunConfig => {
    const merged = merge(merge(defaultsFor(given, costs), publishedModels(given)), given) as Merged;
    const left = given.model?.roles === undefined ? rolesLeft(merged) : merged.model.roles;
    const roles = left.length === 0 ? merged.model.roles : left;
    const whole = withModels({ ...merged, model: { ...merged.model, roles } });
    return { ...whole, model: PRICES.priced(whole.model), models: whole.models.map((one) => PRICES.priced(one)) };
  };
  const asked = complete(true);
  const config = canCost(asked) ? asked : complete(false);
  const problems = [
    ...missingName(given, whereabouts),
    ...clashes(config).map(({ keys, message }) => {
      const where = keys.map(whereabouts).find((place) => place !== null);
      return `${where ? `${where}: ` : ''}${keys[0]}: ${message}.`;
    }),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return { config, whereabouts, notes };
};

const checkAll = (layers: readonly Layer[]): readonly Checked[] => {
  const problems: string[] = [];
  const checked = layers.map((layer): Checked => {
    const result = settingsSchema.safeParse(layer.settings ?? {});
    if (result.success) return { settings: result.data, where: layer.where };
    problems.push(...schemaProblems(result.error.issues, layer.settings, layer.where));
    return { settings: {}, where: layer.where };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return checked;
};

/**
 * A model or endpoint without a kind implies one. The strongest layer with a kind decides; what weaker ones say about
 * the other kind is dropped.
 */
const decideModel = (layers: readonly Checked[]): readonly Checked[] => {
  const implied = layers.map((layer): Checked => {
    const { model } = layer.settings;
    if (!model || model.kind !== undefined || (model.name === undefined && model.baseUrl === undefined)) return layer;
    return {
      ...layer,
      settings: { ...layer.settings, model: { ...model, kind: model.name === OFFLINE_MODEL ? 'offline' : 'openai' } },
    };
  });
  const decider = implied.findLastIndex(({ settings }) => settings.model?.kind !== undefined);
  const offline = implied[decider]?.settings.model?.kind === 'offline';
  return implied.map((layer, index) => {
    const { model, ...rest } = layer.settings;
    if (!model || index >= decider) return layer;
    const { kind: _kind, name, baseUrl, price, ...sampling } = model;
    const kept = offline || _kind === 'offline' ? {} : defined({ kind: _kind, name, baseUrl, price });
    return { ...layer, settings: { ...rest, model: { ...sampling, ...kept } } };
  });
};

/** Whoever sets a price sets it whole: nothing of a price that a list had stays beside it. */
const ownPrice = (layers: readonly Checked[]): readonly Checked[] => {
  const isOwn = ({ settings: { model } }: Checked): boolean => model?.price != null && model.price.listed === undefined;
  const last = layers.findLastIndex(isOwn);
  return layers.map((layer, index) => {
    const { model, ...rest } = layer.settings;
    if (index >= last || model?.price?.listed === undefined) return layer;
    const { price: _listed, ...others } = model;
    return { ...layer, settings: { ...rest, model: others } };
  });
};

/** The lowest layer, for a run that names no model: the policy that it names, or the base from which it learns. */
const withPolicy = (layers: readonly Checked[]): readonly Checked[] => {
  const given = layers.reduce<RunSettings>((merged, layer) => merge(merged, layer.settings), {});
  const { model, models, learning, method = DEFAULT_METHOD } = given;
  // A warm-up is on prompts for programs.
  const ideates = (given.ideation?.kind ?? PRESETS[method].ideation.kind) !== 'none';
  const { trainer = 'none', base = trainer === 'reference' ? BYTES_MODEL : null } = learning ?? {};
  const named = model?.name !== undefined || model?.kind !== undefined || model?.baseUrl !== undefined;
  const name = trainer === 'none' ? (model?.policy ?? null) : base;
  const elsewhere = (models ?? []).some(({ trainable }) => trainable === true);
  if (named || name === null || (trainer !== 'none' && (elsewhere || model?.trainable !== true))) return layers;
  const settings: RunSettings = {
    ...(trainer === 'none' ? {} : { learning: { base, ...(ideates ? { warmup: null } : {}) } }),
    model: { kind: 'openai', name },
  };
  return [{ settings, where: () => 'default' }, ...layers];
};

/** The published models of the method, where an endpoint is named and no model at all. */
const publishedModels = ({ method = DEFAULT_METHOD, model, models }: RunSettings): RunSettings => {
  const [first, ...more] = PUBLISHED_MODELS[method] ?? [];
  return first === undefined || model?.kind !== 'openai' || model.name !== undefined || models !== undefined
    ? {}
    : { model: first, models: more };
};

const missingName = (given: RunSettings, whereabouts: (key: string) => string | null): readonly string[] =>
  given.model?.kind === 'openai' && given.model.name === undefined && publishedModels(given).model === undefined
    ? [
        `${whereabouts('model.kind') ?? 'model'}: model.name: a model's name is missing: set EVOLVE_MODEL or --model, or take the offline model with --model offline.`,
      ]
    : [];

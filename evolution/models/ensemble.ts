// Weighted ensembles of models (CodeEvolve 4.1; DeltaEvolve 5.1): the models of a role, draws, completion of entries,
// and the models of published numbers.
import { priceOf } from '../budget/money.ts';
import { defined, tidyUrl } from '../config/layers.ts';
import type { MethodName } from '../config/names.ts';
import { NO_LANGUAGE_MODEL, OFFLINE_MODEL } from '../config/offline.ts';
import type { ModelSettings, RunConfig } from '../config/run-config.ts';
import type { ModelEntry } from '../config/settings.ts';
import type { Rng } from '../rng.ts';
import { sumOf } from '../statistics.ts';
import type { Role } from '../types.ts';

/** The name by which a run tells a model from its others. The endpoint is always asked for `name`. */
export const modelId = ({ name, alias }: { readonly name: string; readonly alias?: string }): string => alias ?? name;

/** The roles that stand in for one without models, the nearest first. A judge and the evaluator's model have to be named. */
const STAND_INS: { readonly [role in Role]: readonly Role[] } = {
  exploit: ['explore'],
  explore: ['exploit'],
  meta: ['explore', 'exploit'],
  idea: ['exploit', 'explore'],
  judge: [],
  repair: ['exploit', 'explore'],
  evaluator: [],
};

/** All models of a run, the first model first. */
export const modelPool = ({ model, models }: Pick<RunConfig, 'model' | 'models'>): readonly ModelSettings[] => [
  model,
  ...models,
];

/** For lists, each name once. */
export const modelNames = (config: Pick<RunConfig, 'model' | 'models'>): string =>
  [...new Set(modelPool(config).map(({ kind, name }) => (kind === 'offline' ? NO_LANGUAGE_MODEL : name)))].join(', ');

/** The price of each of its models is known. */
export const isPriced = (config: Pick<RunConfig, 'model' | 'models'>): boolean =>
  modelPool(config).every((model) => priceOf(model) !== null);

/** The models of a role: its own, else those of the nearest stand-in. Empty for a judge or an evaluator's model that nobody named. */
export const modelsFor = (config: Pick<RunConfig, 'model' | 'models'>, role: Role): readonly ModelSettings[] => {
  const pool = modelPool(config);
  return (
    [role, ...STAND_INS[role]]
      .map((name) => pool.filter(({ roles }) => roles.includes(name)))
      .find((models) => models.length > 0) ?? []
  );
};

/** A model of the role, drawn by weight. Throws where nobody has the role. */
export const drawModel = (config: Pick<RunConfig, 'model' | 'models'>, role: Role, random: Rng): ModelSettings => {
  const pool = modelsFor(config, role);
  if (pool.length === 0) throw new RangeError(`no model has the role ${role}: name one in model.roles or in models`);
  return pool[random.weighted(pool.map(({ weight }) => weight))]!;
};

/**
 * An entry inherits from `first`, but for the price of another name or endpoint (unknown) and the weight of another
 * name (1).
 */
export const completedModel = (entry: ModelEntry, first: ModelSettings): ModelSettings => {
  const kind = entry.kind ?? (entry.name === OFFLINE_MODEL ? 'offline' : 'openai');
  const inherited = kind === 'openai' && first.kind === 'openai' ? first.baseUrl : null;
  const baseUrl = entry.baseUrl === undefined ? inherited : entry.baseUrl === null ? null : tidyUrl(entry.baseUrl);
  const sameName = entry.name === first.name;
  const price =
    kind === 'offline'
      ? { in: 0, out: 0 }
      : sameName && kind === first.kind && baseUrl === first.baseUrl
        ? first.price
        : null;
  // A judge has to be named, except for the offline model.
  const roles =
    first.kind === 'offline' && kind === 'openai' ? first.roles.filter((role) => role !== 'judge') : first.roles;
  const { alias: _, ...settings } = first;
  return {
    ...settings,
    price,
    roles,
    rate: baseUrl === first.baseUrl ? first.rate : null,
    weight: sameName ? first.weight : 1,
    trainable: false,
    policy: null,
    ...(entry.trainable === true ? { topP: 1 } : {}),
    ...defined(entry),
    kind,
    baseUrl,
  };
};

/** Merged settings whose list of models may still hold entries as users write them. */
export type Merged = Omit<RunConfig, 'models'> & { readonly models: readonly ModelEntry[] };

/** The settings with all models complete, and all endpoints in the one form by which keys are kept. */
export const withModels = ({ model, models, ...rest }: Merged): RunConfig => {
  const first = { ...model, baseUrl: model.baseUrl === null ? null : tidyUrl(model.baseUrl) };
  const complete: ModelSettings[] = [];
  for (const entry of models) complete.push(toldApart(completedModel(entry, first), [first, ...complete]));
  return { ...rest, model: first, models: complete };
};

/** A model that the run has already gets an alias by its roles, where these are others; else it is refused later. */
const toldApart = (model: ModelSettings, earlier: readonly ModelSettings[]): ModelSettings => {
  const alike = earlier.filter((one) => one.name === model.name && one.kind === model.kind);
  return model.alias !== undefined ||
    alike.length === 0 ||
    alike.some(({ roles }) => roles.some((role) => model.roles.includes(role)))
    ? model
    : { ...model, alias: `${model.name} (${model.roles.join(', ')})` };
};

/**
 * The roles of the first model where nobody set them: without those of later entries of its name, so that `models:
 * [{name, roles: [explore], temperature: 0.9}]` gives exploration another temperature.
 */
export const rolesLeft = ({ model, models }: Merged): readonly Role[] => {
  const taken = models.flatMap(({ name, roles }) => (name === model.name ? (roles ?? []) : []));
  return model.roles.filter((role) => !taken.includes(role));
};

/** All roles, in the order in which notes on weights name them. */
const ROLES: readonly Role[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair', 'evaluator'];

/** A note for each ensemble whose weights somebody set and that do not sum to 1. */
export const weightNotes = (config: Pick<RunConfig, 'model' | 'models' | 'modelChoice'>): readonly string[] => {
  if (modelPool(config).every(({ weight }) => weight === 1)) return [];
  const ensembles = new Map<string, { readonly roles: Role[]; readonly pool: ReturnType<typeof modelsFor> }>();
  for (const role of ROLES) {
    const pool = modelsFor(config, role);
    if (pool.length < 2) continue;
    const key = JSON.stringify(pool.map(modelId));
    const known = ensembles.get(key);
    if (known === undefined) ensembles.set(key, { roles: [role], pool });
    else known.roles.push(role);
  }
  const notes = [...ensembles.values()].flatMap(({ roles, pool }) => weightNote(`models (${roles.join(', ')})`, pool));
  return config.modelChoice === 'bandit' && notes.length > 0
    ? [...notes, 'modelChoice is bandit: weights decide of ideas, judgements and edited prompts only']
    : notes;
};

/** Sums of decimals are not exact: ten times 0.1 must count as 1. */
const TOLERANCE = 1e-9;

const weightNote = (at: string, models: readonly ModelSettings[]): readonly string[] => {
  const sum = sumOf(models.map(({ weight }) => weight));
  const shares = models.map((model) => `${modelId(model)} ${Number(((100 * model.weight) / sum).toPrecision(4))} %`);
  return Math.abs(sum - 1) <= TOLERANCE
    ? []
    : [`${at}: the weights sum to ${Number(sum.toPrecision(6))}, not 1; taken as ${shares.join(', ')}`];
};

type Published = { readonly name: string; readonly weight: number };

/** DeltaEvolve 5.1 and Table 4; its baselines ask the same models. */
const DELTA: readonly Published[] = [
  { name: 'gpt-5-mini', weight: 0.8 },
  { name: 'o3-mini', weight: 0.2 },
];

/**
 * The models of a method's published numbers, for a run with an endpoint and no model. The first one is the first
 * model; weights sum to 1.
 */
export const PUBLISHED_MODELS: { readonly [method in MethodName]?: readonly Published[] } = {
  delta: DELTA,
  'parallel-sampling': DELTA,
  'greedy-refine': DELTA,
};

// Changes of settings while their run exists, checked like a file and taken or refused as a whole.
import { LIMIT_FLAGS } from '../budget/limits.ts';
import { canonicalJson } from '../canonical-json.ts';
import { isPlain, valueAt } from '../config/layers.ts';
import { didYouMean } from '../config/nearest.ts';
import { ConfigError } from '../config/config-error.ts';
import { schemaProblems } from '../config/problems.ts';
import { shown } from '../config/shown.ts';
import type { Limits, RunConfig } from '../config/run-config.ts';
import { type ModelEntry, type RunSettings, settingsSchema } from '../config/settings.ts';
import { completedModel, modelId, modelPool } from '../models/ensemble.ts';
import type { Json } from '../types.ts';
import { resolveConfig } from './resolve.ts';

/** Settings that hold for the life of a run, by dotted key, each with the reason why it cannot change. */
const FIXED: { readonly [key: string]: string } = {
  method: 'programs and prompts of two methods do not make one search',
  task: 'scores of two tasks cannot be compared',
  instance: 'scores of two instances cannot be compared',
  initial: 'every program of the run descends from it',
  seed: 'every draw of the run derives from it',
  'population.islands': 'programs and generations belong to islands by number',
  'population.map': 'cells have names and elites of one kind',
  'population.cells': 'the cells of the archive are named by them',
  'population.features': 'the cells of the grid are named by them',
  'population.bins': 'the cells of the grid are named by them',
  'population.bounds': 'the cells of the archive are placed by them',
  'population.grid': 'cells have elites per island or in one grid for all',
  'embedding.model': 'embeddings of two models cannot be compared',
  'embedding.dimensions': 'embeddings of two lengths cannot be compared',
  'evaluation.seed': 'scores of earlier and later programs could not be compared',
  'evaluation.scoring': 'scores of earlier and later programs could not be compared',
};

/** Settings that hold once a run learns. */
const FIXED_IN_LEARNING: { readonly [key: string]: string } = {
  'learning.trainer': 'the policy of the run is in its hands (learning.on false stops learning)',
  'learning.base': 'the policy of the run descends from it',
  'learning.lora': 'the weights that the policy of the run has are of one form',
};

/** The fixed settings of a run with these settings, each with the reason. */
const fixedIn = ({ learning }: RunConfig): { readonly [key: string]: string } =>
  learning.trainer === 'none' ? FIXED : { ...FIXED, ...FIXED_IN_LEARNING };

/** True where a setting, or the mapping around it, is fixed. */
export const isFixed = (key: string, config: RunConfig): boolean =>
  Object.keys(fixedIn(config)).some((fixed) => key === fixed || key.startsWith(`${fixed}.`));

const FIXED_KEYS: readonly string[] = Object.keys(FIXED);

/** Sections that are read anew for every request and every decision. */
const AT_ONCE = [
  'notify',
  'model',
  'models',
  'limits',
  'embedding.baseUrl',
  'embedding.timeoutSeconds',
  'embedding.price',
];

/** The time from which a change counts: the next step, at once, or never. */
export const changeOf = (key: string): 'yes' | 'at once' | 'no' =>
  Object.hasOwn(FIXED, key)
    ? 'no'
    : AT_ONCE.some((one) => key === one || key.startsWith(`${one}.`))
      ? 'at once'
      : 'yes';

export { FIXED_KEYS };

/** The changes that verbs ask for. Errors begin with the kind. */
export type SettingsChange =
  /** Settings as in a configuration file: mappings merge key by key, lists are replaced. */
  | { readonly kind: 'set'; readonly patch: Json }
  /** New limits; null removes one. With `add` a number is added to the present limit, if there is one. */
  | { readonly kind: 'extend'; readonly limits: Json; readonly add: boolean }
  /** A further model, or other settings for a model that is there. What is left out is as in the first model. */
  | { readonly kind: 'add-model'; readonly model: Json }
  | { readonly kind: 'remove-model'; readonly name: string }
  /** The hint for one island, or (null) for all of them; `hint: null` removes it. */
  | { readonly kind: 'hint'; readonly island: number | null; readonly hint: string | null };

/** The complete settings with the change. Throws a ConfigError that names each wrong key. */
export const changedConfig = (config: RunConfig, change: SettingsChange): RunConfig => {
  const where = (): string => change.kind;
  const patch = patchOf(config, change);
  requireValid(config, patch, where());
  return resolveConfig([
    { settings: config, where },
    { settings: patch, where },
  ]).config;
};

/** The change as settings that are laid over the present ones. */
const patchOf = (config: RunConfig, change: SettingsChange): unknown => {
  switch (change.kind) {
    case 'set':
      return mapping(change.patch, 'set: expected a mapping of settings such as {"batch": 16}');
    case 'extend':
      return { limits: limitsOf(config.limits, change) };
    case 'add-model':
      return withAdded(config, change.model);
    case 'remove-model':
      return withRemoved(config, change.name);
    case 'hint':
      return { prompt: { hints: hintsOf(config, change) } };
  }
};

const refusal = (problem: string): ConfigError => new ConfigError([problem]);

const mapping = (value: unknown, expected: string): Record<string, unknown> => {
  if (!isPlain(value)) throw refusal(`${expected}, got ${shown(value)}.`);
  return value;
};

/** Refuses a patch with keys that are unknown, of a wrong type, or fixed, and names all of them. */
const requireValid = (config: RunConfig, patch: unknown, message: string): void => {
  const where = (): string => message;
  const fixed = Object.entries(fixedIn(config))
    .filter(([key]) => {
      const value = valueAt(patch, key.split('.'));
      return value !== undefined && canonicalJson(value) !== canonicalJson(valueAt(config, key.split('.')));
    })
    .map(
      ([key, reason]) =>
        `${message}: ${key}: cannot change in a run: ${reason}. It is ${shown(valueAt(config, key.split('.')))}, got ${shown(valueAt(patch, key.split('.')))}; start another run with it.`,
    );
  const result = settingsSchema.safeParse(patch);
  const wrong = result.success ? [] : schemaProblems(result.error.issues, patch, where);
  // A fixed key with a wrong value is reported once, as fixed.
  const problems = [
    ...fixed,
    ...wrong.filter(
      (problem) => !Object.keys(fixedIn(config)).some((key) => problem.startsWith(`${message}: ${key}: `)),
    ),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
};

const limitsOf = (
  present: Limits,
  { limits, add }: Extract<SettingsChange, { kind: 'extend' }>,
): Record<string, unknown> => {
  const known = Object.keys(LIMIT_FLAGS).join(', ');
  const newLimits = mapping(limits, `extend: expected a mapping of limits (${known})`);
  if (Object.keys(newLimits).length === 0) throw refusal(`extend: expected at least one of ${known}, got none.`);
  requireLimits(newLimits);
  return Object.fromEntries(
    Object.entries(newLimits).map(([key, value]) => [
      key,
      add && typeof value === 'number' ? Number(present[key as keyof Limits] ?? 0) + value : value,
    ]),
  );
};

/** An added number is checked as it came, because a wrong one must not hide in a sum. */
const requireLimits = (limits: Record<string, unknown>): void => {
  const result = settingsSchema.safeParse({ limits });
  if (!result.success) throw new ConfigError(schemaProblems(result.error.issues, { limits }, () => 'extend'));
};

/** Replaces the model of that name where there is one, else adds it at the end. */
const withAdded = (config: RunConfig, model: Json): RunSettings => {
  const given = mapping(model, 'add-model: expected a mapping of model settings such as {"name": "my-model"}');
  const result = settingsSchema.safeParse({ model: given });
  if (!result.success) throw new ConfigError(schemaProblems(result.error.issues, { model: given }, () => 'add-model'));
  if (given['name'] === undefined) throw refusal('add-model: model.name: expected a model name, got nothing.');
  const complete = completedModel(given as ModelEntry, config.model);
  const id = modelId(complete);
  if (id === modelId(config.model)) return { model: complete };
  const there = config.models.some((one) => modelId(one) === id);
  return {
    models: there ? config.models.map((one) => (modelId(one) === id ? complete : one)) : [...config.models, complete],
  };
};

const withRemoved = (config: RunConfig, name: string): RunSettings => {
  const names = modelPool(config).map(modelId);
  if (!names.includes(name))
    throw refusal(
      `remove-model: name: the run has no model ${shown(name)}.${didYouMean(String(name), names) || ` It has ${names.join(', ')}.`}`,
    );
  const [model, ...models] = modelPool(config).filter((one) => modelId(one) !== name);
  if (!model)
    throw refusal(`remove-model: name: ${name} is the run's only model. Add another one first, or pause the run.`);
  return { model, models };
};

const hintsOf = (
  { prompt: { hints } }: RunConfig,
  { island, hint }: Extract<SettingsChange, { kind: 'hint' }>,
): unknown => {
  const there = hints.some((one) => one.island === island);
  if (hint !== null)
    return there
      ? hints.map((one) => (one.island === island ? { island, text: hint } : one))
      : [...hints, { island, text: hint }];
  if (there) return hints.filter((one) => one.island !== island);
  const others = hints.map((one) => (one.island === null ? 'all islands' : `island ${one.island}`));
  throw refusal(
    `hint: there is no hint for ${island === null ? 'all islands' : `island ${shown(island)}`} to remove. ${others.length === 0 ? 'The run has no hints' : `There is one for ${others.join(', ')}`}.`,
  );
};

// The models of a run: all of them, the one that a request goes to, and an entry of `models` completed from the first model.
// Called by schema.ts and change.ts, and by the activities that plan and ask.
import { ensembleFor } from '../models/ensemble.ts';
import type { Rng } from '../rng.ts';
import type { Role } from '../types.ts';
import { tidyUrl } from './tidy-url.ts';
import { defined } from './layers.ts';
import { OFFLINE_MODEL } from './offline.ts';
import type { ModelSettings, RunConfig } from './run-config.ts';
import type { ModelEntry } from './settings.ts';

/** All models of a run, the first one first. */
export const modelPool = ({ model, models }: Pick<RunConfig, 'model' | 'models'>): readonly ModelSettings[] => [model, ...models];

/** The models of a role: its own, else those of the nearest stand-in; empty: a judge that nobody named. */
export const modelsFor = (config: Pick<RunConfig, 'model' | 'models'>, role: Role): readonly ModelSettings[] => {
  const pool = modelPool(config);
  const of = (name: Role): readonly ModelSettings[] => pool.filter(({ roles }) => roles.includes(name));
  return ensembleFor(role, { exploit: of('exploit'), explore: of('explore'), meta: of('meta'), idea: of('idea'), judge: of('judge'), repair: of('repair') }) ?? [];
};

/** The model of one request, in proportion to the weights of its role's models. Throws where nobody has the role. */
export const drawModel = (config: Pick<RunConfig, 'model' | 'models'>, role: Role, random: Rng): ModelSettings => {
  const pool = modelsFor(config, role);
  if (pool.length === 0) throw new RangeError(`no model has the role ${role}: name one in model.roles or in models`);
  return pool[random.weighted(pool.map(({ weight }) => weight))]!;
};

/** What an entry leaves out is as in `first`. The price belongs to a name at an endpoint, and the weight to a name: under others they
 *  are unknown and 1. */
export const completedModel = (entry: ModelEntry, first: ModelSettings): ModelSettings => {
  const kind = entry.kind ?? (entry.name === OFFLINE_MODEL ? 'offline' : 'openai');
  const inherited = kind === 'openai' && first.kind === 'openai' ? first.baseUrl : null;
  const baseUrl = entry.baseUrl === undefined ? inherited : entry.baseUrl === null ? null : tidyUrl(entry.baseUrl);
  const sameName = entry.name === first.name;
  const price = kind === 'offline' ? { in: 0, out: 0 } : sameName && kind === first.kind && baseUrl === first.baseUrl ? first.price : null;
  // A judge is named, but for the offline model.
  const roles = first.kind === 'offline' && kind === 'openai' ? first.roles.filter((role) => role !== 'judge') : first.roles;
  return { ...first, price, roles, weight: sameName ? first.weight : 1, ...defined(entry), kind, baseUrl };
};

/** Merged settings whose list of models may still hold entries as users write them. */
export type Merged = Omit<RunConfig, 'models'> & { readonly models: readonly ModelEntry[] };

/** All models complete, all endpoints in the one form by which keys are kept. */
export const withModels = ({ model, models, ...rest }: Merged): RunConfig => {
  const first = { ...model, baseUrl: model.baseUrl === null ? null : tidyUrl(model.baseUrl) };
  return { ...rest, model: first, models: models.map((entry) => completedModel(entry, first)) };
};

// Weighted ensembles of models: shares, the draw of a call, and which ensemble serves a role (CodeEvolve, section 2, Models; DeltaEvolve,
// section 2, Ensemble; peers, section 8, Weighted models). Called where settings are checked and when calls are planned.
import { rng } from '../rng.ts';
import type { Role } from '../types.ts';

export type Weighted = { readonly name: string; readonly weight: number };

export type Shares =
  | {
    readonly kind: 'shares';
    /** In the order of the models; their sum is 1. */
    readonly shares: readonly number[];
    /** What to say when the weights did not sum to 1; null when they did. */
    readonly note: string | null;
  }
  | { readonly kind: 'invalid'; readonly message: string };

/** Sums of decimals are not exact: ten times 0.1 is 1. */
const TOLERANCE = 1e-9;

/** p_i = w_i / sum. `at` names the setting, e.g. `ensembles.explore`. */
export const sharesOf = (models: readonly Weighted[], at: string): Shares => {
  if (models.length === 0) return { kind: 'invalid', message: `${at}: expected at least one model, got none` };
  const wrong = models.find(({ weight }) => !(weight >= 0 && weight < Infinity));
  if (wrong) return { kind: 'invalid', message: `${at}: expected weights of at least 0, got ${wrong.weight} for ${wrong.name}` };
  // Shares of the largest: the sum of huge weights stays finite.
  const largest = Math.max(...models.map(({ weight }) => weight));
  if (largest === 0) return { kind: 'invalid', message: `${at}: expected a weight above 0, got 0 for ${models.map(({ name }) => name).join(', ')}` };
  const total = models.reduce((sum, { weight }) => sum + weight / largest, 0);
  const shares = models.map(({ weight }) => weight / largest / total);
  const sum = total * largest;
  if (Math.abs(sum - 1) <= TOLERANCE) return { kind: 'shares', shares, note: null };
  const shown = models.map(({ name }, index) => `${name} ${Number((100 * shares[index]!).toPrecision(4))} %`).join(', ');
  return { kind: 'shares', shares, note: `${at}: the weights sum to ${Number(sum.toPrecision(6))}, not 1; taken as ${shown}` };
};

export type EnsembleCall = {
  readonly seed: number;
  /** What the call is, e.g. `exploit`, island, epoch: the same call draws the same model, a retry too. */
  readonly purpose: readonly (string | number)[];
};

/** The model of one call. Throws on weights that sharesOf calls invalid. */
export const drawFromEnsemble = <M extends Weighted>(models: readonly M[], { seed, purpose }: EnsembleCall): M => {
  const shares = sharesOf(models, 'ensemble');
  if (shares.kind === 'invalid') throw new RangeError(shares.message);
  return models[rng(seed, 'ensemble', ...purpose).weighted(shares.shares)]!;
};


/** Whose models serve a role that has none of its own, the nearest first. A judge is never made of another role's models: that has to be said. */
const STAND_INS: { readonly [role in Role]: readonly Role[] } = {
  exploit: ['explore'], explore: ['exploit'], meta: ['explore', 'exploit'], idea: ['exploit', 'explore'], judge: [], repair: ['exploit', 'explore'],
};

/** The role's own ensemble, else the nearest stand-in's; null: a role without a model. */
export const ensembleFor = <M>(role: Role, ensembles: { readonly [role in Role]?: readonly M[] | undefined }): readonly M[] | null =>
  [role, ...STAND_INS[role]].map((name) => ensembles[name] ?? []).find((models) => models.length > 0) ?? null;

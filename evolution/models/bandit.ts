// AsymmetricUCB (ShinkaEvolve, arXiv 2509.19349): the choice of a model by gains and costs, as plain data.
import type { Rng } from '../rng.ts';
import { medianOf, sumOf } from '../statistics.ts';

// The settings that ShinkaEvolve ships.
/** c, the weight of the bonus for models that were asked seldom. */
const EXPLORATION = 1;
/** The share of the calls that goes to the models that do not lead. */
const EPSILON = 0.2;
/** The factor by which older results count less with each new one. */
const DECAY = 0.95;
/** k, from 0 to 1: with 0 only the gain counts, with 1 only cheapness. */
const COST_WEIGHT = 0.5;
/** The weight of the bonus for costs that are known from few calls. */
const COST_EXPLORATION = 0.1;

export type Arm = {
  /** S and D: the decayed sum of gains and the decayed count of results. */
  readonly gains: number;
  readonly results: number;
  readonly submitted: number;
  readonly completed: number;
  /** The sum over the calls whose cost is known, whose number is `costed`. */
  readonly costUsd: number;
  readonly costed: number;
};

export type BanditState = {
  readonly arms: { readonly [model: string]: Arm };
  /** M: the largest gain, decayed like S, and at least the largest mean; 0 before there is a gain. */
  readonly scale: number;
  /** The cheapest and the dearest call; null before there is one. */
  readonly costs: { readonly min: number; readonly max: number } | null;
};

export const NO_RESULTS: BanditState = { arms: {}, scale: 0, costs: null };

export type ModelResult = {
  readonly model: string;
  /** The fitness, of which more is better; null where no valid program came of the call. */
  readonly fit: number | null;
  /** The fitness of the parent, and of the initial program; null where there is none. */
  readonly parentFit: number | null;
  readonly baseline: number | null;
  /** US dollars; null where the cost is unknown. */
  readonly costUsd: number | null;
};

/** Larger gains are cut to this one, because e^700 is still a number. */
const LARGEST_GAIN = 700;
const LOWEST_COST = 1e-7;
const NEW_ARM: Arm = { gains: 0, results: 0, submitted: 0, completed: 0, costUsd: 0, costed: 0 };

/** Notes that a call is sent. It counts before its result comes, so that one batch does not go to one model. */
export const withSubmission = (state: BanditState, model: string): BanditState => {
  const arm = armOf(state, model);
  return { ...state, arms: { ...state.arms, [model]: { ...arm, submitted: arm.submitted + 1 } } };
};

/** g = e^r - 1 with r = max(fit - max(parent, baseline), 0); 0 for a failure, and without a comparison. */
export const gainOf = ({ fit, parentFit, baseline }: Pick<ModelResult, 'fit' | 'parentFit' | 'baseline'>): number => {
  if (fit === null || (parentFit === null && baseline === null)) return 0;
  return Math.expm1(Math.min(LARGEST_GAIN, Math.max(0, fit - Math.max(parentFit ?? -Infinity, baseline ?? -Infinity))));
};

/** S and D of the model grow by g and 1; then S of all models, their D, and M decay. */
export const withResult = (state: BanditState, result: ModelResult): BanditState => {
  const gain = gainOf(result);
  const shrink = (gains: number): number => (DECAY * gains) / (1 + (1 - DECAY) * gains);
  const { costUsd } = result;
  const arm = armOf(state, result.model);
  const grown: Arm = {
    ...arm,
    gains: arm.gains + gain,
    results: arm.results + 1,
    completed: arm.completed + 1,
    costUsd: arm.costUsd + (costUsd ?? 0),
    costed: arm.costed + (costUsd === null ? 0 : 1),
  };
  const arms = Object.fromEntries(
    Object.entries({ ...state.arms, [result.model]: grown }).map(([model, { gains, results, ...rest }]) => [
      model,
      { ...rest, gains: shrink(gains), results: DECAY * results },
    ]),
  );
  return {
    arms,
    scale: Math.max(shrink(Math.max(state.scale, gain)), ...Object.values(arms).map(meanGain)),
    costs:
      costUsd === null
        ? state.costs
        : { min: Math.min(costUsd, state.costs?.min ?? costUsd), max: Math.max(costUsd, state.costs?.max ?? costUsd) },
  };
};

/** (S/D)/M + c sqrt(2 ln max(t,2) / n), mixed with cheapness. All models must have been tried. */
export const valuesOf = (state: BanditState, models: readonly string[]): readonly number[] => {
  const arms = models.map((model) => armOf(state, model));
  const spread = 2 * Math.log(Math.max(sumOf(arms.map(timesOf)), 2));
  const values = arms.map(
    (arm) => (state.scale > 0 ? meanGain(arm) / state.scale : 0) + EXPLORATION * Math.sqrt(spread / timesOf(arm)),
  );
  const cheapness = cheapnessOf(arms, state.costs, spread);
  return cheapness === null
    ? values
    : values.map((value, index) => (1 - COST_WEIGHT) * value + COST_WEIGHT * cheapness[index]!);
};

/** The probability of each model: untried ones first, uniformly; then 1 - epsilon for the leaders together. */
export const chancesOf = (state: BanditState, models: readonly string[]): readonly number[] => {
  const isUnseen = models.map((model) => timesOf(armOf(state, model)) === 0);
  if (isUnseen.includes(true)) return divided(isUnseen, 1, 0);
  const values = valuesOf(state, models);
  const best = Math.max(...values);
  return divided(
    values.map((value) => value === best),
    1 - EPSILON,
    EPSILON,
  );
};

/** Chooses among at least one model by one draw. */
export const chooseModel = (state: BanditState, models: readonly string[], random: Rng): string =>
  models[random.weighted(chancesOf(state, models))]!;

/** The chosen divide one share equally and the others the other share; where there are no others, all have the same. */
const divided = (chosen: readonly boolean[], share: number, otherShare: number): readonly number[] => {
  const count = chosen.filter(Boolean).length;
  const others = chosen.length - count;
  return chosen.map((is) => (others === 0 ? 1 / count : is ? share / count : otherShare / others));
};

/**
 * q = median mean cost / (mean cost less its bonus), over the largest q: 1 is the cheapest. An unknown cost counts as
 * the median. Null where no cost is known.
 */
const cheapnessOf = (arms: readonly Arm[], range: BanditState['costs'], spread: number): readonly number[] | null => {
  const priced = arms.filter(({ costed }) => costed > 0);
  if (range === null || priced.length === 0) return null;
  const middle = Math.max(medianOf(priced.map(meanCost).toSorted((a, b) => a - b)), LOWEST_COST);
  const ratios = arms.map((arm) => {
    if (arm.costed === 0) return 1;
    const bonus = COST_EXPLORATION * (range.max - range.min) * Math.sqrt(spread / arm.costed);
    return middle / Math.max(meanCost(arm) - bonus, LOWEST_COST);
  });
  const largest = Math.max(...ratios);
  return ratios.map((ratio) => ratio / largest);
};

const armOf = ({ arms }: BanditState, model: string): Arm => (Object.hasOwn(arms, model) ? arms[model]! : NEW_ARM);

const timesOf = ({ submitted, completed }: Arm): number => Math.max(submitted, completed);

const meanGain = ({ gains, results }: Arm): number => (results > 0 ? gains / results : 0);

const meanCost = ({ costUsd, costed }: Arm): number => costUsd / costed;

// Random histories for the laws of archives, eviction and migration: children with measured features, made without
// drawing parents as a run does (any member of any island may become one), so that they are cheap and reach what
// selection seldom does.
import { expect } from 'vitest';
import { loadPopulation, type Population, rowsOf } from '../../../evolution/population/population.ts';
import { rng, type Rng } from '../../../evolution/rng.ts';
import type { Child } from '../../../evolution/types.ts';
import { failed, initial, runWorld, valid, type WorldSettings } from '../worlds/populations.ts';

/**
 * Children of a step: the initial program in step 0, then `groups` times `settings.responses`. Scores are on a coarse
 * scale, so that ties are common; failures, twins, seed programs and injected programs are among them.
 */
export const childrenAt = (
  population: Population,
  settings: WorldSettings,
  step: number,
  seed: number,
  groups = 3,
): readonly Child[] => {
  const random = rng(seed, 'history', step);
  if (step === 0) return [{ ...initial(random.int(9) / 8 - 0.5), values: someValues(settings, random) }];
  const { responses } = settings;
  const children: Child[] = [];
  for (let slot = 0; slot < groups * responses; slot++) {
    const sibling = slot % responses > 0 ? children.at(-1) : undefined;
    const island = sibling?.island ?? random.int(population.islands.length);
    const members = population.islands[island]!.byBirth;
    const parent = members.length === 0 || random.int(40) === 0 ? null : (sibling?.parent ?? random.pick(members).id);
    const place = {
      parent,
      island,
      length: 50 + 10 * random.int(20),
      values: someValues(settings, random),
      ...(parent !== null && random.int(15) === 0 ? { founder: true as const } : {}),
    };
    if (random.int(6) === 0) {
      children.push(failed(step, slot, random.pick(['no_diff', 'no_change', 'no_solution', 'invalid']), place));
      continue;
    }
    const twin = random.int(15) === 0 ? children.find((child) => child.outcome === 'valid') : undefined;
    const fit = twin?.fit ?? (random.int(33) - 16 + Math.min(step, 8)) / 8;
    children.push(valid(step, slot, fit, { ...place, ...(twin ? { sameAs: twin.sameAs ?? twin.id } : {}) }));
  }
  return children;
};

/**
 * Those of a step's children that are let in, by the rules as they are written: valid ones, or failures where
 * settings admit them; no twins; of one parent the best few, seed programs aside. Whether the cap then lets them stay is
 * another matter.
 */
export const admittedOf = (
  children: readonly Child[],
  { population: { admitFailures, siblings } }: WorldSettings,
): readonly Child[] => {
  const isBetter = (a: Child, b: Child): boolean => a.fit! > b.fit! || (a.fit === b.fit && a.slot < b.slot);
  const entering = children.filter(
    ({ outcome, sameAs }) => sameAs === undefined && (outcome === 'valid' || admitFailures),
  );
  const limited = entering.filter(
    ({ outcome, parent, founder }) => outcome === 'valid' && parent !== null && founder !== true,
  );
  return entering.filter(
    (child) =>
      siblings === null ||
      !limited.includes(child) ||
      limited.filter((other) => other.parent === child.parent && isBetter(other, child)).length < siblings,
  );
};

/** One for each feature: now and then missing or not a number, else on a coarse scale that passes through 0. */
const someValues = ({ population: { features } }: WorldSettings, random: Rng): readonly (number | null)[] =>
  features.map(() =>
    random.int(12) === 0 ? random.pick([null, Number.NaN, Number.POSITIVE_INFINITY]) : random.int(25) - 2,
  );

/** Runs random steps; calls back with the population as it is after each. */
export const runHistory = (
  settings: WorldSettings,
  seed: number,
  steps: number,
  after: Parameters<typeof runWorld>[3] = () => {},
): Population => runWorld(settings, seed, steps, after, childrenAt);

export const snapshotOf = (population: Population) => ({ ...rowsOf(population), state: population.state });

/** The same population, built from its rows as a database gives them: in any order, and as JSON keeps them. */
export const reloaded = (population: Population): Population => {
  const { memberships, cells, tallies, prompts, state } = JSON.parse(
    JSON.stringify(snapshotOf(population)),
  ) as ReturnType<typeof snapshotOf>;
  return loadPopulation(
    population.settings,
    [...memberships].reverse(),
    [...cells].reverse(),
    state,
    [...tallies].reverse(),
    [...prompts].reverse(),
  );
};

/** Compares as text, which is quick, and as values only to say what differs. */
export const expectSame = (a: unknown, b: unknown): void => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  if (left !== right) expect(JSON.parse(left)).toEqual(JSON.parse(right));
};

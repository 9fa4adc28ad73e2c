// Small worlds for tests of the population: settings, children, and runs of random steps without any model.
import type { MigrationSettings, PopulationSettings, SelectionSettings } from '../../../evolution/config/run-config.ts';
import { programId } from '../../../evolution/ids.ts';
import { bornSeq } from '../../../evolution/schedule/slots.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import type { StepSettings } from '../../../evolution/population/draft.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { ChangeSet, Child, Outcome } from '../../../evolution/types.ts';

export type WorldSettings = StepSettings;

export const settingsOf = (
  population: Partial<PopulationSettings> = {},
  migration: Partial<MigrationSettings> = {},
  selection: Partial<SelectionSettings> = {},
): WorldSettings => ({
  seed: 42,
  responses: 6,
  selection: { ...thetaDefaults.selection, ...selection },
  population: { ...thetaDefaults.population, cap: 40, archive: 8, islands: 4, bins: 5, ...population },
  migration: { ...thetaDefaults.migration, interval: 5, rate: 0.2, ...migration },
  exploration: thetaDefaults.exploration,
});

export const valid = (step: number, slot: number, fit: number, change: Partial<Child> = {}): Child => ({
  id: programId('run', step, 0, slot),
  slot,
  bornSeq: bornSeq(step, slot),
  parent: 'p',
  island: 0,
  outcome: 'valid',
  fit,
  length: 100,
  ...change,
});

export const failed = (
  step: number,
  slot: number,
  outcome: Exclude<Outcome, 'valid'>,
  change: Partial<Child> = {},
): Child => {
  const { fit: _, ...child } = valid(step, slot, 0, change);
  return { ...child, outcome };
};

export const initial = (fit = 0.5, length = 100): Child => valid(0, 0, fit, { parent: null, length });

/** A population after these steps, the initial program first. */
export const grown = (
  settings: WorldSettings,
  steps: readonly (readonly Child[])[] = [],
  first: Child = initial(),
): Population => {
  let population = emptyPopulation(settings.population);
  for (const [step, children] of [[first], ...steps].entries()) {
    population = applyChangeSet(population, commitStep({ population, children, step, settings }));
  }
  return population;
};

const FAILURES: readonly Exclude<Outcome, 'valid'>[] = ['no_diff', 'no_change', 'duplicate', 'no_solution', 'invalid'];

/** Children of a step: the initial program in step 0, then with parents drawn as in a run; scores on a coarse scale, so that ties are common. */
export const randomChildren = (
  population: Population,
  settings: WorldSettings,
  step: number,
  seed: number,
  batch = 4,
  responses = 6,
): readonly Child[] => {
  if (step === 0) return [initial()];
  const draws = drawParents({ population, step, batch, seed, settings });
  const random = rng(seed, 'children', step);
  const children: Child[] = [];
  for (let slot = 0; slot < batch * responses; slot++) {
    const { parent, island } = draws[Math.floor(slot / responses)]!;
    const place = { parent, island, length: 50 + random.int(200) };
    if (random.int(4) === 0) {
      children.push(failed(step, slot, random.pick(FAILURES), place));
      continue;
    }
    const twin = random.int(12) === 0 ? children.find((child) => child.outcome === 'valid') : undefined;
    const fit =
      twin?.fit ?? Math.round((Math.max(-1, population.members.get(parent)!.fit) + random.next() - 0.55) * 16) / 16;
    children.push(valid(step, slot, fit, { ...place, ...(twin ? { sameAs: twin.sameAs ?? twin.id } : {}) }));
  }
  return children;
};

type Step = {
  readonly step: number;
  readonly children: readonly Child[];
  readonly changeSet: ChangeSet;
  readonly population: Population;
};

/** Runs random steps; calls back with the population as it is after each. */
export const runWorld = (
  settings: WorldSettings,
  seed: number,
  steps: number,
  after: (step: Step) => void,
  childrenAt: (
    population: Population,
    settings: WorldSettings,
    step: number,
    seed: number,
  ) => readonly Child[] = randomChildren,
): Population => {
  let population = emptyPopulation(settings.population);
  for (let step = 0; step <= steps; step++) {
    const children = childrenAt(population, settings, step, seed);
    const changeSet = commitStep({ population, children, step, settings });
    population = applyChangeSet(population, changeSet);
    after({ step, children, changeSet, population });
  }
  return population;
};

// The values that the papers' experiments (experiments/) print for a run: that of its method with its model and
// settings, and the human best of its task where the task itself has none.
import { changedKeys, valueAt } from '../../evolution/config/layers.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { fullSize } from '../../evolution/experiments/plan.ts';
import { type Case, type Experiment, makesRuns, type Printed, settingsOf } from '../../evolution/experiments/spec.ts';
import { taskName } from '../../evolution/task/task.ts';
import { listedExperiments } from './experiments.ts';

type HumanBest = {
  readonly value: number;
  /** The metric by which it is given; null: the score. */
  readonly metric: string | null;
};

export type PaperValues = {
  /** The value that a paper prints of such a run, on the scale of the task; null where none does. */
  readonly of: (config: RunConfig) => number | null;
  readonly human: (task: string) => HumanBest | null;
};

/** Reads the files once. Throws ConfigError where one is wrong. */
export const paperValues = (): PaperValues => {
  // One that reads prints numbers of the runs of another.
  const all = listedExperiments().filter(({ reads }) => reads === undefined);
  const printed = new Map<string, readonly Cell[]>();
  return {
    of: (config) => {
      const task = taskName(config.task);
      const cells = printed.get(task) ?? all.flatMap((experiment) => cellsOn(experiment, task));
      printed.set(task, cells);
      const nearest = cells
        .filter((cell) => couldBe(cell, config))
        .map(({ value, theirs }) => ({ value, apart: changedKeys(theirs, config).length }))
        // The table with the nearest settings counts, and of equal ones the first.
        .sort((a, b) => a.apart - b.apart)[0];
      return nearest?.value ?? null;
    },
    human: (task) => {
      for (const { cases, rows } of all)
        for (const row of rows.filter(({ human }) => human === true))
          for (const one of cases.filter((other) => other.task === task)) {
            const value = row.values[one.id]?.best;
            if (value !== undefined) return { value, metric: one.metric ?? null };
          }
      return null;
    },
  };
};

/** A number that a paper prints on the scale of a task, with the settings of its run. */
type Cell = { readonly value: number; readonly theirs: RunConfig; readonly ablated: readonly string[] };

const cellsOn = (experiment: Experiment, task: string): readonly Cell[] =>
  experiment.cases
    .filter(
      (one) =>
        one.task === task && one.scores === undefined && one.metric === undefined && one.incomparable === undefined,
    )
    .flatMap((one) =>
      experiment.rows.filter(makesRuns).flatMap((row) => {
        const value = onTaskScale(one, row.values[one.id] ?? {});
        return value === null
          ? []
          : [{ value, theirs: fullSize(settingsOf(experiment, one, row)), ablated: experiment.ablated }];
      }),
    );

/** True for a run of the cell's method, model, instance and start, which is the same in all that is ablated. */
const couldBe = ({ theirs, ablated }: Cell, config: RunConfig): boolean =>
  theirs.method === config.method &&
  theirs.model.name === config.model.name &&
  theirs.instance === config.instance &&
  theirs.initial === config.initial &&
  ablated.every((key) => isBeside(key, ablated, theirs) || sameIn(key, theirs, config));

/**
 * Where rows with and without learning stand in one table, their steps and their recorded rewards differ beside it, and
 * only a run that learns goes otherwise by its reward.
 */
const isBeside = (key: string, ablated: readonly string[], { learning: { trainer } }: RunConfig): boolean =>
  ablated.includes(TRAINER) && (key === 'limits.steps' || (key === 'reward' && trainer === 'none'));

const TRAINER = 'learning.trainer';

/** Learning is the same with every trainer. */
const sameIn = (key: string, theirs: RunConfig, config: RunConfig): boolean =>
  key === TRAINER
    ? (theirs.learning.trainer === 'none') === (config.learning.trainer === 'none')
    : canonicalJson(valueAt(theirs, key.split('.')) ?? null) === canonicalJson(valueAt(config, key.split('.')) ?? null);

const onTaskScale = ({ shown }: Case, { best, mean }: Printed): number | null => {
  const value = best ?? mean;
  if (value === undefined) return null;
  return shown === undefined ? value : shown.kind === 'ratio' ? shown.of / value : value / shown.of;
};

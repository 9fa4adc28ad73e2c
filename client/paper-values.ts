// What the experiments of the papers (experiments/) print of a run: the value of its method with its model and
// settings, and the human best of its task where the task itself has none.
import { valueAt } from '../evolution/config/layers.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { canonicalJson } from '../evolution/canonical-json.ts';
import { fullSize } from '../evolution/experiments/plan.ts';
import { type Case, type Experiment, makesRuns, type Printed, settingsOf } from '../evolution/experiments/spec.ts';
import { changedKeys } from '../evolution/methods/change.ts';
import { taskName } from '../evolution/task.ts';
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
  const all = listedExperiments();
  return {
    of: (config) => {
      const found = all
        .flatMap((experiment) => valuesLike(experiment, config))
        // Of several tables the one whose settings are nearest, and of equal ones the first.
        .sort((a, b) => a.apart - b.apart)[0];
      return found?.value ?? null;
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

/** The cells of an experiment that such a run could stand in: of its task, method and model, the same in what is ablated. */
const valuesLike = (
  experiment: Experiment,
  config: RunConfig,
): readonly { readonly value: number; readonly apart: number }[] =>
  experiment.cases
    .filter(
      (one) =>
        one.task === taskName(config.task) &&
        one.scores === undefined &&
        one.metric === undefined &&
        one.incomparable === undefined,
    )
    .flatMap((one) =>
      experiment.rows.filter(makesRuns).flatMap((row) => {
        const value = onTaskScale(one, row.values[one.id] ?? {});
        if (value === null) return [];
        const theirs = fullSize(settingsOf(experiment, one, row));
        const same =
          theirs.method === config.method &&
          theirs.model.name === config.model.name &&
          theirs.instance === config.instance &&
          theirs.initial === config.initial &&
          experiment.ablated.every(
            (key) =>
              canonicalJson(valueAt(theirs, key.split('.')) ?? null) ===
              canonicalJson(valueAt(config, key.split('.')) ?? null),
          );
        return same ? [{ value, apart: changedKeys(theirs, config).length }] : [];
      }),
    );

const onTaskScale = ({ shown }: Case, { best, mean }: Printed): number | null => {
  const value = best ?? mean;
  if (value === undefined) return null;
  return shown === undefined ? value : shown.kind === 'ratio' ? shown.of / value : value / shown.of;
};

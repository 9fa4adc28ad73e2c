// Groups of runs side by side: the runs that are compared, their lines, their values in words.
import {
  bandOf,
  type Compared,
  type ComparedGroup,
  firstCompared,
  firstTask,
  shortLabel,
} from '../../api/run/compare.ts';
import type { RunReport } from '../../api/run/runs.ts';
import type { AxisName } from '../../api/run/steps.ts';
import { score } from '../base/text.ts';
import { colourOf, dashOf } from '../base/ink.ts';
import type { Line } from '../charts/types.ts';

export type Chosen = {
  readonly task: string;
  /** The runs of the task. */
  readonly own: readonly RunReport[];
  /** Nobody has chosen yet. */
  readonly byItself: boolean;
  readonly chosen: readonly string[];
};

/** The runs that the address names, or else those that a person most likely wants to see. */
export const chosenOf = (runs: readonly RunReport[], query: URLSearchParams, isFile: boolean): Chosen => {
  const named = (query.get('runs') ?? '').split(',').filter((run) => run !== '');
  const task = runs.find(({ run }) => run === named[0])?.task ?? query.get('task') ?? firstTask(runs) ?? '';
  const own = runs.filter((run) => run.task === task);
  const byItself = named.length === 0 && query.get('none') === null;
  // A file has the comparison of all runs of a task, and no other.
  const first = isFile ? own.map(({ run }) => run) : firstCompared(runs, task);
  return { task, own, byItself, chosen: byItself ? first : named };
};

/** The mean of each group with its name at its end, and the borders of its tint. */
export const linesOf = (groups: readonly ComparedGroup[], axis: AxisName): readonly Line[] =>
  groups.flatMap((group, index): readonly Line[] => {
    const { mean, low, high } = bandOf(group, axis);
    const colour = colourOf(index);
    return [
      {
        ...{ colour, name: shortLabel(group.name), end: shortLabel(group.name), values: mean, dash: dashOf(index) },
        ...(group.runs.length > 1 ? { band: [3 * index + 1, 3 * index + 2] as const } : {}),
      },
      { colour, name: 'above', values: high, as: 'bound' },
      { colour, name: 'below', values: low, as: 'bound' },
    ];
  });

export const meanText = ({ mean, sd }: { readonly mean: number | null; readonly sd: number | null }): string =>
  `${score(mean, 7)}${sd === null ? '' : ` ± ${score(sd, 2)}`}`;

/** The value of a group at a checkpoint, in words. */
export const valueAt = ({ at, runs }: Pick<ComparedGroup, 'at' | 'runs'>, axis: AxisName, place: number): string => {
  const { mean, sd, n } = at[axis][place]!;
  if (mean === null) return at[axis].slice(0, place).some((before) => before.mean !== null) ? 'ended before' : 'none';
  return `${meanText({ mean, sd })}${n < runs.length ? ` (${n} runs)` : ''}`;
};

/** The best mean at the end; null where there is nothing to compare. */
export const leader = (
  groups: readonly Pick<ComparedGroup, 'final'>[],
  direction: Compared['direction'],
): number | null => {
  const means = groups.flatMap(({ final }) => final.mean ?? []);
  if (means.length === 0 || groups.length < 2) return null;
  return direction === 'maximise' ? Math.max(...means) : Math.min(...means);
};

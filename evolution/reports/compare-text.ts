// A comparison of runs is written as rows for a terminal and as CSV.
import { AXES, type Axis, type ComparedGroup, type Comparison } from './compare.ts';
import { amount, clock, dollars } from './number-text.ts';
import type { Spread } from '../statistics.ts';
import { inCsv } from '../visible.ts';

const AXIS_NAME: { readonly [axis in Axis]: string } = {
  programs: 'programs',
  tokens: 'tokens',
  costUsd: 'cost',
  seconds: 'time',
};
const AXIS_TEXT: { readonly [axis in Axis]: (value: number) => string } = {
  programs: amount,
  tokens: amount,
  costUsd: dollars,
  seconds: clock,
};
const DIGITS = 7;

const rounded = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/** `1.5 ± 0.2 (2 of 3)`; the number of runs that have a score is given where it is not all of them. */
const spreadText = ({ n, mean, sd }: Spread, runs: number): string =>
  mean === null
    ? 'none'
    : `${rounded(mean)}${sd === null ? '' : ` ± ${Number(sd.toPrecision(2))}`}${n < runs ? ` (${n} of ${runs})` : ''}`;

/** The groups at the ends of their own runs. */
export const finalRows = (groups: readonly ComparedGroup[]): readonly (readonly string[])[] => [
  ['settings', 'runs', 'best at the end', 'best of all', 'in run', ...AXES.map((axis) => AXIS_NAME[axis])],
  ...groups.map(({ label, runs, final, totals }) => [
    label,
    String(runs.length),
    spreadText(final, runs.length),
    final.best === null ? 'none' : rounded(final.best),
    final.bestRun ?? '-',
    ...AXES.map((axis) => AXIS_TEXT[axis](totals[axis])),
  ]),
];

/** The best score so far at the checkpoints of an axis. */
export const axisRows = ({ checkpoints, groups }: Comparison, axis: Axis): readonly (readonly string[])[] => [
  [AXIS_NAME[axis], ...checkpoints[axis].map((at) => AXIS_TEXT[axis](at))],
  ...groups.map(({ label, runs, at }) => [label, ...at[axis].map((spread) => spreadText(spread, runs.length))]),
];

/** CSV by RFC 4180, a record for each checkpoint and group, with full numbers or empty fields. */
export const comparisonCsv = ({ checkpoints, groups }: Comparison): string =>
  [
    ['axis', 'checkpoint', 'group', 'settings', 'runs', 'scored', 'mean', 'sd'],
    ...AXES.flatMap((axis) =>
      checkpoints[axis].flatMap((checkpoint, index) =>
        groups.map(({ label, runs, at }, group) => {
          const { n, mean, sd } = at[axis][index]!;
          return [axis, checkpoint, group, label, runs.length, n, mean, sd];
        }),
      ),
    ),
  ]
    .map((record) => `${record.map(inCsv).join(',')}\r\n`)
    .join('');

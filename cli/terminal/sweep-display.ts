// A sweep as text: a block for terminals, one line for everything else. All functions are pure, from facts to lines.
import type { SweepFacts } from '../../client/sweeps/sweep-facts.ts';
import { hasSweepEnded, type SweepReport } from '../../client/read/sweep-report.ts';
import { combinationText } from '../../evolution/sweep/combinations.ts';
import { hasEnded, isParked, RUN_STATES, type RunStatus } from '../../evolution/run-states.ts';
import { type GroupReport, sweepTable } from '../../evolution/sweep/report.ts';
import { amount, dollars } from '../../evolution/reports/number-text.ts';
import { score } from './output.ts';
import { clip, cutMiddle, LABEL, urlText } from './screen.ts';
import { table } from './table.ts';

/** A run that rests at a rung has stopped, and goes on unless its configuration loses. */
const STATES = [
  ...RUN_STATES.filter((state) => !hasEnded({ status: state })),
  'resting',
  ...RUN_STATES.filter((state) => hasEnded({ status: state })),
];

export type SweepView = {
  readonly report: SweepReport;
  readonly live: SweepFacts['live'];
  readonly waitingFor: string | null;
  readonly temporalUrl: string | null;
};

/** A head, then as many configurations as there are rows, the best mean first. */
export const sweepBlock = (view: SweepView, width: number, rows: number): readonly string[] => {
  const { report, live, temporalUrl } = view;
  const head: (readonly [string, string])[] = [
    [
      'sweep',
      `${cutMiddle(report.sweep, Math.max(24, width - LABEL - 3 - statusText(view).length))}   ${statusText(view)}`,
    ],
    [
      'runs',
      `${report.runs.length}: ${statesText(report)}${live?.rung ? ` · to the rung of ${live.rung} programs` : ''}`,
    ],
    [
      'made',
      `${report.programs} programs · ${amount(report.tokens.in)} tokens in · ${amount(report.tokens.out)} out · cost ${dollars(report.costUsd)}`,
    ],
    ...parked(report)
      .slice(0, 3)
      .map(
        ({ run, stopReason }) =>
          ['look', `${run}: ${stopReason ?? 'needs attention'}; \`npx evolve retry ${run}\``] as const,
      ),
  ];
  const named = shortNames(report.groups);
  const groupsShown = report.groups.slice(0, Math.max(1, rows - head.length - 5));
  const groups = table(
    [['mean', 'sd', 'best', 'programs', 'settings', 'runs'], ...groupsShown.map((group) => rowOf(group, named))],
    { width, drop: ['sd', 'best', 'runs', 'programs'], cut: { settings: 24, runs: 12 } },
  );
  return [
    ...head.map(([label, text]) => clip(label.padEnd(LABEL) + text, width)),
    ...(temporalUrl === null ? [] : [`${'ui'.padEnd(LABEL)}${urlText(temporalUrl, width - LABEL)}`]),
    '',
    ...groups,
    ...(report.groups.length > groupsShown.length
      ? [`and ${report.groups.length - groupsShown.length} more: \`npx evolve sweep report ${report.sweep}\``]
      : []),
  ];
};

/** One plain line for logs and pipes. */
export const sweepLine = (view: SweepView): string => {
  const { report, live } = view;
  const best = report.groups[0];
  return [
    `sweep ${report.sweep}`,
    ...(statusText(view) === 'running' ? [] : [statusText(view)]),
    `${report.runs.length} runs: ${statesText(report)}`,
    ...(live?.rung ? [`rung ${live.rung}`] : []),
    `programs ${report.programs}`,
    ...(best?.mean === null || best === undefined
      ? []
      : [`best mean ${score(best.mean)} (${combinationText(best.params)})`]),
    ...parked(report).map(({ run, stopReason }) => `${run} needs attention: ${stopReason ?? 'no reason was recorded'}`),
  ].join('  ');
};

const rowOf = (
  { params, mean, sd, best, programs, states }: GroupReport,
  named: (key: string) => string,
): readonly string[] => [
  rounded(mean),
  rounded(sd),
  rounded(best),
  String(programs),
  combinationText(Object.fromEntries(Object.entries(params).map(([key, value]) => [named(key), value]))),
  statesText({ states }),
];

/**
 * The last part of a dotted key, where no other key of the sweep ends with it. What tells configurations apart must fit
 * a terminal.
 */
const shortNames = (groups: readonly GroupReport[]): ((key: string) => string) => {
  const last = (key: string): string => key.split('.').at(-1)!;
  const keys = [...new Set(groups.flatMap(({ params }) => Object.keys(params)))];
  return (key) => (keys.filter((other) => last(other) === last(key)).length === 1 ? last(key) : key);
};
const rounded = (value: number | null): string => (value === null ? '-' : String(Number(value.toPrecision(7))));

/** The comparison of configurations as aligned columns. Without a width it is complete. */
export const groupTable = ({ groups }: SweepReport, width?: number): readonly string[] => {
  const rows = sweepTable(groups);
  const own = rows[0]!.slice(0, rows[0]!.indexOf('runs'));
  return table(rows, {
    ...(width === undefined ? {} : { width }),
    drop: [...SWEEP_LEAST_FIRST, ...own.slice(1).reverse()],
    cut: { ...Object.fromEntries(own.map((key) => [key, 12])), 'best run': 20, states: 10 },
  });
};
const SWEEP_LEAST_FIRST = [
  'tokens in',
  'tokens out',
  'cost',
  'best run',
  'sd',
  'states',
  'programs',
  'runs',
  'best',
] as const;

/** `3 finished, 2 running, 3 queued`, in the order of a run's life. */
export const statesText = ({ states }: Pick<SweepReport, 'states'>): string =>
  STATES.filter((state) => states[state])
    .map((state) => `${states[state]} ${state}`)
    .join(', ') || 'none';

const statusText = ({ report, live, waitingFor }: SweepView): string => {
  const ended = hasSweepEnded(report);
  return `${live?.status ?? report.status}${ended && live === null && report.stopReason ? ` (${report.stopReason})` : ''}${waitingFor === null ? '' : ` · waiting for ${waitingFor}`}`;
};

const parked = ({ runs }: SweepReport): SweepReport['runs'] => runs.filter(({ state }) => isParked(state as RunStatus));

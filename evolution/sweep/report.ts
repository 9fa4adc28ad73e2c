// The report says what a sweep found, with one row for each configuration, over its seeds and repetitions.
import { bestOf } from '../scoring/ranking.ts';
import type { Direction, Json, RunId } from '../types.ts';
import { amount, dollars } from '../reports/number-text.ts';
import { byScore } from './halving.ts';
import { inCsv } from '../visible.ts';
import { deviationOf, meanOf, sumOf } from '../statistics.ts';

/** One configuration of a sweep and its runs so far. */
export type SweptGroup = {
  readonly group: number;
  /** The settings that differ from the base, by dotted key. */
  readonly params: { readonly [dottedKey: string]: Json };
  readonly runs: readonly {
    readonly run: RunId;
    readonly seed: number;
    readonly repeat: number;
    readonly state: string;
    /** The best score; null where nothing is valid yet. */
    readonly best: number | null;
    readonly programs: number;
    readonly tokensIn: number;
    readonly tokensOut: number;
    readonly costUsd: number;
  }[];
};

export type GroupReport = {
  readonly group: number;
  readonly params: SweptGroup['params'];
  readonly runs: number;
  /** The mean over the runs' best scores; null where no run has one. */
  readonly mean: number | null;
  /** The standard deviation of the sample; null with fewer than two scores. */
  readonly sd: number | null;
  readonly best: number | null;
  readonly bestRun: RunId | null;
  readonly programs: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number;
  /** The number of runs in each state. */
  readonly states: { readonly [state: string]: number };
};

/** Best mean first, configurations without a score last; in the order of the file where their directions differ. */
export const sweepReport = (
  groups: readonly SweptGroup[],
  direction: Direction | ((group: number) => Direction),
): readonly GroupReport[] => {
  const of = typeof direction === 'string' ? () => direction : direction;
  const directions = new Set(groups.map(({ group }) => of(group)));
  const [only = 'maximise'] = directions;
  return groups
    .map((group) => groupReport(group, of(group.group)))
    .sort((a, b) =>
      directions.size > 1
        ? a.group - b.group
        : byScore(only)({ group: a.group, score: a.mean }, { group: b.group, score: b.mean }),
    );
};

const groupReport = ({ group, params, runs }: SweptGroup, direction: Direction): GroupReport => {
  const scored = runs.flatMap(({ run, best }) => (best === null ? [] : [{ run, best }]));
  const best = bestOf(direction, scored, (run) => run.best);
  const bests = scored.map((run) => run.best);
  const sum = (count: (run: SweptGroup['runs'][number]) => number): number => sumOf(runs.map(count));
  const states: Record<string, number> = {};
  for (const { state } of runs) states[state] = (states[state] ?? 0) + 1;
  return {
    group,
    params,
    runs: runs.length,
    mean: meanOf(bests),
    sd: deviationOf(bests),
    best: best?.best ?? null,
    bestRun: best?.run ?? null,
    programs: sum((run) => run.programs),
    tokensIn: sum((run) => run.tokensIn),
    tokensOut: sum((run) => run.tokensOut),
    costUsd: sum((run) => run.costUsd),
    states,
  };
};

type Column = {
  readonly title: string;
  /** The heading in CSV; the title where it is left out. */
  readonly csv?: string;
  readonly value: (report: GroupReport) => string | number | null;
  /** The text in a terminal; the value where it is left out. */
  readonly text?: (report: GroupReport) => string;
};

const COLUMNS: readonly Column[] = [
  { title: 'runs', value: ({ runs }) => runs },
  { title: 'mean', value: ({ mean }) => mean, text: ({ mean }) => rounded(mean) },
  { title: 'sd', value: ({ sd }) => sd, text: ({ sd }) => rounded(sd) },
  { title: 'best', value: ({ best }) => best, text: ({ best }) => rounded(best) },
  { title: 'best run', csv: 'best_run', value: ({ bestRun }) => bestRun, text: ({ bestRun }) => bestRun ?? '-' },
  { title: 'programs', value: ({ programs }) => programs },
  {
    title: 'tokens in',
    csv: 'tokens_in',
    value: ({ tokensIn }) => tokensIn,
    text: ({ tokensIn }) => amount(tokensIn),
  },
  {
    title: 'tokens out',
    csv: 'tokens_out',
    value: ({ tokensOut }) => tokensOut,
    text: ({ tokensOut }) => amount(tokensOut),
  },
  { title: 'cost', csv: 'cost_usd', value: ({ costUsd }) => costUsd, text: ({ costUsd }) => dollars(costUsd) },
  { title: 'states', value: ({ states }) => statesText(states) },
];

/** The heading and the rows as texts for a terminal. */
export const sweepTable = (reports: readonly GroupReport[]): readonly (readonly string[])[] => {
  const keys = paramKeys(reports);
  return [
    [...keys, ...COLUMNS.map(({ title }) => title)],
    ...reports.map((report) => [
      ...keys.map((key) => paramText(report.params[key])),
      ...COLUMNS.map(({ value, text = (one) => String(value(one)) }) => text(report)),
    ]),
  ];
};

/** CSV by RFC 4180, with full numbers or empty fields. */
export const sweepCsv = (reports: readonly GroupReport[]): string => {
  const keys = paramKeys(reports);
  const records: readonly (readonly (string | number | null)[])[] = [
    ['group', ...keys, ...COLUMNS.map(({ title, csv = title }) => csv)],
    ...reports.map((report) => [
      report.group,
      ...keys.map((key) => (key in report.params ? paramText(report.params[key]) : null)),
      ...COLUMNS.map(({ value }) => value(report)),
    ]),
  ];
  return records.map((record) => `${record.map(inCsv).join(',')}\r\n`).join('');
};

const paramKeys = (reports: readonly GroupReport[]): readonly string[] => [
  ...new Set(reports.toSorted((a, b) => a.group - b.group).flatMap(({ params }) => Object.keys(params))),
];
const paramText = (value: Json | undefined): string =>
  value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
const statesText = (states: GroupReport['states']): string =>
  Object.entries(states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
const rounded = (value: number | null): string => (value === null ? '-' : String(Number(value.toPrecision(7))));

// Runs of a task that can be compared (one method, settings and budget), and each method over the problems with a human
// best (AlphaResearch Eq. 4).
import { bestOf, gainOver, isBetter } from '../scoring/ranking.ts';
import { hasEnded, type RunStatus } from '../run-states.ts';
import { deviationOf, meanOf } from '../statistics.ts';
import type { Direction } from '../types.ts';

/** The fields of a report's row that count here. */
type ReportRow = {
  readonly task: string;
  readonly method: string;
  /** What sets its settings and budget apart from other runs of its method and task. */
  readonly settings: string;
  readonly state: RunStatus;
  readonly programs: number;
  readonly offlineModel: boolean;
  readonly direction: Direction;
  readonly best: number | null;
  readonly bestStrict: number | null;
  readonly excel: number | null;
};

type TaskSpread = Pick<ReportRow, 'task' | 'method' | 'settings' | 'direction'> & {
  /** Those of them that have not ended. */
  readonly open: number;
  /** The least and the most that one of them has made. */
  readonly programs: readonly [least: number, most: number];
  /** Runs that have a valid program; the numbers are of their best scores, strict where there is one. */
  readonly runs: number;
  readonly mean: number;
  /** The deviation of a sample; null with fewer than two runs. */
  readonly sd: number | null;
  readonly best: number;
  readonly worst: number;
};

type MethodSummary = {
  readonly method: string;
  /** Problems with a human best on which the method has a run with a valid program. */
  readonly problems: number;
  /** Problems of which the run that counts has not ended. */
  readonly open: number;
  /** The mean over problems of excel@best, each of the best run of the problem. */
  readonly meanExcel: number;
  /** Problems on which the human best is beaten. */
  readonly wins: number;
  /** The problem furthest behind the human best, and its excel@best. */
  readonly worst: number;
  readonly worstTask: string;
};

/** Answers of the offline model are a control, so they are never counted with those of a language model. */
const methodOf = ({ method, offlineModel }: ReportRow): string => `${method}${offlineModel ? ' (offline)' : ''}`;

/** By task, the best mean first. Only runs of the same settings and budget are seeds of one row, as in a comparison. */
export const taskSpreads = (rows: readonly ReportRow[]): readonly TaskSpread[] =>
  [...Map.groupBy(rows, ({ task }) => task).values()].flatMap((own) =>
    groupSpreads(own).toSorted((a, b) => gainOver(a.direction, b.mean, a.mean)),
  );

const groupSpreads = (rows: readonly ReportRow[]): readonly TaskSpread[] =>
  [...Map.groupBy(rows, (row) => JSON.stringify([methodOf(row), row.settings])).values()].flatMap((own) => {
    const [{ task, direction, settings }] = own as [ReportRow];
    const scored = own.filter(({ best, bestStrict }) => (bestStrict ?? best) !== null);
    const scores = scored.flatMap(({ best, bestStrict }) => bestStrict ?? best ?? []);
    if (scores.length === 0) return [];
    const made = scored.map(({ programs }) => programs).toSorted((a, b) => a - b);
    const sorted = scores.toSorted((a, b) => gainOver(direction, b, a));
    return [
      {
        task,
        method: methodOf(own[0]!),
        settings,
        direction,
        open: scored.filter(({ state }) => !hasEnded({ status: state })).length,
        programs: [made[0]!, made.at(-1)!],
        runs: scores.length,
        mean: meanOf(scores)!,
        sd: deviationOf(scores),
        best: sorted[0]!,
        worst: sorted.at(-1)!,
      },
    ];
  });

/** Best mean first; methods without a problem that has a human best are left out. */
export const methodSummaries = (rows: readonly ReportRow[]): readonly MethodSummary[] =>
  [...Map.groupBy(rows, methodOf)]
    .flatMap(([method, own]) => {
      const problems = [...Map.groupBy(own, ({ task }) => task)].flatMap(([task, runs]) => {
        const best = bestOf('maximise', runs, ({ excel }) => excel);
        return best === null || best.excel === null
          ? []
          : [{ task, excel: best.excel, isOpen: !hasEnded({ status: best.state }) }];
      });
      if (problems.length === 0) return [];
      const worst = problems.reduce((a, b) => (isBetter('minimise', b.excel, a.excel) ? b : a));
      return [
        {
          method,
          problems: problems.length,
          open: problems.filter(({ isOpen }) => isOpen).length,
          meanExcel: meanOf(problems.map(({ excel }) => excel))!,
          wins: problems.filter(({ excel }) => excel > 0).length,
          worst: worst.excel,
          worstTask: worst.task,
        },
      ];
    })
    .sort((a, b) => b.meanExcel - a.meanExcel);

/** Ten significant digits, because three decimals hide all progress near a record. */
export const number = (value: number | null): string => (value === null ? '-' : String(Number(value.toPrecision(10))));
/** Two decimals; what is less than these has its first digit. */
export const percent = (value: number | null): string => {
  if (value === null) return '-';
  const rounded = (100 * value).toFixed(2);
  const text = Number(rounded) === 0 ? String(Number((100 * value).toPrecision(1))) : rounded;
  return `${value > 0 ? '+' : ''}${text} %`;
};

const withOpen = (all: number, open: number): string => (open === 0 ? String(all) : `${all} (${open} open)`);

/** The heading and a row for each group of runs. */
export const spreadTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => {
  const spreads = taskSpreads(rows);
  const differ = spreads.some(({ settings }) => settings !== '');
  return [
    ['task', 'method', ...(differ ? ['settings'] : []), 'runs', 'mean', 'sd', 'best', 'worst', 'programs'],
    ...spreads.map(({ direction, programs: [least, most], ...spread }) => [
      spread.task,
      spread.method,
      ...(differ ? [spread.settings || '-'] : []),
      withOpen(spread.runs, spread.open),
      `${number(spread.mean)} ${direction === 'maximise' ? '↑' : '↓'}`,
      spread.sd === null ? '-' : String(Number(spread.sd.toPrecision(3))),
      number(spread.best),
      number(spread.worst),
      least === most ? String(most) : `${least} to ${most}`,
    ]),
  ];
};

/** The heading and a row for each method. */
export const summaryTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => [
  ['method', 'problems', 'mean excel@best', 'wins', 'worst', 'worst problem'],
  ...methodSummaries(rows).map(({ method, problems, open, meanExcel, wins, worst, worstTask }) => [
    method,
    withOpen(problems, open),
    percent(meanExcel),
    `${wins} of ${problems}`,
    percent(worst),
    worstTask,
  ]),
];

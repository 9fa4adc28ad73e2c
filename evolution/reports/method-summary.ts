// Each method on each task over its runs, and over the problems with a human best (AlphaResearch Eq. 4).
import { bestOf, gainOver, isBetter } from '../scoring/ranking.ts';
import { deviationOf, meanOf } from '../statistics.ts';
import type { Direction } from '../types.ts';

/** The fields of a report's row that count here. */
type ReportRow = {
  readonly task: string;
  readonly method: string;
  readonly offlineModel: boolean;
  readonly direction: Direction;
  readonly best: number | null;
  readonly bestStrict: number | null;
  readonly excel: number | null;
};

type TaskSpread = {
  readonly task: string;
  readonly method: string;
  readonly direction: Direction;
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

/** In the order of the rows. */
export const taskSpreads = (rows: readonly ReportRow[]): readonly TaskSpread[] =>
  [...Map.groupBy(rows, (row) => JSON.stringify([row.task, methodOf(row)])).values()].flatMap((own) => {
    const [{ task, direction }] = own as [ReportRow];
    const scores = own.flatMap(({ best, bestStrict }) => bestStrict ?? best ?? []);
    if (scores.length === 0) return [];
    const sorted = scores.toSorted((a, b) => gainOver(direction, b, a));
    return [
      {
        task,
        method: methodOf(own[0]!),
        direction,
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
        const best = bestOf('maximise', runs, ({ excel }) => excel)?.excel ?? null;
        return best === null ? [] : [{ task, excel: best }];
      });
      if (problems.length === 0) return [];
      const worst = problems.reduce((a, b) => (isBetter('minimise', b.excel, a.excel) ? b : a));
      return [
        {
          method,
          problems: problems.length,
          meanExcel: meanOf(problems.map(({ excel }) => excel))!,
          wins: problems.filter(({ excel }) => excel > 0).length,
          worst: worst.excel,
          worstTask: worst.task,
        },
      ];
    })
    .sort((a, b) => b.meanExcel - a.meanExcel);

const number = (value: number | null): string => (value === null ? '-' : String(Number(value.toPrecision(10))));
const percent = (value: number): string => `${value > 0 ? '+' : ''}${(100 * value).toFixed(4)} %`;

/** The heading and a row for each task and method. */
export const spreadTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => [
  ['task', 'method', 'runs', 'mean', 'sd', 'best', 'worst'],
  ...taskSpreads(rows).map(({ task, method, direction, runs, mean, sd, best, worst }) => [
    task,
    method,
    String(runs),
    `${number(mean)} ${direction === 'maximise' ? '↑' : '↓'}`,
    sd === null ? '-' : String(Number(sd.toPrecision(3))),
    number(best),
    number(worst),
  ]),
];

/** The heading and a row for each method. */
export const summaryTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => [
  ['method', 'problems', 'mean excel@best', 'wins', 'worst', 'worst problem'],
  ...methodSummaries(rows).map(({ method, problems, meanExcel, wins, worst, worstTask }) => [
    method,
    String(problems),
    percent(meanExcel),
    `${wins} of ${problems}`,
    percent(worst),
    worstTask,
  ]),
];

// The rows of `evolve report` show runs beside the values of their papers and the best values known. They are written
// as a table, Markdown, CSV and a page.
import { excelOf } from '../scoring/human-best.ts';
import type { Task } from '../task.ts';
import type { Direction } from '../types.ts';
import { csvField } from './compare-text.ts';

export type ReportedRun = {
  readonly run: string;
  readonly task: string;
  readonly method: string;
  readonly seed: number;
  readonly state: string;
  /** The best tolerant and the best strict objective, which may belong to two programs; null without one. */
  readonly best: number | null;
  readonly bestStrict: number | null;
  /**
   * The score of the best program on hidden instances, by which no run is ranked; null where the task has none, or the
   * program was not run on them.
   */
  readonly hidden: number | null;
  readonly programs: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** The number of programs whose score is held in quarantine. */
  readonly quarantined: number;
  readonly offlineModel: boolean;
};

export type ReportRow = ReportedRun & {
  readonly scoreName: string;
  readonly direction: Direction;
  /** The value of the paper of the run's method; null where it has none for this task. */
  readonly paper: number | null;
  readonly bestKnown: { readonly value: number; readonly strict: boolean } | null;
  /**
   * AlphaResearch's excel@best, (best - human)·d / |human|: above 0 where the human best is beaten. It is computed from
   * the strict value where the human one is strict.
   */
  readonly excel: number | null;
};

type Judged = Pick<Task, 'references' | 'direction' | 'scoreName'>;

export const reportRow = (run: ReportedRun, { references, direction, scoreName }: Judged): ReportRow => {
  const human = references.find((reference) => reference.human === true);
  const best = references.find((reference) => reference.best === true);
  const own = human?.strict ? run.bestStrict : run.best;
  return {
    ...run,
    scoreName,
    direction,
    paper: references.find(({ paper }) => paper === run.method)?.value ?? null,
    bestKnown: best === undefined ? null : { value: best.value, strict: best.strict },
    excel:
      human === undefined || own === null || human.value === 0
        ? null
        : excelOf({ best: own, human: human.value, direction }),
  };
};

const HEAD = [
  'task',
  'run',
  'method',
  'seed',
  'best',
  'best strict',
  'hidden',
  'paper',
  'best known',
  'excel@best',
  'programs',
  'tokens',
  'cost',
  'state',
] as const;

/** Ten significant digits, because three decimals hide all progress near a record. */
const number = (value: number | null): string => (value === null ? '-' : String(Number(value.toPrecision(10))));
const signed = (value: number | null): string =>
  value === null ? '-' : `${value > 0 ? '+' : ''}${(100 * value).toFixed(4)} %`;

const cells = (row: ReportRow): readonly string[] => [
  row.task,
  row.run,
  `${row.method}${row.offlineModel ? ' (offline)' : ''}`,
  String(row.seed),
  `${number(row.best)} ${row.direction === 'maximise' ? '↑' : '↓'}`,
  number(row.bestStrict),
  number(row.hidden),
  number(row.paper),
  row.bestKnown === null ? '-' : `${number(row.bestKnown.value)}${row.bestKnown.strict ? '' : ' (tolerant)'}`,
  signed(row.excel),
  String(row.programs),
  String(row.tokens),
  `$${row.costUsd.toFixed(4)}`,
  `${row.state}${row.quarantined > 0 ? `, ${row.quarantined} quarantined` : ''}`,
];

/** The first row is the heading. */
export const reportTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => [HEAD, ...rows.map(cells)];

export const NOTES = [
  'best: tolerant objective; strict: without any tolerance. Records are claimed on strict values only.',
  "hidden: the best program on instances that no run is ranked by, on the scale of the task's evaluate_hidden (function tasks): where it falls behind, the public ones were learnt by heart.",
  "paper: the value that the paper of the run's method prints for this task. best known: by anybody, under the check that is named.",
  'excel@best (AlphaResearch): signed distance to the best human result, as a share of it; above 0 it is beaten.',
  '(offline): answered by the offline model, which holds no language model: a control, no result of the method.',
] as const;

export const reportMarkdown = (rows: readonly ReportRow[]): string => {
  const row = (values: readonly string[]): string =>
    `| ${values.map((value) => value.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[row(HEAD), row(HEAD.map(() => '---')), ...rows.map((one) => row(cells(one)))].join('\n')}\n\n${NOTES.map((note) => `- ${note}`).join('\n')}\n`;
};

/** CSV by RFC 4180 in full precision; a field is empty where there is no value. */
export const reportCsv = (rows: readonly ReportRow[]): string =>
  [
    [
      'task',
      'score_name',
      'direction',
      'run',
      'method',
      'seed',
      'state',
      'best',
      'best_strict',
      'hidden',
      'paper',
      'best_known',
      'best_known_strict',
      'excel_at_best',
      'programs',
      'quarantined',
      'tokens',
      'cost_usd',
      'offline_model',
    ],
    ...rows.map((row) => [
      row.task,
      row.scoreName,
      row.direction,
      row.run,
      row.method,
      row.seed,
      row.state,
      row.best,
      row.bestStrict,
      row.hidden,
      row.paper,
      row.bestKnown?.value ?? null,
      row.bestKnown === null ? null : String(row.bestKnown.strict),
      row.excel,
      row.programs,
      row.quarantined,
      row.tokens,
      row.costUsd,
      String(row.offlineModel),
    ]),
  ]
    .map((record) => `${record.map(csvField).join(',')}\r\n`)
    .join('');

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? character,
  );

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:90rem;padding:0 1rem;color:#1d2733;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}.wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap}
th,td{padding:.35rem .5rem;border-bottom:1px solid #d8dee6;text-align:right;font-variant-numeric:tabular-nums}th{color:#51606f;font-weight:600}
th:nth-child(-n+2),td:nth-child(-n+2),th:last-child,td:last-child{text-align:left}.won{color:#14713a;font-weight:600}ul{color:#51606f;padding-left:1.2rem}
@media (prefers-color-scheme:dark){body{background:#14181d;color:#e3e8ee}th,ul{color:#9fb0c0}th,td{border-color:#2c3640}.won{color:#59c98a}}`;

/** One file without scripts, which loads nothing from elsewhere. `made` is the time of making, as text. */
export const reportPage = (rows: readonly ReportRow[], made: string): string => {
  const tasks = Map.groupBy(rows, ({ task }) => task);
  const body = [...tasks]
    .map(([task, own]) => {
      // The task stands above its table, and tasks without hidden instances need no column for them.
      const shown = (values: readonly string[]): readonly string[] =>
        values.filter(
          (_, column) => column > 0 && (HEAD[column] !== 'hidden' || own.some(({ hidden }) => hidden !== null)),
        );
      const head = shown(HEAD)
        .map((name) => `<th scope="col">${escaped(name)}</th>`)
        .join('');
      const lines = own
        .map(
          (row) =>
            `<tr${row.excel !== null && row.excel > 0 ? ' class="won"' : ''}>${shown(cells(row))
              .map((value) => `<td>${escaped(value)}</td>`)
              .join('')}</tr>`,
        )
        .join('\n');
      return `<h2>${escaped(task)}: ${escaped(own[0]!.scoreName)}, ${own[0]!.direction === 'maximise' ? 'higher' : 'lower'} is better</h2>\n<div class="wide"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${lines}\n</tbody></table></div>`;
    })
    .join('\n');
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>DurableEvolve: runs</title><style>${STYLE}</style></head>
<body>\n<h1>Runs of DurableEvolve</h1>\n<p>${escaped(made)}, ${rows.length} run${rows.length === 1 ? '' : 's'}</p>\n${body}\n<ul>\n${NOTES.map((note) => `<li>${escaped(note)}</li>`).join('\n')}\n</ul>\n</body></html>\n`;
};

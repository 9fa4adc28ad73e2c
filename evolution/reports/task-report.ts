// The rows of `evolve report`: runs beside the values of papers, as table, Markdown, CSV, and on the page.
import { excelOf } from '../scoring/human-best.ts';
import type { Task } from '../task/task.ts';
import type { Trust } from '../task/trust.ts';
import type { RunStatus } from '../run-states.ts';
import type { Direction } from '../types.ts';
import { inCsv, inLatex, inMarkdown } from '../visible.ts';
import { number, percent, spreadTable, summaryTable } from './method-summary.ts';
import { dollars } from './number-text.ts';

export type ReportedRun = {
  readonly run: string;
  /** With the variant of its instance that the run chose, where it chose one. */
  readonly task: string;
  /** The initial program, by the name that the run chose (null: the task's own), and what it scored. */
  readonly start: { readonly name: string | null; readonly score: number | null };
  readonly method: string;
  /** What sets its settings and budget apart from other runs of its method and task; empty where nothing does. */
  readonly settings: string;
  readonly seed: number;
  readonly state: RunStatus;
  /** The best tolerant and the best strict objective, which may belong to two programs; null without one. */
  readonly best: number | null;
  readonly bestStrict: number | null;
  /** The best program's score on hidden instances, by which no run is ranked; null where there is none. */
  readonly hidden: number | null;
  /** The initial program's score there, and in which direction scores are better; null where that is not known. */
  readonly hiddenInitial: number | null;
  readonly hiddenDirection: Direction | null;
  readonly programs: number;
  readonly tokens: number;
  /** Null where the price of a model is not known and nothing was paid by another one. */
  readonly costUsd: number | null;
  /** The number of programs whose score is held in quarantine. */
  readonly quarantined: number;
  readonly offlineModel: boolean;
  /** How far its scores can be trusted; null where that is not known. */
  readonly level: Trust | null;
};

export type ReportRow = ReportedRun & {
  readonly scoreName: string;
  readonly direction: Direction;
  /** The value of the paper of the run's method; null where it has none for this task. */
  readonly paper: number | null;
  readonly bestKnown: { readonly value: number; readonly strict: boolean } | null;
  /** AlphaResearch's excel@best, (best - human)·d / |human|, strict where the human value is: above 0 it is beaten. */
  readonly excel: number | null;
};

type Judged = Pick<Task, 'references' | 'direction' | 'scoreName'>;

/** The experiments' words on a run beyond its task. */
export type PaperSays = {
  /** The value that the paper prints for this method with this model and these settings. */
  readonly value: number | null;
  /** A human best of another formula, and the run's own value by it. It counts where the task has no human best. */
  readonly human: { readonly value: number; readonly own: number | null } | null;
};

export const reportRow = (
  run: ReportedRun,
  { references, direction, scoreName }: Judged,
  says: PaperSays = { value: null, human: null },
): ReportRow => {
  const marked = references.find((reference) => reference.human === true);
  const best = references.find((reference) => reference.best === true);
  const human = marked ?? says.human ?? undefined;
  const own = marked === undefined ? (says.human?.own ?? null) : marked.strict ? run.bestStrict : run.best;
  return {
    ...run,
    scoreName,
    direction,
    paper: says.value ?? references.find(({ paper }) => paper === run.method)?.value ?? null,
    bestKnown: best === undefined ? null : { value: best.value, strict: best.strict },
    excel:
      human === undefined || own === null || human.value === 0
        ? null
        : excelOf({ best: own, human: human.value, direction }),
  };
};

/** A column of the table, of Markdown and of the page. */
type Shown = {
  readonly title: string;
  readonly text: (row: ReportRow) => string;
  /** Its place among the columns that a narrow window leaves out, 1 first; without one it stays. */
  readonly dropped?: number;
  /** The page has it in the table of one task; left out: it has. */
  readonly onPage?: (rows: readonly ReportRow[]) => boolean;
};
/** A field of the CSV. It is empty where the value is null. */
type Written = { readonly csv: string; readonly value: (row: ReportRow) => string | number | null };
type No<T> = { readonly [key in keyof T]?: never };
type Column = (Shown & Written) | (Shown & No<Written>) | (No<Shown> & Written);

type Of<T> = (row: ReportRow) => T;
/** A column whose text is its value. */
const plain = (title: string, csv: string, value: Of<string | number>, more: Partial<Shown> = {}): Column => ({
  ...{ title, csv, value, text: (row) => String(value(row)), ...more },
});
const figure = (title: string, csv: string, value: Of<number | null>, dropped: number): Column => ({
  ...{ title, csv, value, text: (row) => number(value(row)), dropped },
});

/** Every form has its columns from this list, in this order. Where the CSV has another order, a column has two entries. */
const COLUMNS: readonly Column[] = [
  // On the page it stands above its table.
  plain('task', 'task', ({ task }) => task, { dropped: 11, onPage: () => false }),
  { csv: 'score_name', value: ({ scoreName }) => scoreName },
  { csv: 'direction', value: ({ direction }) => direction },
  plain('run', 'run', ({ run }) => run),
  {
    title: 'method',
    csv: 'method',
    text: ({ method, offlineModel }) => `${method}${offlineModel ? ' (offline)' : ''}`,
    value: ({ method }) => method,
    dropped: 6,
  },
  plain('seed', 'seed', ({ seed }) => seed, { dropped: 3 }),
  { csv: 'state', value: ({ state }) => state },
  {
    title: 'start',
    text: ({ start: { name, score } }) => `${name === null ? '' : `${name} `}${number(score)}`,
    dropped: 2,
  },
  {
    title: 'best',
    csv: 'best',
    text: ({ best, direction }) => `${number(best)} ${direction === 'maximise' ? '↑' : '↓'}`,
    value: ({ best }) => best,
  },
  figure('best strict', 'best_strict', ({ bestStrict }) => bestStrict, 7),
  {
    title: 'hidden',
    csv: 'hidden',
    text: ({ hidden, hiddenInitial, hiddenDirection }) =>
      [
        number(hidden),
        ...(hidden === null || hiddenDirection === null ? [] : [hiddenDirection === 'maximise' ? '↑' : '↓']),
        ...(hiddenInitial === null ? [] : [`(initial ${number(hiddenInitial)})`]),
      ].join(' '),
    value: ({ hidden }) => hidden,
    dropped: 5,
    // Tasks without hidden instances need no column for them.
    onPage: (rows) => rows.some(({ hidden }) => hidden !== null),
  },
  { csv: 'hidden_initial', value: ({ hiddenInitial }) => hiddenInitial },
  figure('paper', 'paper', ({ paper }) => paper, 8),
  {
    title: 'best known',
    csv: 'best_known',
    text: ({ bestKnown }) =>
      bestKnown === null ? '-' : `${number(bestKnown.value)}${bestKnown.strict ? '' : ' (tolerant)'}`,
    value: ({ bestKnown }) => bestKnown?.value ?? null,
    dropped: 12,
  },
  { csv: 'best_known_strict', value: ({ bestKnown }) => bestKnown && String(bestKnown.strict) },
  {
    title: 'excel@best',
    csv: 'excel_at_best',
    text: ({ excel }) => percent(excel),
    value: ({ excel }) => excel,
    dropped: 10,
  },
  plain('programs', 'programs', ({ programs }) => programs, { dropped: 4 }),
  { csv: 'quarantined', value: ({ quarantined }) => quarantined },
  plain('tokens', 'tokens', ({ tokens }) => tokens, { dropped: 2 }),
  {
    title: 'cost',
    csv: 'cost_usd',
    text: ({ costUsd }) => (costUsd === null ? 'unknown' : dollars(costUsd)),
    value: ({ costUsd }) => costUsd,
    dropped: 1,
  },
  { csv: 'start', value: ({ start }) => start.name },
  { csv: 'start_score', value: ({ start }) => start.score },
  { csv: 'offline_model', value: ({ offlineModel }) => String(offlineModel) },
  {
    title: 'level',
    csv: 'level',
    text: ({ level }) => level ?? '-',
    value: ({ level }) => level,
    dropped: 7,
  },
  { csv: 'settings', value: ({ settings }) => settings },
  {
    title: 'state',
    text: ({ state, quarantined }) => `${state}${quarantined > 0 ? `, ${quarantined} quarantined` : ''}`,
    dropped: 9,
  },
];
const SHOWN = COLUMNS.filter((column) => column.title !== undefined);
const WRITTEN = COLUMNS.filter((column) => column.csv !== undefined);

/** Titles of the columns that a narrow window leaves out, the least needed first. */
export const LEAST_FIRST: readonly string[] = SHOWN.filter(({ dropped }) => dropped !== undefined)
  .sort((a, b) => a.dropped! - b.dropped!)
  .map(({ title }) => title);

const titles = (columns: readonly Shown[]): readonly string[] => columns.map(({ title }) => title);
const cells = (columns: readonly Shown[], row: ReportRow): readonly string[] => columns.map(({ text }) => text(row));

/** The first row is the heading. */
export const reportTable = (rows: readonly ReportRow[]): readonly (readonly string[])[] => [
  titles(SHOWN),
  ...rows.map((row) => cells(SHOWN, row)),
];

export const NOTES = [
  'best: tolerant objective; strict: without any tolerance. Records are claimed on strict values only.',
  "hidden: the best program on instances that no run is ranked by, on the scale of the task's evaluate_hidden (function tasks): where it is no better than the initial program, which stands beside it, what was learnt holds for the ranked ones only.",
  "paper: the value that a paper prints for this method with this model and these settings, else the one that the paper of the run's method prints for this task. best known: by anybody, under the check that is named.",
  'excel@best (AlphaResearch): signed distance to the best human result, as a share of it; above 0 it is beaten.',
  '(offline): answered by the offline model, which holds no language model: a control, no result of the method.',
] as const;

/** The tables below the rows, those that say something. */
const sums = (rows: readonly ReportRow[]): readonly (readonly (readonly string[])[])[] =>
  [spreadTable(rows), summaryTable(rows)].filter((table) => table.length > 1);

export const reportMarkdown = (rows: readonly ReportRow[]): string => {
  const row = (values: readonly string[]): string => `| ${values.map(inMarkdown).join(' | ')} |`;
  const written = ([head = [], ...body]: readonly (readonly string[])[]): string =>
    `${[row(head), row(head.map(() => '---')), ...body.map(row)].join('\n')}\n\n`;
  return `${[reportTable(rows), ...sums(rows)].map(written).join('')}${NOTES.map((note) => `- ${note}`).join('\n')}\n`;
};

/** Without the columns in which no run has a value. */
const filled = (table: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const [, ...body] = table;
  return table.map((row) => row.filter((_, column) => body.some((cells) => cells[column] !== '-')));
};

/** Tables for `\input`, no wider than the text. */
export const reportLatex = (rows: readonly ReportRow[]): string => {
  const line = (cells: readonly string[]): string => `${cells.map(inLatex).join(' & ')} ${'\\\\'}`;
  const written = ([head = [], ...body]: readonly (readonly string[])[]): string =>
    String.raw`\begin{table}
\centering
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tabular}{${'l'.repeat(head.length)}}
\toprule
${line(head)}
\midrule
${body.map(line).join('\n')}
\bottomrule
\end{tabular}}
\end{table}
`;
  return [
    String.raw`% Needs \usepackage{booktabs,graphicx} and \usepackage[T1]{fontenc}; then \input takes this file.`,
    ...[reportTable(rows), ...sums(rows)].map((table) => written(filled(table))),
    ...NOTES.map((note) => `% ${note}`),
    '',
  ].join('\n');
};

/** CSV by RFC 4180 in full precision; a field is empty where there is no value. */
export const reportCsv = (rows: readonly ReportRow[]): string =>
  [WRITTEN.map(({ csv }) => csv), ...rows.map((row) => WRITTEN.map(({ value }) => value(row)))]
    .map((record) => `${record.map(inCsv).join(',')}\r\n`)
    .join('');

/** The runs of one task, without the columns that say nothing of them. */
export type TaskTable = {
  readonly task: string;
  readonly scoreName: string;
  readonly direction: Direction;
  readonly head: readonly string[];
  /** `won`: it is better than the human best. */
  readonly lines: readonly { readonly run: string; readonly won: boolean; readonly cells: readonly string[] }[];
};

export const taskTables = (rows: readonly ReportRow[]): readonly TaskTable[] =>
  [...Map.groupBy(rows, ({ task }) => task)].map(([task, own]) => {
    const columns = SHOWN.filter(({ onPage }) => onPage?.(own) ?? true);
    const { scoreName, direction } = own[0]!;
    return {
      ...{ task, scoreName, direction, head: titles(columns) },
      lines: own.map((row) => ({
        run: row.run,
        won: row.excel !== null && row.excel > 0,
        cells: cells(columns, row),
      })),
    };
  });

/** The tables below, with their titles. */
export const sumTables = (
  rows: readonly ReportRow[],
): readonly { readonly title: string; readonly table: readonly (readonly string[])[] }[] =>
  sums(rows).map((table) => ({
    title: table[0]![0] === 'task' ? 'Over runs of the same settings and budget' : 'Beside the human best',
    table,
  }));

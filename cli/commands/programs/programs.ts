// evolve programs: every candidate a run has made, in order, a row each; one JSON object a line with --json, and the same
// as columns with --csv and --parquet.
import { UsageError } from '../../../client/connect/errors.ts';
import { type Known, ProgramRows, type Read } from '../../../client/rows/program-rows.ts';
import { inventsScores } from '../../../evolution/config/noop.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import {
  isNumber,
  numberEntry,
  type NumberName,
  numberNames,
  numberText,
} from '../../../evolution/reports/program-numbers.ts';
import { markText } from '../../../evolution/steering/base/people.ts';
import { rankedScore } from '../../../evolution/scoring/ranking.ts';
import { type Outcome, OUTCOMES } from '../../../evolution/types.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { jsonLine, line, score, wholeFrom } from '../../terminal/output.ts';
import { RowFile, type RowFileOptions, withRowFile } from '../../terminal/row-file.ts';
import { heightOf, widthOf } from '../../terminal/screen.ts';
import { headed, table } from '../../terminal/table.ts';

type Options = RowFileOptions & {
  readonly json?: boolean;
  readonly code?: boolean;
  readonly all?: boolean;
  readonly outcome?: string;
  readonly step?: string;
  readonly quarantined?: boolean;
  readonly elites?: boolean;
  readonly columns?: string;
};

export const build: Build = (command) =>
  withRowFile(command)
    .argument(...RUN_ARGUMENT)
    .option('--code', 'also print the text of each program')
    .option('--outcome <kind>', `only those that ended as ${OUTCOMES.join(', ')}`)
    .option('--step <n>', 'only those of one step')
    .option('--quarantined', 'only those whose score was held back')
    .option('--elites', 'only those that hold a cell of the archive now')
    .option(
      '--columns <names>',
      `also these numbers, separated by commas: ${numberNames.join(', ')}, or metric:<name> for one of the evaluator`,
    )
    .option('--all', 'also list the initial program (step 0)')
    .action(
      act(async (context, options: Options, id: string) => {
        const { outcome, step, code = false, quarantined = false, elites = false, all = elites } = options;
        if (outcome !== undefined && !OUTCOMES.some((one) => one === outcome))
          throw new UsageError(`--outcome: expected one of ${OUTCOMES.join(', ')}, got "${outcome}"`);
        const query = {
          ...{ initial: all, code, quarantined, elites },
          ...(outcome === undefined ? {} : { outcome: outcome as Outcome }),
          ...(step === undefined ? {} : { step: wholeFrom(step, '--step', 0) }),
        };
        const wanted = columnsIn(options.columns);
        return withStoredRun(context, id, async (run, store) => {
          const found = await ProgramRows.of(store, run, query);
          const file = RowFile.of(options);
          if (file !== null || options.json) {
            for await (const row of found)
              if (file === null) jsonLine(row);
              else file.add(row);
            return file?.end();
          }
          const columns = columnsOf(run.run, wanted, run.config, found.known);
          const rows: (readonly string[])[] = [];
          for await (const page of found.pages({ numbers: wanted.filter(isNumber), metrics: wanted.some(isMetric) }))
            if (options.code) printWithCode(page, columns);
            // All rows are laid out together, so that columns have one width from the first program to the last.
            else rows.push(...rowsOf(page, columns));
          if (rows.length > 0) for (const text of headed(tableOf(rows, columns), heightOf(process.stdout))) line(text);
        });
      }),
    );

const METRIC = 'metric:';
type Metric = `metric:${string}`;
const isMetric = (name: string): name is Metric => name.startsWith(METRIC);

const columnsIn = (names = ''): readonly (NumberName | Metric)[] =>
  names
    .split(',')
    .filter((name) => name !== '' && name !== 'score')
    .map((name) => {
      if (isNumber(name) || isMetric(name)) return name;
      throw new UsageError(
        `--columns: expected some of ${numberNames.join(', ')}, or metric:${name} for a number of the evaluator, got "${name}"`,
      );
    });

type Column = { readonly title: string; readonly cell: (read: Read) => string };

const columnsOf = (
  run: string,
  wanted: readonly (NumberName | Metric)[],
  config: RunConfig,
  { marks, cells, open }: Known,
): readonly Column[] => [
  { title: 'program', cell: ({ program }) => program._id },
  ...(marks.size === 0 ? [] : [{ title: 'mark', cell: ({ program }: Read) => markText(marks.get(program._id)) }]),
  {
    title: 'score',
    cell: ({ program }) =>
      `${rankedScore(program) === null ? '-' : score(rankedScore(program))}${program.score !== null && inventsScores(config) ? ' (invented)' : ''}`,
  },
  ...(config.ideation.kind === 'none'
    ? []
    : [{ title: 'idea', cell: ({ program }: Read) => String(program.idea?.score ?? '-') }]),
  ...wanted.map((name): Column =>
    isMetric(name)
      ? {
          title: name.slice(METRIC.length),
          cell: ({ facts }) => metricText(facts.metrics[name.slice(METRIC.length)]),
        }
      : { title: numberEntry(name).title, cell: ({ facts }) => numberText(name, facts.numbers[name]) },
  ),
  ...(cells === null ? [] : [{ title: 'cell', cell: ({ program }: Read) => cells.get(program._id)!.join(' ') }]),
  { title: 'island', cell: ({ program }) => String(program.island) },
  { title: 'from', cell: ({ program }) => program.parents.map((id) => parentText(id, run)).join(', ') || '-' },
  {
    title: 'outcome',
    cell: ({ program: { _id, outcome, reasons } }) =>
      [`${outcome}${open.has(_id) ? ' (not committed)' : ''}`, ...reasons.slice(0, 1)].join(': '),
  },
];

const metricText = (value: string | number | boolean | undefined): string =>
  value === undefined ? 'none' : typeof value === 'number' ? score(value) : String(value);

/** On a terminal the end of an id of the same run, which tells it from others; its beginning is that of all. */
const parentText = (id: string, run: string): string =>
  process.stdout.isTTY && id.startsWith(`${run}:`) ? id.replace(/^.*:0*(?=\d+:\d+:\d+$)/, '…') : id;

const rowsOf = (read: readonly Read[], columns: readonly Column[]): readonly (readonly string[])[] =>
  read.map((one) => columns.map(({ cell }) => cell(one)));

const tableOf = (rows: readonly (readonly string[])[], columns: readonly Column[]): readonly string[] =>
  table([columns.map(({ title }) => title), ...rows], {
    width: widthOf(process.stdout),
    drop: ['island', 'idea', 'from'],
    cut: { program: 40, from: 13, outcome: 22 },
  });

const printWithCode = (read: readonly Read[], columns: readonly Column[]): void => {
  const [, ...lines] = tableOf(rowsOf(read, columns), columns);
  for (const [index, { code }] of read.entries()) {
    line(lines[index]);
    if (code) line(`${code.trimEnd()}\n`);
  }
};

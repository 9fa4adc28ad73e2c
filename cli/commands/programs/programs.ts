// evolve programs: every candidate a run has made, in order, a row each; one JSON object a line with --json.
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { judgedIdea } from '../../../activities/results/program-texts.ts';
import { readNumbers } from '../../../client/read/program-numbers.ts';
import { programLine } from '../../../client/read/report.ts';
import { programsOf } from '../../../client/read/views.ts';
import { inventsScores } from '../../../evolution/config/noop.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import {
  isNumber,
  numberEntry,
  type NumberName,
  numberNames,
  numberText,
} from '../../../evolution/reports/program-numbers.ts';
import { markText, type SetMark } from '../../../evolution/steering/base/people.ts';
import { rankedScore } from '../../../evolution/scoring/ranking.ts';
import { type Outcome, OUTCOMES } from '../../../evolution/types.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { jsonLine, line, score, wholeFrom } from '../../terminal/output.ts';
import { heightOf, widthOf } from '../../terminal/screen.ts';
import { headed, table } from '../../terminal/table.ts';

type Options = {
  readonly json?: boolean;
  readonly code?: boolean;
  readonly all?: boolean;
  readonly outcome?: string;
  readonly step?: string;
  readonly quarantined?: boolean;
  readonly columns?: string;
};

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--code', 'also print the text of each program')
    .option('--outcome <kind>', `only those that ended as ${OUTCOMES.join(', ')}`)
    .option('--step <n>', 'only those of one step')
    .option('--quarantined', 'only those whose score was held back')
    .option('--columns <names>', `also these numbers, separated by commas: ${numberNames.join(', ')}`)
    .option('--all', 'also list the initial program (step 0)')
    .action(
      act(async (context, options: Options, id: string) => {
        const { outcome, step, all = false } = options;
        if (outcome !== undefined && !OUTCOMES.some((one) => one === outcome))
          throw new UsageError(`--outcome: expected one of ${OUTCOMES.join(', ')}, got "${outcome}"`);
        const query = {
          initial: all,
          ...(outcome === undefined ? {} : { outcome: outcome as Outcome }),
          ...(step === undefined ? {} : { step: wholeFrom(step, '--step', 0) }),
        };
        const names = columnsIn(options.columns);
        return withStoredRun(context, id, async ({ run, config }, store) => {
          const marks = await store.programMarks(run);
          const columns = columnsOf(run, names, config, marks);
          const page: ProgramDocument[] = [];
          const rows: (readonly string[])[] = [];
          const flush = async (): Promise<void> => {
            const read = await readPage(store, page.splice(0), names, options);
            if (options.json) printJson(read, inventsScores(config), marks);
            else if (options.code) printWithCode(read, columns);
            // All rows are laid out together, so that columns have one width from the first program to the last.
            else rows.push(...rowsOf(read, columns));
          };
          for await (const program of programsOf(store, run, query)) {
            if (options.quarantined && !program.reasons[0]?.startsWith('quarantined: ')) continue;
            page.push(program);
            if (page.length >= 200) await flush();
          }
          await flush();
          if (rows.length > 0) for (const text of headed(tableOf(rows, columns), heightOf(process.stdout))) line(text);
        });
      }),
    );

const columnsIn = (names = ''): readonly NumberName[] =>
  names
    .split(',')
    .filter((name) => name !== '' && name !== 'score')
    .map((name) => {
      if (isNumber(name)) return name;
      throw new UsageError(`--columns: expected some of ${numberNames.join(', ')}, got "${name}"`);
    });

type Read = {
  readonly program: ProgramDocument;
  readonly numbers: { readonly [name in NumberName]?: number | null };
  /** Undefined where the text was not asked for, null where the program has none. */
  readonly code: string | null | undefined;
  /** Null where it was not asked for, too. */
  readonly idea: ReturnType<typeof judgedIdea>;
};

const readPage = async (
  store: Store,
  programs: readonly ProgramDocument[],
  names: readonly NumberName[],
  { code, json }: Options,
): Promise<readonly Read[]> => {
  const refs = programs.flatMap((program) => [
    ...(code === true && program.code !== null ? [program.code] : []),
    ...(json === true && program.idea !== undefined ? [program.idea.text] : []),
  ]);
  const texts = await store.getTexts([...new Set(refs)]);
  const numbers = await readNumbers(store, programs, names);
  return programs.map((program, index) => ({
    program,
    numbers: numbers[index]!,
    code: code !== true ? undefined : program.code === null ? null : (texts.get(program.code) ?? null),
    idea: json === true ? judgedIdea(program, texts) : null,
  }));
};

const printJson = (read: readonly Read[], invented: boolean, marks: Marks): void => {
  for (const { program, ...beside } of read)
    jsonLine(programLine(program, { ...beside, invented, mark: marks.get(program._id) }));
};

type Marks = ReadonlyMap<string, SetMark>;
type Column = { readonly title: string; readonly cell: (read: Read) => string };

const columnsOf = (run: string, names: readonly NumberName[], config: RunConfig, marks: Marks): readonly Column[] => [
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
  ...names.map((name) => ({
    title: numberEntry(name).title,
    cell: ({ numbers }: Read) => numberText(name, numbers[name]),
  })),
  { title: 'island', cell: ({ program }) => String(program.island) },
  { title: 'from', cell: ({ program }) => program.parents.map((id) => parentText(id, run)).join(', ') || '-' },
  { title: 'outcome', cell: ({ program }) => [program.outcome, ...program.reasons.slice(0, 1)].join(': ') },
];

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

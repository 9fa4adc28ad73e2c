// evolve programs: every candidate a run has made, in order; one JSON object a line with --json.
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { judgedIdea } from '../../../activities/results/program-texts.ts';
import { readNumbers } from '../../../client/read/program-numbers.ts';
import { programLine } from '../../../client/read/report.ts';
import { programsOf } from '../../../client/read/views.ts';
import { inventsScores } from '../../../evolution/config/noop.ts';
import { isNumber, type NumberName, numberNames, numberText } from '../../../evolution/reports/program-numbers.ts';
import { rankedScore } from '../../../evolution/scoring/ranking.ts';
import { type Outcome, OUTCOMES } from '../../../evolution/types.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { jsonLine, line, score, wholeFrom } from '../../terminal/output.ts';
import { clip, widthOf } from '../../terminal/screen.ts';

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
        const columns = columnsIn(options.columns);
        return withStoredRun(context, id, async ({ run, config }, store) => {
          const page: ProgramDocument[] = [];
          const flush = () => print(store, page.splice(0), { ...options, columns, invented: inventsScores(config) });
          for await (const program of programsOf(store, run, query)) {
            if (options.quarantined && !program.reasons[0]?.startsWith('quarantined: ')) continue;
            page.push(program);
            if (page.length >= 200) await flush();
          }
          await flush();
        });
      }),
    );

const columnsIn = (names = ''): readonly NumberName[] =>
  names
    .split(',')
    .filter((name) => name !== '')
    .map((name) => {
      if (isNumber(name)) return name;
      throw new UsageError(`--columns: expected some of ${numberNames.join(', ')}, got "${name}"`);
    });

const print = async (
  store: Store,
  programs: readonly ProgramDocument[],
  {
    json,
    code,
    columns,
    invented,
  }: Pick<Options, 'json' | 'code'> & {
    readonly columns: readonly NumberName[];
    readonly invented: boolean;
  },
): Promise<void> => {
  const refs = programs.flatMap((program) => [
    ...(code === true && program.code !== null ? [program.code] : []),
    ...(json === true && program.idea !== undefined ? [program.idea.text] : []),
  ]);
  const texts = await store.getTexts([...new Set(refs)]);
  const numbers = await readNumbers(store, programs, columns);
  const width = widthOf(process.stdout);
  for (const [index, program] of programs.entries()) {
    const text = code !== true ? undefined : program.code === null ? null : (texts.get(program.code) ?? null);
    if (json) {
      jsonLine(
        programLine(program, { code: text, idea: judgedIdea(program, texts), invented, numbers: numbers[index]! }),
      );
      continue;
    }
    const judged = program.idea?.score ?? null;
    line(
      clip(
        `${program._id}  ${program.outcome.padEnd(11)}  ${score(rankedScore(program)).padEnd(12)}${invented && program.score !== null ? ' (invented)' : ''}${judged === null ? '' : `  idea ${judged}`}${columns.map((name) => `  ${numberText(name, numbers[index]![name])}`).join('')}  island ${program.island}  from ${program.parents.join(', ') || '-'}${program.reasons[0] ? `  (${program.reasons[0]})` : ''}`,
        width,
      ),
    );
    if (text !== undefined && text !== null) line(`${text.trimEnd()}\n`);
  }
};

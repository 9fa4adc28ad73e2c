// evolve reproduce: makes a table or figure of a paper. It says what that takes, runs it as a sweep, and prints the
// paper's numbers beside ours.
import { InvalidArgumentError, Option } from 'commander';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Store } from '../../../activities/store/store.ts';
import {
  answersOf,
  experimentReport,
  PAPER_MODELS,
  type PreparedExperiment,
  prepareExperiment,
  readExperiment,
} from '../../../client/papers/experiments.ts';
import { withStore } from '../../../client/connect/connection.ts';
import { MissingError, UsageError } from '../../../client/connect/errors.ts';
import { runsDirectory } from '../../../deploy/host/home.ts';
import { type Choice, sweepOf } from '../../../evolution/experiments/plan.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { assignments, collect } from '../../flags/settings-flags.ts';
import { json, line, lines, note, writeText } from '../../terminal/output.ts';
import {
  armLines,
  listItems,
  planDocument,
  planLines,
  resultDocument,
  type Result,
  sizeOf,
  takes,
  tell,
} from './reproduced.ts';

type Options = {
  readonly list?: boolean;
  readonly plan?: boolean;
  readonly svg?: string;
  readonly scale: number;
  readonly seeds?: number;
  readonly parallel: number;
  readonly yes?: boolean;
  readonly detach?: boolean;
  readonly score?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly set?: readonly string[];
  readonly trainer?: NonNullable<Choice['trainer']>;
  readonly policy?: string;
};

const ranged =
  (least: number, most: number, whole: boolean, expected: string) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value > least && value <= most) || (whole && !Number.isSafeInteger(value)))
      throw new InvalidArgumentError(`expected ${expected}, got ${JSON.stringify(text)}`);
    return value;
  };

export const build: Build = (command) =>
  command
    .argument('[paper]', 'thetaevolve, deltaevolve, alpharesearch or codeevolve')
    .argument('[experiment]', 'a table or figure of it, such as table-2')
    .option('--list', 'list every table and figure, with its experiment or why it has none')
    .addOption(
      new Option('--scale <share>', 'the share of the programs that are made; populations shrink with it')
        .argParser(ranged(0, 1, false, 'a number above 0, at most 1'))
        .default(1),
    )
    .addOption(
      new Option('--seeds <n>', "only the first n of the file's seeds").argParser(
        ranged(0, 1000, true, 'a whole number from 1 to 1000'),
      ),
    )
    .addOption(
      new Option('--parallel <n>', 'runs alive at once')
        .argParser(ranged(0, 64, true, 'a whole number from 1 to 64'))
        .default(2),
    )
    .option('--model <name>', 'one model in the place of the paper\'s, or "offline"')
    .option('--base-url <url>', 'OpenAI-compatible endpoint (default: OPENAI_BASE_URL; without one, the offline model)')
    .addOption(new Option('--set <key=value>', 'a setting for all rows; repeatable').argParser(collect))
    .addOption(
      new Option('--trainer <name>', "who trains in the rows that learn, in the place of the file's").choices([
        'reference',
        'tinker',
        'trl',
        'slime',
      ]),
    )
    .option('--policy <run@version>', 'the policy that answers in the rows that need one')
    .option('--plan', 'say what it takes and in what its arms differ, and nothing else')
    .option('--svg <file>', 'where its figure is written (default: runs/figures/<sweep>.svg)')
    .option('--yes', 'start it; needed in full size, and wherever an endpoint is asked')
    .option('--detach', 'start it and return')
    .option('--score', "score the best programs on the table's instances, where it has such columns")
    .action(
      act(async (context, options: Options, paper: string | undefined, id: string | undefined) => {
        if (options.list === true) {
          if (paper !== undefined)
            throw new UsageError('--list takes no paper: it lists the tables and figures of all');
          return listItems(context.json);
        }
        if (paper === undefined || id === undefined)
          throw new UsageError(
            'expected a paper and one of its tables or figures; `npx evolve reproduce --list` shows them',
          );
        const file = readExperiment(paper, id);
        const answers = answersOf(options, context.env);
        const over = assignments(options.set ?? [], '--set ').settings as Choice['over'];
        const { scale, seeds = null, trainer = null, policy = null } = options;
        const choice: Choice = { scale, seeds, answers, over, trainer, policy };
        const prepared = await prepareExperiment(context, file, choice);
        const print = context.json ? note : line;
        for (const text of planLines(prepared, choice)) print(text);
        if (answers.kind === 'offline' && options.scale === 1 && options.yes !== true) {
          const paper = await prepareExperiment(context, file, { ...choice, answers: PAPER_MODELS });
          print(`With the paper's models, at an endpoint (--base-url <url>): ${sizeOf(paper)}; ${takes(paper)}`);
        }
        if (options.plan === true) {
          if (context.json) return json(planDocument(prepared, choice));
          return lines(armLines(prepared));
        }
        if (options.yes !== true && (options.scale === 1 || answers.kind !== 'offline')) {
          await told(context, prepared, choice, options);
          if (context.json) return;
          line();
          return line('Nothing was started: add --yes.');
        }
        return carriedOut(context, prepared, choice, options);
      }),
    );

/** What came of it so far: the table, the figure, and what differs from the paper; as one document with --json. */
const told = async (
  context: Context,
  prepared: PreparedExperiment,
  choice: Choice,
  { score, svg }: Options,
): Promise<void> => {
  const result = await resultSoFar(context, prepared, score);
  const file = result.panels.length === 0 ? null : await drawn(context, prepared, result, svg);
  if (context.json) return json(resultDocument(prepared, choice, result, file));
  tell(prepared, choice, result);
  if (file !== null) line(`Figure: ${file}`);
};

const drawn = async (
  { env }: Context,
  { file: { experiment }, plan }: PreparedExperiment,
  { panels }: Result,
  to: string | undefined,
): Promise<string> => {
  const name = experiment.reads === undefined ? plan.name : `${plan.name}-${experiment.id}`;
  const file = to ?? join(runsDirectory(env), 'figures', `${name}.svg`);
  // Is loaded here, for it loads the plots of the page.
  const { figureSvg } = await import('../../../page/export/figure-svg.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeText(file, figureSvg(panels));
  return file;
};

const resultSoFar = async (context: Context, prepared: PreparedExperiment, score = false): Promise<Result> => {
  const from = async (store: Store | null): Promise<Result> => {
    const cells = await experimentReport(store, prepared);
    const { experimentFigure } = await import('../../../client/papers/figures.ts');
    const figure = await experimentFigure(store, prepared, cells);
    if (!score || store === null) return { cells, ...figure };
    const { withScoredCases } = await import('../../../client/papers/experiment-scores.ts');
    return { cells: await withScoredCases(context, store, prepared, cells, note), ...figure };
  };
  try {
    return await withStore(context, from);
  } catch (error) {
    if (error instanceof MissingError && !score) return from(null);
    throw error;
  }
};

const carriedOut = async (
  context: Context,
  prepared: PreparedExperiment,
  choice: Choice,
  options: Options,
): Promise<number | void> => {
  const { prepareSweep } = await import('../../../client/sweeps/sweep-spec.ts');
  const sweep = await prepareSweep(context, sweepOf(prepared.plan, options.parallel));
  const { plan } = prepared;
  await withEvolve(context, async (evolve) => evolve.launchSweep(sweep));
  if (options.detach === true) {
    if (context.json) return told(context, prepared, choice, { ...options, score: false });
    return line(`sweep ${plan.name} is under way; the same command shows how it stands and goes on with it`);
  }
  let code: number | void = undefined;
  if (context.json) await withEvolve(context, async (evolve) => (await evolve.sweep(plan.name)).result());
  else {
    const { followSweep } = await import('../../follow/follow-sweep.ts');
    line();
    code = await followSweep(context, plan.name);
  }
  await told(context, prepared, choice, options);
  return code;
};

// evolve reproduce: makes a table or figure of a paper. It says what that takes, runs it as a sweep, and prints the
// paper's numbers beside ours.
import { InvalidArgumentError, Option } from 'commander';
import {
  answersOf,
  experimentReport,
  listExperiments,
  PAPER_MODELS,
  type PreparedExperiment,
  prepareExperiment,
  readExperiment,
} from '../../../client/papers/experiments.ts';
import { withStore } from '../../../client/connect/connection.ts';
import { MissingError, UsageError } from '../../../client/connect/errors.ts';
import { counted, score } from '../../../evolution/reports/number-text.ts';
import { BESIDE_LEAST_FIRST, besideTable, type CellReport } from '../../../evolution/experiments/beside.ts';
import { type Choice, sweepOf } from '../../../evolution/experiments/plan.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { assignments, collect } from '../../flags/settings-flags.ts';
import { json, line, lines, note } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';

type Options = {
  readonly list?: boolean;
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
    .option('--list', 'list all experiments')
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
    .option('--yes', 'start it; needed in full size, and wherever an endpoint is asked')
    .option('--detach', 'start it and return')
    .option('--score', "score the best programs on the table's instances, where it has such columns")
    .action(
      act(async (context, options: Options, paper: string | undefined, id: string | undefined) => {
        if (options.list === true) {
          if (paper !== undefined) throw new UsageError('--list takes no paper: it lists the experiments of all');
          return listed(context);
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
        if (options.yes !== true && (options.scale === 1 || answers.kind !== 'offline')) {
          const cells = await besideSoFar(context, prepared, options.score);
          if (context.json) return json(documentOf(prepared, choice, cells));
          tell(prepared, cells);
          line();
          return line('Nothing was started: add --yes.');
        }
        return carriedOut(context, prepared, choice, options);
      }),
    );

const listed = (context: Context): void => {
  const all = listExperiments();
  if (context.json) return json(all);
  const rows = all.map(({ paper, id, title, runs, programs, needsLearning }) => [
    paper,
    id,
    title,
    String(runs),
    String(programs),
    needsLearning ? 'some rows' : '-',
  ]);
  const head = ['paper', 'experiment', 'title', 'runs', 'programs', 'learning'];
  for (const text of table([head, ...rows], { width: widthOf(process.stdout), cut: { title: 20 } })) line(text);
};

/** The work and the cost of the experiment, before anything is started. */
const planLines = (prepared: PreparedExperiment, { scale, answers, policy }: Choice): readonly string[] => {
  const { file, plan } = prepared;
  const { experiment } = file;
  const left = policy === null ? experiment.rows.filter(({ needs }) => needs !== undefined) : [];
  return [
    `${experiment.title} (${experiment.source})`,
    `sweep ${plan.name}${scale === 1 ? '' : `, at a scale of ${scale}`}: ${sizeOf(prepared)}`,
    takes(prepared, answers.kind === 'offline'),
    ...(answers.kind === 'offline'
      ? ['The offline model holds no language model: this shows that the experiment runs, and repeats no result.']
      : []),
    ...left.map(({ name }) => `left out: ${name} needs a policy of another run: give --policy <run>@<version>`),
  ];
};

const sizeOf = ({ plan, estimate: { runs, programs, requests } }: PreparedExperiment): string =>
  `${counted(runs, 'run')} (${counted(plan.groups.length, 'configuration')}, ${counted(plan.seeds.length, 'seed')}), ${counted(programs, 'program')}, about ${counted(requests, 'request')}`;

const takes = ({ estimate }: PreparedExperiment, offline = false): string => {
  const { tokens, cpuHoursAtMost } = estimate;
  const cost = offline ? 'cost $0, since the offline model answers' : costOf(estimate);
  const cpu = cpuHoursAtMost === null ? '' : `; evaluations at most ${score(cpuHoursAtMost, 3)} hours of CPU time`;
  return `about ${millions(tokens.in)} tokens in and ${millions(tokens.out)} out; ${cost}${cpu}`;
};

const costOf = ({ pricedUsd, unpriced }: PreparedExperiment['estimate']): string => {
  const names = `${unpriced.join(', ')} (docs/models.md)`;
  if (unpriced.length === 0) return `cost about $${score(pricedUsd, 3)}`;
  if (pricedUsd === 0) return `cost not known, since there is no price for ${names}`;
  return `cost about $${score(pricedUsd, 3)}, not counting models without a price: ${names}`;
};

/** To three digits, never as a power of ten. */
const millions = (tokens: number): string => `${score(tokens / 1e6, 3)} million`;

const besideSoFar = async (
  context: Context,
  prepared: PreparedExperiment,
  score = false,
): Promise<readonly CellReport[]> => {
  try {
    return await withStore(context, async (store) => {
      const cells = await experimentReport(store, prepared);
      if (!score) return cells;
      const { withScoredCases } = await import('../../../client/papers/experiment-scores.ts');
      return withScoredCases(context, store, prepared, cells, note);
    });
  } catch (error) {
    if (error instanceof MissingError && !score) return experimentReport(null, prepared);
    throw error;
  }
};

const carriedOut = async (
  context: Context,
  prepared: PreparedExperiment,
  choice: Choice,
  { parallel, detach, score }: Options,
): Promise<number | void> => {
  const { prepareSweep } = await import('../../../client/sweeps/sweep-spec.ts');
  const sweep = await prepareSweep(context, sweepOf(prepared.plan, parallel));
  const { plan } = prepared;
  await withEvolve(context, async (evolve) => evolve.launchSweep(sweep));
  if (detach === true) {
    if (context.json) return json(documentOf(prepared, choice, await besideSoFar(context, prepared)));
    return line(`sweep ${plan.name} is under way; the same command shows how it stands and goes on with it`);
  }
  let code: number | void = undefined;
  if (context.json) await withEvolve(context, async (evolve) => (await evolve.sweep(plan.name)).result());
  else {
    const { followSweep } = await import('../../follow/follow-sweep.ts');
    line();
    code = await followSweep(context, plan.name);
  }
  const cells = await besideSoFar(context, prepared, score);
  if (context.json) return json(documentOf(prepared, choice, cells));
  tell(prepared, cells);
  return code;
};

/** The table, and what a reader must know. */
const tell = ({ file: { experiment } }: PreparedExperiment, cells: readonly CellReport[]): void => {
  line();
  const rows = besideTable(experiment, cells);
  if (rows.length > 1)
    for (const text of table(rows, {
      width: widthOf(process.stdout),
      drop: BESIDE_LEAST_FIRST,
      cut: { case: 16, row: 16 },
    }))
      line(text);
  if (experiment.notes.length > 0) {
    line();
    lines(experiment.notes);
  }
};

const documentOf = (
  { file: { experiment }, plan, estimate }: PreparedExperiment,
  { scale, answers }: Choice,
  cells: readonly CellReport[],
) => ({
  paper: experiment.paper,
  id: experiment.id,
  title: experiment.title,
  source: experiment.source,
  sweep: plan.name,
  scale,
  answers: answers.kind,
  seeds: plan.seeds,
  plan: estimate,
  cells,
  notes: experiment.notes,
});

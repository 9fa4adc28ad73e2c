// evolve prune: takes runs that have ended out of the database, with what they left, and what nobody needs any more.
// It says what and how much, and asks first.
import type { Amount } from '../../../activities/store/upkeep/prune.ts';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { PrunePlan, PruneReport } from '../../../client/upkeep/prune.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import type { Build, Context } from '../../flags/command.ts';
import { saysYes, type SelectionFlags, withSelection } from '../../flags/many.ts';
import { onEvolve } from '../../flags/open.ts';
import { EXIT } from '../../terminal/exit.ts';
import { amount } from '../../../evolution/reports/number-text.ts';
import { answer, lines, note, notes, positiveFrom } from '../../terminal/output.ts';

type Options = SelectionFlags & {
  readonly olderThan?: string;
  readonly superseded?: boolean;
  readonly files?: boolean;
  readonly dryRun?: boolean;
};

export const build: Build = (command) =>
  withSelection(command.argument('[runs...]', 'ids of runs that have ended (default: none)'))
    .option('--older-than <days>', 'the runs that ended so many days ago')
    .option('--superseded', 'keep the runs; remove answers that a rewind or `retry --resample` gave up')
    .option('--files', "also the runs' folders of results, but for exports in them")
    .option('--dry-run', 'only say what would be removed')
    .option('--yes', 'remove without asking')
    .addHelpText(
      'after',
      '\nWithout runs and flags, only texts are removed that nothing refers to, and images and data\nfiles of tasks that no run has. What is removed is gone: `npx evolve export`\nwrites a run to a folder first, from which `npx evolve import` brings it back.',
    )
    .action(
      onEvolve(async (context, options: Options, evolve, ids: readonly string[]) => {
        const plan = await planOf(evolve, options, ids);
        const { order: _, ...parts } = plan;
        if (options.dryRun === true) return answer(context, { dryRun: true, ...parts }, () => planLines(plan));
        if (nothingIn(plan) && !context.json) return answer(context, null, () => planLines(plan));
        if (!nothingIn(plan) && options.yes !== true && !(await agreed(context, plan))) {
          note('nothing was removed');
          return EXIT.usage;
        }
        const report = await evolve.prune(plan);
        answer(context, report, () => reportLines(report));
      }),
    );

const planOf = async (
  evolve: DurableEvolve,
  { sweep, state, where, olderThan, superseded = false, files = false }: Options,
  ids: readonly string[],
): Promise<PrunePlan> => {
  const selection = { sweep, state, where };
  const selecting = Object.values(selection).some((wanted) => wanted !== undefined);
  if (ids.length > 0 && (selecting || olderThan !== undefined))
    throw new UsageError(
      `expected either ids of runs or --sweep, --state, --where and --older-than, got ${ids.join(', ')} as well`,
    );
  const olderThanDays = olderThan === undefined ? undefined : positiveFrom(olderThan, '--older-than');
  const all = selecting || olderThanDays !== undefined || superseded;
  const runs =
    ids.length > 0
      ? await Promise.all([...new Set(ids)].map(async (id) => (await evolve.run(id)).id))
      : all
        ? (await evolve.list(selection))
            .filter((run) => superseded || hasEnded({ status: run.state }))
            .map(({ run }) => run)
        : [];
  return evolve.planPrune({ runs, named: ids.length > 0, olderThanDays, superseded, files });
};

const nothingIn = ({ runs, kept, superseded, texts, images, data }: PrunePlan): boolean =>
  runs.length + kept.length + superseded.length + texts.now.documents + images.length + data.folders.length === 0;

const bytes = (size: number): string => `${amount(size)}${size < 10_000 ? ' ' : ''}B`;
const much = ({ documents, bytes: size }: Amount): string => `${documents} documents, about ${bytes(size)}`;

const planLines = (plan: PrunePlan): readonly string[] => {
  const { runs, kept, superseded, texts, images, data } = plan;
  return [
    ...runs.map(runLine),
    ...superseded.map(({ run, ...rest }) => `answers of run ${run} that were given up: ${much(rest)}`),
    ...kept.map(keptLine),
    ...(texts.now.documents > 0 ? [`texts that nothing else refers to: ${much(texts.now)}`] : []),
    ...images.map(({ tag, bytes: size }) => `image ${tag}, ${bytes(size)} with what it stands on: no run has its task`),
    ...data.folders.map((folder) => `${folder}: no run has a task that needs it`),
    ...(nothingIn(plan) ? ['there is nothing to remove'] : []),
    ...laterLines(plan),
  ];
};

const runLine = ({ run, endedAt, weights, files, exported, ...rest }: PrunePlan['runs'][number]): string => {
  const beside = [
    ...(weights.folders.length > 0 ? [`weights of ${weights.folders.length} policies, ${bytes(weights.bytes)}`] : []),
    ...(exported === null
      ? files.folders.map((folder) => `${folder}, ${bytes(files.bytes)}`)
      : [`its results, ${bytes(files.bytes)}; its export stays: ${exported}`]),
  ];
  const ended = endedAt === null ? '' : ` (ended ${endedAt.toISOString().slice(0, 10)})`;
  return `run ${run}${ended}: ${[much(rest), ...beside].join('; ')}`;
};

const keptLine = ({ run, why }: PrunePlan['kept'][number]): string => `run ${run} stays: ${why}`;

const laterLines = ({ texts: { later } }: Pick<PrunePlan, 'texts'>): readonly string[] =>
  later.documents > 0
    ? [`texts that were stored in the last hours go at a later \`npx evolve prune\`: ${much(later)}`]
    : [];

const reportLines = (report: PruneReport): readonly string[] => [
  ...report.runs.map((run) => `run ${run} is removed`),
  ...report.sweeps.map((sweep) => `sweep ${sweep} is removed: none of its runs is left`),
  ...report.superseded.map(({ run, ...rest }) => `removed of run ${run}: ${much(rest)}`),
  ...report.kept.map(keptLine),
  ...[...report.images, ...report.data.folders].map((what) => `removed ${what}`),
  `texts removed: ${much(report.texts.now)}`,
  ...laterLines(report),
];

/** Throws UsageError where nobody is at a terminal; then nothing is removed. */
const agreed = async (context: Context, plan: PrunePlan): Promise<boolean> => {
  (context.json ? notes : lines)(planLines(plan));
  if (!process.stdin.isTTY)
    throw new UsageError(
      'nobody is at a terminal to be asked, so nothing was removed: give --yes to remove this without the question',
    );
  return saysYes('This is removed for good. Go on?');
};

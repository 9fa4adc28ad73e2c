// evolve prune: takes runs that have ended out of the database, with what they left, and what nobody needs any more.
// It says what and how much, and asks first.
import type { Amount } from '../../../activities/store/upkeep/prune.ts';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { PrunePlan, PruneReport } from '../../../client/upkeep/prune.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { saysYes, type SelectionFlags, withSelection } from '../../flags/many.ts';
import { withEvolve } from '../../flags/open.ts';
import { EXIT } from '../../terminal/exit.ts';
import { amount, json, line, note, positiveFrom } from '../../terminal/output.ts';

type Options = SelectionFlags & {
  readonly olderThan?: string;
  readonly superseded?: boolean;
  readonly files?: boolean;
  readonly dryRun?: boolean;
};

export const pruneCommand = () =>
  withSelection(describe('prune').argument('[runs...]', 'ids of runs that have ended (default: none)'))
    .option('--older-than <days>', 'the runs that ended so many days ago')
    .option('--superseded', 'keep the runs; remove answers that a rewind or `retry --resample` gave up')
    .option('--files', "also the runs' folders of results, but for exports in them")
    .option('--dry-run', 'only say what would be removed')
    .option('--yes', 'remove without asking')
    .addHelpText(
      'after',
      '\nWithout runs and flags, only texts are removed that nothing refers to. What is removed is gone: `npx evolve export`\nwrites a run to a folder first, from which `npx evolve import` brings it back.',
    )
    .action(
      act(async (context, options: Options, ids: readonly string[]) =>
        withEvolve(context, async (evolve) => {
          const plan = await planOf(evolve, options, ids);
          if (options.dryRun === true) return tellPlan(context, plan);
          if (nothingIn(plan)) return context.json ? json(await evolve.prune(plan)) : tellPlan(context, plan);
          if (options.yes !== true && !(await agreed(context, plan))) {
            note('nothing was removed');
            return EXIT.usage;
          }
          const report = await evolve.prune(plan);
          if (context.json) return json(report);
          tellReport(report);
        }),
      ),
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

const nothingIn = ({ runs, kept, superseded, texts }: PrunePlan): boolean =>
  runs.length + kept.length + superseded.length + texts.now.documents === 0;

const bytes = (size: number): string => `${amount(size)}${size < 10_000 ? ' ' : ''}B`;
const much = ({ documents, bytes: size }: Amount): string => `${documents} documents, about ${bytes(size)}`;

const tellPlan = (context: Context, plan: PrunePlan, print: (text: string) => void = line): void => {
  const { runs, kept, superseded, texts } = plan;
  if (context.json && print === line) {
    const { order: _, ...found } = plan;
    return json({ dryRun: true, ...found });
  }
  for (const { run, endedAt, weights, files, exported, ...rest } of runs) {
    const beside = [
      ...(weights.folders.length > 0 ? [`weights of ${weights.folders.length} policies, ${bytes(weights.bytes)}`] : []),
      ...(exported === null
        ? files.folders.map((folder) => `${folder}, ${bytes(files.bytes)}`)
        : [`its results, ${bytes(files.bytes)}; its export stays: ${exported}`]),
    ];
    const ended = endedAt === null ? '' : ` (ended ${endedAt.toISOString().slice(0, 10)})`;
    print(`run ${run}${ended}: ${[much(rest), ...beside].join('; ')}`);
  }
  for (const { run, ...rest } of superseded) print(`answers of run ${run} that were given up: ${much(rest)}`);
  for (const { run, why } of kept) print(`run ${run} stays: ${why}`);
  if (texts.now.documents > 0) print(`texts that nothing else refers to: ${much(texts.now)}`);
  if (nothingIn(plan)) print('there is nothing to remove');
  if (texts.later.documents > 0)
    print(`texts that were stored in the last hours go at a later \`npx evolve prune\`: ${much(texts.later)}`);
};

const tellReport = ({ runs, kept, sweeps, superseded, texts }: PruneReport): void => {
  for (const run of runs) line(`run ${run} is removed`);
  for (const sweep of sweeps) line(`sweep ${sweep} is removed: none of its runs is left`);
  for (const { run, ...rest } of superseded) line(`removed of run ${run}: ${much(rest)}`);
  for (const { run, why } of kept) line(`run ${run} stays: ${why}`);
  line(`texts removed: ${much(texts.now)}`);
  if (texts.later.documents > 0)
    line(`texts that were stored in the last hours go at a later \`npx evolve prune\`: ${much(texts.later)}`);
};

/** Where nobody is at a terminal, throws UsageError, and nothing is removed. */
const agreed = async (context: Context, plan: PrunePlan): Promise<boolean> => {
  tellPlan(context, plan, context.json ? note : line);
  if (!process.stdin.isTTY)
    throw new UsageError(
      'nobody is at a terminal to be asked, so nothing was removed: give --yes to remove this without the question',
    );
  return saysYes('This is removed for good. Go on?');
};

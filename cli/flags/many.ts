// Commands that act on one run or on many: which runs are meant, what is asked before more than one is acted on, and a
// line for what came of each.
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { DurableEvolve } from '../../client/durable-evolve.ts';
import { UsageError } from '../../client/errors.ts';
import type { RunReport } from '../../client/report.ts';
import type { RunHandle } from '../../client/run-handle.ts';
import { notOpenYet } from '../../client/unopened.ts';
import type { RunStatus } from '../../evolution/run-states.ts';
import { restOf } from '../../evolution/sweep/halving.ts';
import { EXIT, messageOf } from '../terminal/exit.ts';
import { json, line, note } from '../terminal/output.ts';
import { runTable } from '../terminal/run-table.ts';
import { statePaint, widthOf } from '../terminal/screen.ts';
import type { Context } from './command.ts';
import { withEvolve } from './open.ts';

export const RUNS_ARGUMENT = ['[runs...]', 'ids of runs (default: latest)'] as const;

export type SelectionFlags = {
  readonly json?: boolean;
  readonly sweep?: string;
  readonly where?: string;
  readonly state?: string;
  readonly yes?: boolean;
};

/** The flags that say which runs are meant. */
export const withSelection = (command: Command): Command =>
  command
    .option('--sweep <name>', 'the runs of this sweep')
    .option('--state <state>', 'the runs in this state, as `evolve list` names it')
    .option('--where <query>', "the runs that a query of the Temporal UI finds, e.g. 'EvoBestScore < 2.5'");

/** A command that takes many runs. */
export const forMany = (command: Command): Command =>
  withSelection(command).option('--yes', 'act on more than one run without asking');

export type Verb<T extends object> = {
  /** What is done to each run: `pause after the current step`. */
  readonly what: string;
  /**
   * Why a run of a sweep, a state or a query is left alone, as in `a is left alone: it has ended`; null where it is not.
   * Runs that are named are never left alone: what they refuse is told.
   */
  readonly leave: (run: RunReport) => string | null;
  /** Throws where the run would refuse it. All runs are checked before the first is changed. */
  readonly check?: (run: RunHandle) => Promise<void>;
  /** The result is what `--json` prints. */
  readonly act: (run: RunHandle) => Promise<T>;
  readonly tell: (run: string, result: T) => string;
};

/** A command leaves alone the runs that a flag finds in other states, because it would change nothing there. */
const only =
  (...states: readonly RunStatus[]): Verb<object>['leave'] =>
  ({ state }) =>
    states.includes(state) ? null : `it is ${state}`;

const UNDER_WAY: readonly RunStatus[] = ['opening', 'running', 'needs attention', 'retrying'];

export const leaves = {
  pause: only(...UNDER_WAY),
  stop: only(...UNDER_WAY, 'pausing', 'paused'),
  retry: only('needs attention'),
  /** A run that rests with its sweep is the sweep's to continue: successive halving has chosen others. */
  resume: (run: RunReport): string | null =>
    run.state === 'stopped' && restOf(run.stopReason) !== null
      ? `it rests with its sweep, and \`npx evolve sweep resume ${run.sweep}\` goes on with it`
      : only('pausing', 'paused', 'stopped', 'terminated')(run),
} as const;

const AFTER_STEP = 'after its current step';

/** What a run waits for that pauses or stops: a stream has no step to end, but programs under way. */
export const endingOf = (now: boolean) => {
  const streams = new Set<string>();
  return {
    ofMany: now ? 'now' : AFTER_STEP,
    /** It only words what was sent, so a database that is away fails nothing. */
    async ask(run: Pick<RunHandle, 'id' | 'streams'>): Promise<void> {
      if (!now && (await run.streams().catch(() => false))) streams.add(run.id);
    },
    of: (run: string): string =>
      now ? 'now' : streams.has(run) ? 'when all that is under way is committed' : AFTER_STEP,
  };
};

/** Carries a command out on the runs that are meant. Resolves to the exit code where that is not 0. */
export const onRuns = async <T extends object>(
  context: Context,
  { sweep, state, where, yes }: SelectionFlags,
  ids: readonly string[],
  verb: Verb<T>,
): Promise<number | void> => {
  const selection = { sweep, state, where };
  const selecting = Object.values(selection).some((wanted) => wanted !== undefined);
  if (selecting && ids.length > 0)
    throw new UsageError(`expected either ids of runs or --sweep, --state and --where, got ${ids.join(', ')} as well`);
  return withEvolve(context, async (evolve) => {
    if (!selecting && new Set(ids).size <= 1) return onOne(context, await evolve.run(ids[0] ?? 'latest'), verb);
    const meant = selecting ? await evolve.list(selection) : await named(evolve, ids);
    if (meant.length === 0) throw new UsageError('no run is meant by these flags: `npx evolve list` shows all');
    const left = selecting ? meant.filter((run) => verb.leave(run) !== null) : [];
    const runs = meant.filter((run) => !left.includes(run));
    if (runs.length > 1 && yes !== true && !(await agreed(context, verb, runs, left))) {
      note('nothing was done');
      return EXIT.usage;
    }
    const outcomes = await onMany(
      context,
      evolve,
      verb,
      runs.map(({ run }) => run),
    );
    for (const one of left) if (!context.json) line(`${one.run} is left alone: ${verb.leave(one)}`);
    if (context.json) json([...outcomes, ...left.map((one) => ({ run: one.run, leftAlone: verb.leave(one) }))]);
    return outcomes.some((outcome) => 'error' in outcome) ? EXIT.bad : undefined;
  });
};

const onOne = async <T extends object>(context: Context, run: RunHandle, verb: Verb<T>): Promise<void> => {
  const result = await verb.act(run);
  if (context.json) json({ run: run.id, ...result });
  else line(verb.tell(run.id, result));
};

/** Each run once, in the order in which it is named first. Throws UsageError where there is no such run. */
const named = async (evolve: DurableEvolve, ids: readonly string[]): Promise<readonly RunReport[]> => {
  const all = new Map((await evolve.list()).map((report) => [report.run, report]));
  const meant: RunReport[] = [];
  for (const id of ids) {
    const report = all.get((await evolve.run(id)).id);
    if (report === undefined) throw new UsageError(notOpenYet(id));
    if (!meant.includes(report)) meant.push(report);
  }
  return meant;
};

/** Asks whoever sits at the terminal. Where nobody does, throws UsageError, and nothing was sent. */
const agreed = async (
  context: Context,
  { what, leave }: Pick<Verb<object>, 'what' | 'leave'>,
  runs: readonly RunReport[],
  left: readonly RunReport[],
): Promise<boolean> => {
  const print = context.json ? note : line;
  print(`${what}:`);
  for (const text of runTable(runs, widthOf(process.stdout), statePaint(process.stdout))) print(text);
  for (const one of left) print(`${one.run} is left alone: ${leave(one)}`);
  if (!process.stdin.isTTY)
    throw new UsageError(
      `these are ${runs.length} runs, and nobody is at a terminal to be asked: nothing was sent. Give --yes to go on without the question`,
    );
  return saysYes(`${runs.length} runs. Go on?`);
};

/** Asks whoever sits at the terminal. */
export const saysYes = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
};

/** Runs are acted on so many at a time: a run that does not answer must not hold up the others. */
const AT_ONCE = 4;

type Outcome<T> = ({ readonly run: string } & T) | { readonly run: string; readonly error: string };

const onMany = async <T extends object>(
  context: Context,
  evolve: DurableEvolve,
  verb: Verb<T>,
  ids: readonly string[],
): Promise<readonly Outcome<T>[]> => {
  const runs = await Promise.all(ids.map((id) => evolve.run(id)));
  await checkAll(runs, verb);
  const outcomes: Outcome<T>[] = [];
  const queue = [...runs.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, run] = next;
      try {
        const result = await verb.act(run);
        outcomes[index] = { run: run.id, ...result };
        if (!context.json) line(verb.tell(run.id, result));
      } catch (error) {
        const text = messageOf(error, false).replace(/^error: /, '');
        outcomes[index] = { run: run.id, error: text };
        note(`${run.id}: ${text}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
};

const checkAll = async <T extends object>(runs: readonly RunHandle[], { check }: Verb<T>): Promise<void> => {
  if (check === undefined) return;
  const refused: string[] = [];
  for (const run of runs)
    await check(run).catch((error: unknown) => {
      refused.push(`${run.id}: ${messageOf(error, false).replace(/^error: /, '')}`);
    });
  if (refused.length > 0)
    throw new UsageError(`no run was changed, because not all of them can be:\n  ${refused.join('\n  ')}`);
};

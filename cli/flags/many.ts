// Commands that act on one run or on many: which runs are meant, what is asked before more than one is acted on, and a
// line for what came of each.
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { RunAct } from '../../client/act.ts';
import type { DurableEvolve } from '../../client/durable-evolve.ts';
import { UsageError } from '../../client/connect/errors.ts';
import type { RunReport } from '../../client/read/shapes.ts';
import type { RunHandle } from '../../client/runs/run-handle.ts';
import { notOpenYet } from '../../client/temporal/unopened.ts';
import { commandLine } from '../../evolution/steering/base/command-line.ts';
import {
  type Body,
  messageName,
  refusalOf,
  type Result,
  type VerbName,
  verbOf,
} from '../../evolution/steering/verbs.ts';
import { EXIT, messageOf } from '../terminal/exit.ts';
import { json, line, note } from '../terminal/output.ts';
import { runTable } from '../terminal/run-table.ts';
import { statePaint, widthOf } from '../terminal/screen.ts';
import type { Context } from './command.ts';
import { withEvolve, withRun } from './open.ts';

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

/** Carries a verb out on the runs that are meant. Resolves to the exit code where that is not 0. */
export const onRuns = async <V extends RunAct>(
  context: Context,
  { sweep, state, where, yes }: SelectionFlags,
  ids: readonly string[],
  name: V,
  body: Body<V>,
): Promise<number | void> => {
  const selection = { sweep, state, where };
  const selecting = Object.values(selection).some((wanted) => wanted !== undefined);
  if (selecting && ids.length > 0)
    throw new UsageError(`expected either ids of runs or --sweep, --state and --where, got ${ids.join(', ')} as well`);
  // Runs that are named are never left alone: what they refuse is told.
  if (!selecting && new Set(ids).size <= 1) return steerRun(context, ids[0] ?? 'latest', name, body);
  return withEvolve(context, async (evolve) => {
    const meant = selecting ? await evolve.list(selection) : await named(evolve, ids);
    if (meant.length === 0) throw new UsageError('no run is meant by these flags: `npx evolve list` shows all');
    const left = selecting ? meant.filter((run) => refusalOf(name, run) !== null) : [];
    const runs = meant.filter((run) => !left.includes(run));
    if (
      runs.length > 1 &&
      yes !== true &&
      !(await agreed(context, commandLine(name, [], body), runs, leftLines(name, left)))
    ) {
      note('nothing was done');
      return EXIT.usage;
    }
    const outcomes = await onMany(
      context,
      evolve,
      { name, body },
      runs.map(({ run }) => run),
    );
    for (const text of leftLines(name, left)) if (!context.json) line(text);
    if (context.json) json([...outcomes, ...left.map((one) => ({ run: one.run, leftAlone: refusalOf(name, one) }))]);
    return outcomes.some((outcome) => 'error' in outcome) ? EXIT.bad : undefined;
  });
};

/** A command leaves alone the runs that a flag finds where it makes no sense, because it would change nothing there. */
const leftLines = (name: RunAct, left: readonly RunReport[]): readonly string[] =>
  left.map((run) => `${run.run} is left alone: ${refusalOf(name, run)}`);

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

/** Asks at the terminal. Where there is none, throws UsageError, and nothing was sent. */
const agreed = async (
  context: Context,
  what: string,
  runs: readonly RunReport[],
  left: readonly string[],
): Promise<boolean> => {
  const print = context.json ? note : line;
  print(`${what}:`);
  for (const text of runTable(runs, widthOf(process.stdout), statePaint(process.stdout))) print(text);
  for (const text of left) print(text);
  if (!process.stdin.isTTY)
    throw new UsageError(
      `these are ${runs.length} runs, and nobody is at a terminal to be asked: nothing was sent. Give --yes to go on without the question`,
    );
  return saysYes(`${runs.length} runs. Go on?`);
};

export const saysYes = async (question: string): Promise<boolean> => /^y(es)?$/i.test(await asked(`${question} [y/N]`));

/** Asks at the terminal. */
export const asked = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`${question} `)).trim();
  } finally {
    terminal.close();
  }
};

/** Runs are acted on so many at a time: a run that does not answer must not hold up the others. */
const AT_ONCE = 4;

type Outcome = { readonly run: string; readonly error?: string };
type Asked<V extends RunAct> = { readonly name: V; readonly body: Body<V> };

const onMany = async <V extends RunAct>(
  context: Context,
  evolve: DurableEvolve,
  { name, body }: Asked<V>,
  ids: readonly string[],
): Promise<readonly Outcome[]> => {
  const runs = await Promise.all(ids.map((id) => evolve.run(id)));
  await checkAll(runs, { name, body });
  const outcomes: Outcome[] = [];
  const queue = [...runs.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, run] = next;
      try {
        const { result, text } = await run.act(name, body);
        outcomes[index] = { run: run.id, ...sentDocument(name, body, result) };
        if (!context.json) line(sentence(name, run.id, text));
      } catch (error) {
        outcomes[index] = { run: run.id, error: reasonOf(error) };
        note(`${run.id}: ${reasonOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
};

const reasonOf = (error: unknown): string => messageOf(error, false).replace(/^error: /, '');

/** All runs are checked before the first is changed. */
const checkAll = async <V extends RunAct>(runs: readonly RunHandle[], { name, body }: Asked<V>): Promise<void> => {
  const refused: string[] = [];
  for (const run of runs)
    await run.check(name, body).catch((error: unknown) => {
      refused.push(`${run.id}: ${reasonOf(error)}`);
    });
  if (refused.length > 0)
    throw new UsageError(`no run was changed, because not all of them can be:\n  ${refused.join('\n  ')}`);
};

/** A program is not printed again by `--json`. */
const shortOf = (name: VerbName, body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => verbOf(name).fields[key]?.file === undefined));

/** The document of `--json`. */
export const sentDocument = <V extends VerbName>(name: V, body: Body<V>, result: Result<V>): object => ({
  sent: messageName(name),
  ...shortOf(name, body),
  ...result,
});

/** The sentence about the change, and the next useful command. */
export const sentence = (name: VerbName, on: string, text: string): string => {
  const { next } = verbOf(name);
  return next === undefined ? text : `${text}; ${next(on)}`;
};

export const steerRun = <V extends RunAct>(context: Context, id: string, name: V, body: Body<V>): Promise<void> =>
  withRun(context, id, async (run) => {
    const { result, text } = await run.act(name, body);
    if (context.json) json({ run: run.id, ...sentDocument(name, body, result) });
    else line(sentence(name, run.id, text));
  });

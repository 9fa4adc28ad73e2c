// Watching with all that surrounds it: Ctrl-C, the display, the files and last words at the end, the exit code.
import { join, relative } from 'node:path';
import type { RunDocument } from '../../activities/store/documents.ts';
import { taskLoader, taskRef } from '../../activities/task/kept-task.ts';
import { openEngine, openStore, temporalUi } from '../../client/connection.ts';
import { BadEndError } from '../../client/errors.ts';
import { endedWell, runReport, temporalUrl } from '../../client/report.ts';
import { lostMessage } from '../../client/until-ended.ts';
import { createSource } from '../../client/watch-source.ts';
import type { Context } from '../flags/command.ts';
import { withStore } from '../flags/open.ts';
import type { StartFlags } from '../flags/settings-flags.ts';
import { EXIT } from '../terminal/exit.ts';
import { json, jsonLine, lines, note, notes } from '../terminal/output.ts';
import { urlText, widthOf } from '../terminal/screen.ts';
import { lastWords, runsDirectory, writeSummary } from '../terminal/summary.ts';
import { table } from '../terminal/table.ts';
import { type Display, displayFor, lineDisplay, type Watched, watchRun } from './watch-run.ts';

type FollowOptions = {
  readonly exitOnAttention: boolean;
  /** With --json: `lines` prints the report after every step, `end` only the last. */
  readonly jsonMode: 'lines' | 'end';
};

/** Follows a run to its end and resolves to the exit code. */
export const follow = async (context: Context, run: string, options: FollowOptions): Promise<number> => {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const source = createSource(run, { store: () => openStore(context), engine: () => openEngine(context) });
  try {
    const watched = await watchRun({
      source,
      ui: () => temporalUi(context),
      signal: abort.signal,
      exitOnAttention: options.exitOnAttention,
      display: displayOf(context, options),
    });
    return await conclude(context, run, watched);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await source.close();
  }
};

const displayOf = (context: Context, { jsonMode }: FollowOptions): Display => {
  if (!context.json) return displayFor(process.stdout, context.env);
  if (jsonMode === 'end') return displayFor(process.stderr, context.env);
  return lineDisplay(({ run, now }) => jsonLine(runReport(run, now, temporalUi(context))), note);
};

const conclude = async (context: Context, run: string, watched: Watched): Promise<number> => {
  switch (watched.kind) {
    case 'ended':
      return end(context, watched.run);
    case 'interrupted':
      notes(goingOn(run));
      return EXIT.interrupted;
    case 'attention':
      throw new BadEndError(
        `run ${run} needs attention: ${watched.reason}\n  it keeps everything and waits; \`npx evolve retry ${run}\` tries again now`,
      );
    case 'lost':
      throw new BadEndError(lostMessage(run, watched));
  }
};

/** What Ctrl-C says. */
const goingOn = (run: string): readonly string[] => [
  '',
  `Stopped watching; run ${run} goes on.`,
  ...table([
    [`  npx evolve watch ${run}`, 'watch again'],
    [`  npx evolve pause ${run}`, 'pause it'],
    [`  npx evolve stop ${run}`, 'end it after the current step'],
    ['  npx evolve down', 'shut everything down; the run continues at the next `npx evolve up`'],
  ]),
];

const end = async (context: Context, run: RunDocument): Promise<number> => {
  const now = new Date();
  const directory = join(runsDirectory(context.env), run.run);
  const { task, files } = await withStore(context, async (store) => {
    // One that was removed since has no picture.
    const task = await taskLoader(store)(taskRef(run)).catch(() => null);
    const picture = task?.picture ?? null;
    return { task, files: await writeSummary({ store, run, picture, directory, now, ui: temporalUi(context) }) };
  });
  if (context.json) json(runReport(run, now, temporalUi(context)));
  else lines(lastWords(run, process.stdout.isTTY ? near(directory) : directory, files, now, task?.direction ?? null));
  return endedWell(run) ? EXIT.well : EXIT.bad;
};

/** As seen from here, where that is shorter. */
const near = (path: string): string => {
  const seen = relative(process.cwd(), path);
  return seen.length < path.length ? seen : path;
};

// A run that was just started: its address, and then its progress unless --detach.
/** Resolves to the exit code. */
export const tellStarted = async (
  context: Context,
  run: string,
  { detach, exitOnAttention }: StartFlags,
): Promise<number | void> => {
  const url = temporalUrl(temporalUi(context), run);
  if (detach) {
    if (context.json) json({ run, temporalUrl: url });
    else lines([`run ${run} is started; \`npx evolve watch ${run}\` shows it`, ...addressLine(url)]);
    return;
  }
  (context.json ? notes : lines)([`run ${run}`, ...addressLine(url), '']);
  return follow(context, run, { exitOnAttention: exitOnAttention === true, jsonMode: 'end' });
};

const addressLine = (url: string | null): readonly string[] =>
  url === null ? [] : [urlText(url, widthOf(process.stdout))];

// Watching a run with all that surrounds it: Ctrl-C, the display, the files and the closing text, the exit code.
import { relative } from 'node:path';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { openEngine, openStore, temporalUi, withStore } from '../../client/connect/connection.ts';
import { BadEndError } from '../../client/connect/errors.ts';
import { pageOf } from '../../client/connect/page-address.ts';
import { endedWell, runReport, temporalUrl } from '../../client/read/report.ts';
import { filesOfEnd } from '../../client/read/results.ts';
import { taskOf } from '../../client/connect/loaded-late.ts';
import { lostMessage } from '../../client/runs/until-ended.ts';
import { createSource } from '../../client/runs/watch-source.ts';
import type { Context } from '../flags/command.ts';
import type { StartFlags } from '../flags/settings-flags.ts';
import { EXIT } from '../terminal/exit.ts';
import { json, jsonLine, lines, note, notes } from '../terminal/output.ts';
import { urlText, widthOf } from '../terminal/screen.ts';
import { lastWords } from '../terminal/last-words.ts';
import { table } from '../terminal/table.ts';
import type { WatchState } from '../terminal/standing.ts';
import { type Display, interruptible } from './display.ts';
import { displayFor, lineDisplay, type Watched, watchRun } from './watch-run.ts';

type FollowOptions = {
  readonly exitOnAttention: boolean;
  /** With --json, `lines` prints the report after every step and `end` only the last one. */
  readonly jsonMode: 'lines' | 'end';
};

/** Follows a run to its end and resolves to the exit code. */
export const follow = async (context: Context, run: string, options: FollowOptions): Promise<number> => {
  const source = createSource(run, { store: () => openStore(context), engine: () => openEngine(context) });
  try {
    return await interruptible(async (signal) => {
      const watched = await watchRun({
        source,
        ui: () => temporalUi(context),
        page: (id) => pageOf(context, id),
        signal,
        exitOnAttention: options.exitOnAttention,
        display: displayOf(context, options),
      });
      return conclude(context, run, watched, options);
    });
  } finally {
    await source.close();
  }
};

const displayOf = (context: Context, { jsonMode }: FollowOptions): Display<WatchState> => {
  if (!context.json) return displayFor(process.stdout, context.env);
  if (jsonMode === 'end') return displayFor(process.stderr, context.env);
  return lineDisplay(({ run, now }) => jsonLine(runReport(run, now, temporalUi(context))), note);
};

const conclude = async (context: Context, run: string, watched: Watched, options: FollowOptions): Promise<number> => {
  switch (watched.kind) {
    case 'ended':
      return end(context, watched.run, options);
    case 'interrupted':
      notes(goingOn(run, pageOf(context, run)));
      return EXIT.interrupted;
    case 'attention':
      throw new BadEndError(
        `run ${run} needs attention: ${watched.reason}\n  it keeps everything and waits; \`npx evolve retry ${run}\` tries again now`,
      );
    case 'lost':
      throw new BadEndError(lostMessage(run, watched));
  }
};

/** The text that Ctrl-C prints. */
const goingOn = (run: string, page: string | null): readonly string[] => [
  '',
  `Stopped watching; run ${run} goes on${page === null ? '.' : `: ${page}`}`,
  ...table([
    [`  npx evolve watch ${run}`, 'watch again'],
    [`  npx evolve pause ${run}`, 'pause it'],
    [`  npx evolve stop ${run}`, 'end it after the current step'],
    [`  npx evolve files ${run}`, 'write its results to files, also before it ends'],
    ['  npx evolve down', 'shut everything down; the run continues at the next `npx evolve up`'],
  ]),
];

const end = async (context: Context, run: RunDocument, { jsonMode }: FollowOptions): Promise<number> => {
  const now = new Date();
  const { task, files } = await withStore(context, async (store) => ({
    // It may have been removed since.
    task: await taskOf(store, run).catch(() => null),
    files: await filesOfEnd(context, store, run),
  }));
  for (const text of files.notes) note(`note: ${text}`);
  if (context.json) (jsonMode === 'lines' ? jsonLine : json)(runReport(run, now, temporalUi(context)));
  else
    lines(
      lastWords(
        run,
        process.stdout.isTTY ? near(files.directory) : files.directory,
        files.files,
        now,
        task?.direction ?? null,
        pageOf(context, run.run),
      ),
    );
  return endedWell(run) ? EXIT.well : EXIT.bad;
};

/** The path relative to the present directory, where that is shorter. */
const near = (path: string): string => {
  const seen = relative(process.cwd(), path);
  return seen.length < path.length ? seen : path;
};

/** Prints the address of a run that was just started, and follows it unless --detach. Resolves to the exit code. */
export const tellStarted = async (
  context: Context,
  run: string,
  { detach, exitOnAttention }: StartFlags,
): Promise<number | void> => {
  const [url, page] = [temporalUrl(temporalUi(context), run), pageOf(context, run)];
  if (detach) {
    if (context.json) json({ run, temporalUrl: url, pageUrl: page });
    else lines([`run ${run} is started; \`npx evolve watch ${run}\` shows it`, ...addressLines(page, url)]);
    return;
  }
  (context.json ? notes : lines)([`run ${run}`, ...addressLines(page, url), '']);
  return follow(context, run, { exitOnAttention: exitOnAttention === true, jsonMode: 'end' });
};

/** Columns before an address, for what it is the address of. */
const ADDRESS = 10;

const addressLines = (page: string | null, url: string | null): readonly string[] => [
  ...(page === null ? [] : [`${'page'.padEnd(ADDRESS)}${page}`]),
  ...(url === null ? [] : [`${'Temporal'.padEnd(ADDRESS)}${urlText(url, widthOf(process.stdout) - ADDRESS)}`]),
];

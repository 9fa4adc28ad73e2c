// Watches a run to its end: a live block on a terminal, plain lines elsewhere. Ctrl-C ends the watching, never the run.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { TemporalUi } from '../../client/connect/connection.ts';
import { temporalUrl } from '../../client/read/report.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { type Ending, untilEnded } from '../../client/runs/until-ended.ts';
import type { Source } from '../../client/runs/watch-source.ts';
import { liveBlock } from '../terminal/live.ts';
import { lineTo } from '../terminal/output.ts';
import { doneInStep, programsPerMinute, type Sample, withSample } from '../terminal/pace.ts';
import { progressBlock, progressLine } from '../terminal/progress.ts';
import { openStepOf, type WatchState } from '../terminal/standing.ts';

export type Watched =
  | Ending
  /** Watching ends this way only with --exit-on-attention. */
  | { readonly kind: 'attention'; readonly run: RunDocument; readonly reason: string };

export type WatchOptions = {
  readonly source: Source;
  readonly ui: () => TemporalUi | null;
  /** The address of the page of a run. */
  readonly page: (run: string) => string | null;
  readonly signal: AbortSignal;
  readonly exitOnAttention: boolean;
  readonly display: Display;
};

/** Shows states as they come. `end` leaves the display as it is. */
export type Display = {
  readonly show: (state: WatchState) => void;
  readonly waiting: (text: string) => void;
  readonly end: () => void;
};

export const watchRun = async ({
  source,
  ui,
  page,
  signal,
  exitOnAttention,
  display,
}: WatchOptions): Promise<Watched> => {
  let samples: readonly Sample[] = [];
  const states = untilEnded(source, signal);
  try {
    for (;;) {
      const { value, done } = await states.next();
      if (done) return value;
      const { run, live, waitingFor } = value;
      if (run === null) {
        display.waiting(waitingFor ?? 'the workers to open the run');
        continue;
      }
      const inStep = openStepOf(value, run);
      samples = withSample(samples, { atMs: Date.now(), programs: run.totals.programs + doneInStep(inStep) });
      display.show({
        run,
        now: new Date(),
        live,
        inStep,
        waitingFor,
        perMinute: programsPerMinute(samples),
        temporalUrl: temporalUrl(ui(), run.run),
        pageUrl: page(run.run),
      });
      const attention = live?.attention ?? null;
      if (exitOnAttention && attention !== null && !hasEnded(run)) return { kind: 'attention', run, reason: attention };
    }
  } finally {
    display.end();
  }
};

/** A block redrawn in place. */
const terminalDisplay = (terminal: NodeJS.WriteStream): Display => {
  const block = liveBlock(terminal);
  return {
    show: (state) =>
      block.draw((columns) => [
        ...progressBlock(state, columns),
        '',
        ...(hasEnded(state.run) ? [] : ['Ctrl-C stops watching; the run goes on.']),
      ]),
    waiting: (text) => block.draw(() => [`waiting for ${text}`]),
    end: block.end,
  };
};

/** Prints a line for every committed step and every change of state, and at least one in 15 s. */
export const lineDisplay = (
  write: (state: WatchState) => void,
  say: (text: string) => void,
  everyMs = 15_000,
): Display => {
  let seen = '';
  let atMs = 0;
  const due = (key: string): boolean => {
    if (key === seen && Date.now() - atMs < everyMs) return false;
    seen = key;
    atMs = Date.now();
    return true;
  };
  return {
    show: (state) => {
      if (
        due(
          `${state.run.committedStep}|${state.run.status}|${state.live?.status}|${state.live?.attention}|${state.waitingFor}`,
        )
      )
        write(state);
    },
    waiting: (text) => {
      if (due(`waiting ${text}`)) say(`waiting for ${text}`);
    },
    end: () => undefined,
  };
};

/** The display for a terminal, a log or a pipe. */
export const displayFor = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Display =>
  stream.isTTY && env['TERM'] !== 'dumb'
    ? terminalDisplay(stream)
    : lineDisplay(
        (state) => lineTo(stream, progressLine(state)),
        (text) => lineTo(stream, text),
      );

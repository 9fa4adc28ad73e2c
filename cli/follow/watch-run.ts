// Watches a run to its end: a live block on a terminal, plain lines elsewhere. Ctrl-C ends the watching, never the run.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { TemporalUi } from '../../client/connect/connection.ts';
import { temporalUrl } from '../../client/read/report.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { type Ending, untilEnded } from '../../client/runs/until-ended.ts';
import type { Source } from '../../client/runs/watch-source.ts';
import { doneInStep, programsPerMinute, type Sample, withSample } from '../terminal/pace.ts';
import { progressBlock, progressLine } from '../terminal/progress.ts';
import { openStepOf, type WatchState } from '../terminal/standing.ts';
import { type Display, displayOn, type Form, LineDisplay } from './display.ts';

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
  readonly display: Display<WatchState>;
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

const FORM: Form<WatchState> = {
  block: (state, columns) => [
    ...progressBlock(state, columns),
    '',
    ...(hasEnded(state.run) ? [] : ['Ctrl-C stops watching; the run goes on.']),
  ],
  line: progressLine,
  key: ({ run, live, waitingFor }) =>
    `${run.committedStep}|${run.status}|${live?.status}|${live?.attention}|${waitingFor}`,
};

/** Prints a line for every committed step and every change of state. */
export const lineDisplay = (
  write: (state: WatchState) => void,
  say: (text: string) => void,
  everyMs?: number,
): Display<WatchState> => new LineDisplay(write, say, FORM.key, everyMs);

/** The display for a terminal, a log or a pipe. */
export const displayFor = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Display<WatchState> =>
  displayOn(stream, env, FORM);

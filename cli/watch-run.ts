// Watches a run to its end: a live block on a terminal, plain lines elsewhere. Ctrl-C ends the watching, never the run.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../activities/store/documents.ts';
import type { InStep } from '../workflows/messages.ts';
import { liveBlock } from './live.ts';
import { doneInStep, programsPerMinute, withSample, type Sample } from './pace.ts';
import { progressBlock, progressLine, type WatchState } from './progress.ts';
import { hasEnded, temporalUrl, type TemporalUi } from './report.ts';
import type { Facts, Source } from './watch-source.ts';

export type Watched =
  | { readonly kind: 'ended'; readonly run: RunDocument }
  | { readonly kind: 'interrupted'; readonly run: RunDocument | null }
  /** The workflow is closed and the run document does not say that the run ended. */
  | { readonly kind: 'lost'; readonly run: RunDocument | null; readonly closed: string }
  /** Asked for by --exit-on-attention. */
  | { readonly kind: 'attention'; readonly run: RunDocument; readonly reason: string };

export type WatchOptions = {
  readonly source: Source;
  readonly ui: () => TemporalUi | null;
  readonly signal: AbortSignal;
  readonly exitOnAttention: boolean;
  readonly display: Display;
};

/** Shows states as they come; `end` leaves the display as it is. */
export type Display = { readonly show: (state: WatchState) => void; readonly waiting: (text: string) => void; readonly end: () => void };

const POLL_MS = 1_000;
/** A closed workflow and an open run document must be seen together this often before the run counts as lost. */
const LOST_AFTER = 4;

export const watchRun = async (options: WatchOptions): Promise<Watched> => {
  let samples: readonly Sample[] = [];
  let lost = 0;
  try {
    for (;;) {
      const facts = await options.source.facts();
      if (options.signal.aborted) return { kind: 'interrupted', run: facts.run };
      if (facts.run === null) options.display.waiting(facts.waitingFor ?? 'the workers to open the run');
      else {
        const inStep = openStepOf(facts, facts.run);
        samples = withSample(samples, { atMs: Date.now(), programs: facts.run.totals.programs + doneInStep(inStep) });
        const state: WatchState = {
          run: facts.run, now: new Date(), live: facts.live, inStep, waitingFor: facts.waitingFor,
          perMinute: programsPerMinute(samples), temporalUrl: temporalUrl(options.ui(), facts.run.run),
        };
        options.display.show(state);
        if (hasEnded(facts.run) && (facts.closed !== null || facts.waitingFor !== null)) return { kind: 'ended', run: facts.run };
        const attention = facts.live?.attention ?? null;
        if (options.exitOnAttention && attention !== null) return { kind: 'attention', run: facts.run, reason: attention };
      }
      lost = facts.closed !== null && facts.waitingFor === null ? lost + 1 : 0;
      if (lost >= LOST_AFTER) return { kind: 'lost', run: facts.run, closed: facts.closed ?? '' };
      await sleep(POLL_MS, undefined, { signal: options.signal }).catch(() => undefined);
    }
  } finally {
    options.display.end();
  }
};

/** The workflow's word may be older than the run document: a step that is committed by now is in the totals already. */
const openStepOf = ({ live, inStep }: Facts, run: RunDocument): InStep | null => (live !== null && live.step > run.committedStep ? inStep : null);

/** A block redrawn in place. */
export const terminalDisplay = (terminal: NodeJS.WriteStream, colour: boolean): Display => {
  const block = liveBlock(terminal, colour);
  return {
    show: (state) => block.draw([...progressBlock(state, terminal.columns || 80), '', ...(hasEnded(state.run) ? [] : ['Ctrl-C stops watching; the run goes on.'])]),
    waiting: (text) => block.draw([`waiting for ${text}`]),
    end: block.end,
  };
};

/** A line every committed step, every change of state, and at least each 15 s. */
export const lineDisplay = (write: (state: WatchState) => void, say: (text: string) => void, everyMs = 15_000): Display => {
  let seen = '';
  let atMs = 0;
  const due = (key: string): boolean => {
    if (key === seen && Date.now() - atMs < everyMs) return false;
    seen = key;
    atMs = Date.now();
    return true;
  };
  return {
    show: (state) => { if (due(`${state.run.committedStep}|${state.run.status}|${state.live?.status}|${state.live?.attention}|${state.waitingFor}`)) write(state); },
    waiting: (text) => { if (due(`waiting ${text}`)) say(`waiting for ${text}`); },
    end: () => undefined,
  };
};

/** The display for where the output goes. */
export const displayFor = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Display =>
  (stream.isTTY && env['TERM'] !== 'dumb'
    ? terminalDisplay(stream, !env['NO_COLOR'])
    : lineDisplay((state) => stream.write(`${progressLine(state)}\n`), (text) => stream.write(`${text}\n`)));

// A run as a state machine: its next action, of its state. The workflow carries it out and asks again.
import { awaits, isLeftOut, type Learning, learnsAtEnd, nextUpdate } from './updates.ts';

/** The end of a run at a limit, or at a rung of its sweep. */
export type End = { readonly status: 'finished' | 'stopped'; readonly reason: string };

export type Situation = {
  /** The messages that were taken: a pause after the step or at once, a stop, a rewind, a step that is asked for afresh. */
  readonly paused: 'step' | 'now' | null;
  readonly stopping: boolean;
  readonly rewinding: boolean;
  readonly resampling: boolean;
  /** -1 before step 0 is committed. */
  readonly committedStep: number;
  readonly learning?: Learning | undefined;
  /** The update of the policy that is under way. */
  readonly update: { readonly step: number; readonly parked: boolean } | null;
  /** The run goes on in another execution: at once, or before its next step. */
  readonly leaves: 'at once' | 'before a step' | null;
  /** The document of the run says still that it is paused. */
  readonly storedAsPaused: boolean;
  /** The limit that is reached; null where another step fits. */
  readonly reached: () => End | null;
};

export type Action =
  /** Nothing begins before a message comes. */
  | { readonly do: 'rest' }
  | { readonly do: 'stop' }
  | { readonly do: 'rewind' }
  /** The run continues as new. */
  | { readonly do: 'go on' }
  | { readonly do: 'resample' }
  | { readonly do: 'begin update'; readonly step: number }
  | { readonly do: 'await update' }
  | { readonly do: 'cancel update' }
  /** Nothing begins while the document says that the run is paused. */
  | { readonly do: 'await document' }
  | ({ readonly do: 'end' } & End)
  /** `leavesOut`: the committed step is left out of learning before. */
  | { readonly do: 'step'; readonly step: number; readonly leavesOut: boolean };

export const next = (run: Situation): Action => {
  if (run.update !== null && endsUpdate(run)) return { do: 'cancel update' };
  if (run.stopping) return { do: 'stop' };
  if (run.rewinding) return { do: 'rewind' };
  if (run.leaves === 'at once' || (run.leaves !== null && run.paused === null))
    return run.update === null || run.update.parked ? { do: 'go on' } : { do: 'await update' };
  if (run.paused !== null) return run.update === null ? { do: 'rest' } : { do: 'await update' };
  if (run.resampling) return { do: 'resample' };
  return nextWork(run);
};

const endsUpdate = ({ stopping, rewinding, paused, learning }: Situation): boolean =>
  stopping || rewinding || paused === 'now' || learning?.on !== true;

const nextWork = (run: Situation): Action => {
  const { committedStep, update } = run;
  const end = committedStep < 0 ? null : run.reached();
  const due = update === null ? nextUpdate(run) : null;
  if (due !== null && (end === null || learnsAtEnd(run, end))) return begins(run, { do: 'begin update', step: due });
  if (update !== null && (end !== null || awaits(run, update.step))) return { do: 'await update' };
  if (end !== null) return { do: 'end', ...end };
  return begins(run, { do: 'step', step: committedStep + 1, leavesOut: isLeftOut(run) });
};

const begins = ({ storedAsPaused }: Situation, action: Action): Action =>
  storedAsPaused ? { do: 'await document' } : action;

export const isSame = (one: Action, other: Action): boolean => JSON.stringify(one) === JSON.stringify(other);

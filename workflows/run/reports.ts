// A run hears its steps and its updates: signals between workflows, which take back no answer to a person.
import { listenInside } from '../messages/internal.ts';
import { stepReport, updateReport, windowReport, type WindowReport } from '../messages/messages.ts';
import type { Report } from '../engine/reports.ts';
import type { RunState } from './run-state.ts';

/** Conditions under which no further window begins. */
type Ends = {
  /** No further step would start. */
  readonly atEnd: () => boolean;
  /** The run goes on in another execution as soon as it can. */
  readonly leaves: () => boolean;
};

export const listenToSteps = (state: RunState, ends: Ends): void => {
  const refused = (why: string, message: string): void => {
    state.notes.refuse(message, why);
    state.describe();
  };
  listenInside(stepReport, (report) => stepParked(state, report), refused);
  listenInside(updateReport, (report) => state.learner.report(report), refused);
  listenInside(windowReport, (report) => windowCommitted(state, report, ends), refused);
};

const stepParked = (state: RunState, report: Report): void => {
  if (state.windows?.open.includes(report.step) !== true) return;
  const first = state.windows.report(report);
  state.stepAttention = first?.attention ?? null;
  state.stepParked = first?.parked ?? null;
  state.follow();
};

const windowCommitted = (state: RunState, report: WindowReport, { atEnd, leaves }: Ends): void => {
  const { step, summary, next } = report;
  if (state.windows === null || step !== state.newest) return;
  if (summary === null) state.inWindow = true;
  else state.committed(summary);
  const stream = next !== undefined;
  if (state.paused || state.stopping || atEnd() || (stream && (state.windows.closesLater || leaves())))
    state.closeWindow();
  if (!stream || next === null || next <= step || !state.inWindow) return;
  state.inWindow = false;
  state.windows.next(next);
};

// What the steps and the updates of a run tell it: signals between workflows, which take back no answer to a person.
import { INTERNAL } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { stepReport, updateReport, windowReport } from '../messages/messages.ts';
import { validateStepReport, validateUpdateReport, validateWindowReport } from '../messages/validate-inputs.ts';
import type { RunState } from './run-state.ts';

/**
 * `atEnd` tells whether no further step would start, and `leaves` whether the run goes on in another execution as soon
 * as it can.
 */
export const listenInside = (state: RunState, atEnd: () => boolean, leaves: () => boolean): void => {
  const internal = (refusal: string | null, message: string): void => {
    if (refusal === null) return;
    state.notes.refuse(message, refusal);
    state.describe();
  };
  listenTo(stepReport, {
    answer: internal,
    check: validateStepReport,
    handle(report) {
      if (state.windows?.open.includes(report.step) === true) {
        const parked = state.windows.report(report);
        state.stepAttention = parked?.attention ?? null;
        state.stepParked = parked?.parked ?? null;
        state.follow();
      }
    },
    description: INTERNAL,
  });
  listenTo(updateReport, {
    answer: internal,
    check: validateUpdateReport,
    handle: (report) => state.learner.report(report),
    description: INTERNAL,
  });
  listenTo(windowReport, {
    answer: internal,
    check: validateWindowReport,
    handle({ step, summary, next }) {
      if (state.windows === null || step !== state.newest) return;
      if (summary === null) state.inWindow = true;
      else {
        const { settings: _, ...committed } = summary; // Whoever sends a signal is not to say the settings.
        state.committed(committed);
      }
      const stream = next !== undefined;
      // Only windows of a stream hand over. The next one of any other step would wait for ever, and the run for it.
      const foreign = stream && state.brief?.stream === false;
      if (state.paused || state.stopping || atEnd() || foreign || (stream && (state.windows.closesLater || leaves())))
        state.closeWindow();
      if (!stream || next === null || next <= step || !state.inWindow) return;
      state.inWindow = false;
      state.windows.next(next);
      state.page.works(next);
    },
    description: INTERNAL,
  });
};

// What the steps and the updates of a run tell it: signals between workflows, which take back no answer to a person.
import { INTERNAL } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { stepReport, updateReport, windowReport } from '../messages/messages.ts';
import { validateStepReport, validateUpdateReport, validateWindowReport } from '../messages/validate-inputs.ts';
import type { RunState } from './run-state.ts';

/** `atEnd` tells whether no further step would start. */
export const listenInside = (state: RunState, atEnd: () => boolean): void => {
  const internal = (refusal: string | null, message: string): void => {
    if (refusal === null) return;
    state.notes.refuse(message, refusal);
    state.describe();
  };
  listenTo(stepReport, {
    answer: internal,
    check: validateStepReport,
    handle(report) {
      if (report.step === state.current?.step) {
        state.stepAttention = report.attention;
        state.stepParked = report.attention === null ? null : (report.parked ?? null);
        // Steps of this version tell every try, for which a long history has no room.
        if (report.parked === undefined) state.mark();
        else state.follow();
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
    handle({ step, summary }) {
      if (step !== state.current?.step) return;
      if (summary === null) state.inWindow = true;
      else {
        const { settings: _, ...committed } = summary; // Whoever sends a signal is not to say the settings.
        state.committed(committed);
      }
      if (state.paused || state.stopping || atEnd()) state.closeWindow();
    },
    description: INTERNAL,
  });
};

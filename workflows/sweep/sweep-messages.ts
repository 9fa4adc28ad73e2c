// Here a sweep handles its messages: what it is told goes on to those of its runs that are alive.
import { getExternalWorkflowHandle, patched, setHandler } from '@temporalio/workflow';
import { runWorkflowId } from '../../evolution/ids.ts';
import { SWEEP_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { pause, resume, stop, sweepProgress } from '../messages/messages.ts';
import { validatePause } from '../messages/validate.ts';
import type { SweepState } from './sweep-state.ts';

export const tellAlive = ({ alive }: SweepState, signal: 'pause' | 'resume' | 'stop', body: object): Promise<unknown> =>
  Promise.all(
    alive.map(({ run }) =>
      getExternalWorkflowHandle(runWorkflowId(run))
        .signal(signal, body)
        .catch(() => undefined),
    ),
  );

export const tellStop = (state: SweepState): Promise<unknown> =>
  tellAlive(state, 'stop', { ...state.stopping, sweep: state.plan?.name });

export const listen = (state: SweepState): void => {
  setHandler(sweepProgress, () => state.progress, { description: SWEEP_MESSAGES.progress });
  const answer = (refused: string | null): void => {
    state.refusal = refused;
    if (refused === null) return;
    if (patched('quiet-refusals')) state.describe();
    else state.show();
  };
  listenTo(pause, {
    description: SWEEP_MESSAGES.pause,
    answer,
    check: (request) => validatePause(request),
    async handle(request) {
      state.paused = request ?? {};
      state.show();
      await tellAlive(state, 'pause', state.paused);
    },
  });
  listenTo(resume, {
    description: SWEEP_MESSAGES.resume,
    answer,
    check: () => undefined,
    async handle() {
      state.paused = null;
      state.show();
      await tellAlive(state, 'resume', {});
    },
  });
  listenTo(stop, {
    description: SWEEP_MESSAGES.stop,
    answer,
    check: (request) => validatePause(request, 'stop'),
    async handle(request) {
      state.stopping = request ?? {};
      if (!state.opening.over && patched('give-up-opening')) state.opening.giveUp();
      state.show();
      await tellStop(state);
    },
  });
};

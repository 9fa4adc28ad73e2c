// Here a sweep handles its messages: what it is told goes on to those of its runs that are alive.
import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import { runWorkflowId } from '../../evolution/ids.ts';
import { SWEEP_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { pause, resume, stop, sweepProgress } from '../messages/messages.ts';
import { noteUnknownSignals } from '../messages/notes.ts';
import { refuse } from '../messages/shape.ts';
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
  const answer = (refused: string | null, message: string): void => {
    if (refused === null) return state.notes.taken();
    state.notes.refuse(message, refused);
    state.describe();
  };
  noteUnknownSignals(
    state.notes,
    {
      what: 'a sweep',
      signals: [pause, resume, stop].map(({ name }) => name),
      updates: [],
      instead: 'Other messages are for its runs, each on its own page',
    },
    () => state.describe(),
  );
  listenTo(pause, {
    description: SWEEP_MESSAGES.pause,
    answer,
    check(request) {
      validatePause(request);
      if (state.stopping !== null)
        refuse(
          `pause: the sweep is stopping, so it was not paused; after it has stopped, \`npx evolve sweep resume ${state.name}\` goes on`,
        );
    },
    async handle(request) {
      state.paused = request ?? {};
      state.show();
      await tellAlive(state, 'pause', state.paused);
    },
  });
  listenTo(resume, {
    description: SWEEP_MESSAGES.resume,
    answer,
    // It also lets those of its runs go on that a person paused on their own.
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
      if (!state.opening.over) state.opening.giveUp();
      state.show();
      await tellStop(state);
    },
  });
};

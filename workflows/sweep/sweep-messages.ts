// Here a sweep handles its messages: what it is told goes on to those of its runs that are alive.
import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import { runWorkflowId } from '../../evolution/ids.ts';
import { SWEEP_MESSAGES } from '../messages/descriptions.ts';
import { type PauseRequest, type StopRequest, sweepProgress } from '../messages/messages.ts';
import { listenToPeople } from '../messages/people.ts';
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
  listenToPeople({
    of: 'sweep',
    notes: state.notes,
    describe: () => state.describe(),
    now: () => ({
      ...{ run: state.name, state: state.status, steps: 0, programs: 0, best: null, sweep: null, stopReason: null },
    }),
    instead: 'Other messages are for its runs, each on its own page',
    signals: {
      async pause(body: PauseRequest) {
        state.paused = body;
        state.show();
        await tellAlive(state, 'pause', body);
      },
      async resume() {
        state.paused = null;
        state.show();
        await tellAlive(state, 'resume', {});
      },
      async stop(body: StopRequest) {
        state.stopping = body;
        if (!state.opening.over) state.opening.giveUp();
        state.show();
        await tellStop(state);
      },
    },
  });
};

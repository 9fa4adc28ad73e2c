// Here a run handles its messages. Signals and updates change the run's state or its settings, and the loop acts on
// them at its next boundary.
import { condition, currentUpdateInfo, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { RunBrief, SettingsChange, SettingsChanged } from '../../activities/interface/run.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { KEEPS_STEP_0 } from '../../evolution/first-step.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { urgent } from '../engine/proxies.ts';
import { RUN_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import {
  addModel,
  extend,
  pause,
  removeModel,
  resume,
  retry,
  rewind,
  type RunProgress,
  setConfig,
  status,
  steer,
  stop,
  type StopRequest,
} from '../messages/messages.ts';
import { noteUnknownSignals } from '../messages/notes.ts';
import { refusable, refuse } from '../messages/shape.ts';
import {
  validateAddModel,
  validateExtend,
  validatePause,
  validateRemoveModel,
  validateRetry,
  validateRewind,
  validateSetConfig,
  validateSteer,
} from '../messages/validate.ts';
import { listenInside } from './reports.ts';
import type { RunState } from './run-state.ts';

/** `atEnd` and `leaves` are as in reports.ts. */
export const listen = (state: RunState, atEnd: () => boolean, leaves: () => boolean): void => {
  setHandler(status, () => progressOf(state), { description: RUN_MESSAGES.status });
  listenToPause(state);
  listenToResume(state);
  listenToStop(state);
  listenToRetry(state);
  listenInside(state, atEnd, leaves);
  noteUnknownSignals(
    state.notes,
    {
      what: 'a run',
      signals: [pause, resume, stop, retry].map(({ name }) => name),
      updates: [extend, setConfig, steer, addModel, removeModel, rewind].map(({ name }) => name),
    },
    () => state.describe(),
  );
  listenToSettings(state);
  listenToSteer(state);
  listenToRewind(state);
};

const progressOf = (state: RunState): RunProgress => {
  const { current, brief, learner, notes } = state;
  const committed = brief?.committedStep ?? 0;
  const step = current === null ? committed : Math.max(current.step, brief === null ? 0 : committed + 1);
  return {
    status: state.status,
    step,
    workflow: state.newest ?? step,
    attention: state.attention,
    parked: state.parked,
    paused: state.paused !== null,
    stopping: state.stopping !== null,
    opening: brief === null,
    ...(state.closing && { closing: true }),
    refusal: notes.latest,
    refusals: notes.refusals,
    policy: brief?.learning?.policy ?? null,
    update: learner.current && {
      step: learner.current.step,
      since: new Date(learner.current.sinceMs).toISOString(),
    },
  };
};

/** A refusal changes no attribute, so that a flood of refusals does not fill the history. */
const answering =
  (state: RunState) =>
  (refusal: string | null, message: string): void => {
    if (refusal === null) return state.notes.taken();
    state.notes.refuse(message, refusal);
    state.describe();
  };

const listenToPause = (state: RunState): void =>
  listenTo(pause, {
    description: RUN_MESSAGES.pause,
    answer: answering(state),
    check(request) {
      validatePause(request);
      if (state.stopping !== null)
        refuse(
          `pause: the run is stopping, so it was not paused; after it has stopped, \`npx evolve resume ${state.run}\` goes on`,
        );
    },
    handle(request) {
      state.paused = request ?? {};
      if (state.paused.mode === 'now') state.interrupt();
      else state.closeWindow();
      state.mark();
    },
  });

const listenToResume = (state: RunState): void =>
  listenTo(resume, {
    description: RUN_MESSAGES.resume,
    answer: answering(state),
    check() {
      if (state.paused === null)
        refuse(
          `resume: the run is not paused, it is ${state.status}, so nothing was resumed${state.attention === null ? '' : '; the signal "retry" tries again what is parked'}`,
        );
    },
    handle() {
      state.paused = null;
      state.mark();
    },
  });

const listenToStop = (state: RunState): void =>
  listenTo(stop, {
    description: RUN_MESSAGES.stop,
    answer: answering(state),
    check: (request) => validatePause(request, 'stop'),
    handle(request) {
      state.stopping = stopAfter(state.stopping, request ?? {});
      // A parked step has no end to wait for.
      if (state.stopping.mode === 'now' || state.stepAttention !== null) state.interrupt();
      else state.closeWindow();
      state.park.release();
      state.giveUpOpening();
      state.mark();
    },
  });

/**
 * A run that a person stopped stays stopped when its sweep goes on, also where the sweep is stopped before the run has
 * come to its end.
 */
const stopAfter = (before: StopRequest | null, request: StopRequest): StopRequest =>
  request.sweep === undefined || before === null || before.sweep !== undefined
    ? request
    : { ...before, mode: request.mode ?? 'step' };

const listenToRetry = (state: RunState): void =>
  listenTo(retry, {
    description: RUN_MESSAGES.retry,
    answer: answering(state),
    check(request) {
      validateRetry(request);
      // A signal comes again after a reset by hand. Then nothing is parked, and nothing must be paid for twice.
      if (request?.resample === true && state.attention === null)
        refuse('retry: "resample" is for a step that is parked, and none is');
      if (request?.resample === true && state.park.attention === null && state.stepAttention === null)
        refuse('retry: "resample" is for a step, and what is parked is the update of the policy: leave it out');
    },
    async handle(request) {
      if (request?.resample !== true) return retryParked(state);
      state.resampling = true;
      state.park.release();
      state.interrupt();
    },
  });

const retryParked = async (state: RunState): Promise<void> => {
  const { run, park, learner, notes } = state;
  if (state.attention === null) {
    notes.refuse('retry', `retry: nothing is parked, the run is ${state.status}, so nothing was tried again`);
    state.describe();
  }
  park.release();
  if (learner.busy) await learner.retry(run);
  // The step may have parked a moment ago.
  for (const step of state.windows?.open ?? [])
    await getExternalWorkflowHandle(stepWorkflowId(run, step))
      .signal('retry', {})
      .catch(() => undefined);
};

/** The brief of the run, once it is open. */
const opened = async (state: RunState): Promise<RunBrief> => {
  await condition(() => state.brief !== null);
  return state.brief!;
};

const change = async (state: RunState, wanted: SettingsChange): Promise<SettingsChanged> => {
  const { run, learner } = state;
  const by = currentUpdateInfo()?.id;
  const { settings, ...result } = await refusable(() => urgent.changeSettings({ run, change: wanted, by }));
  state.settle(settings);
  state.notes.taken();
  // New settings count from the next step on, so the window ends where its foremost island is.
  if (result.changed.length > 0) state.closeWindow();
  // An update that is parked for a setting is planned anew with the new ones.
  if (result.changed.length > 0 && learner.attention !== null) void learner.retry(run);
  return result;
};

const listenToSettings = (state: RunState): void => {
  const changes = async (wanted: SettingsChange): Promise<SettingsChanged> => {
    await opened(state);
    return change(state, wanted);
  };
  setHandler(
    extend,
    async ({ add, ...limits }) => {
      const { limits: present } = await opened(state);
      await change(state, { kind: 'extend', limits: absoluteLimits(present, limits, add === true), add: false });
      return state.brief!.limits;
    },
    { validator: validateExtend, description: RUN_MESSAGES.extend },
  );
  setHandler(setConfig, ({ patch }) => changes({ kind: 'patch', patch }), {
    validator: validateSetConfig,
    description: RUN_MESSAGES.setConfig,
  });
  setHandler(addModel, (model) => changes({ kind: 'addModel', model }), {
    validator: validateAddModel,
    description: RUN_MESSAGES.addModel,
  });
  setHandler(removeModel, ({ name }) => changes({ kind: 'removeModel', name }), {
    validator: validateRemoveModel,
    description: RUN_MESSAGES.removeModel,
  });
};

const listenToSteer = (state: RunState): void =>
  setHandler(
    steer,
    async ({ island, program, hint }) => {
      await opened(state);
      if (program === undefined) {
        const { version } = await change(state, { kind: 'hint', island: island ?? null, hint: hint ?? null });
        return { injected: null, version };
      }
      const order = { run: state.run, island: island ?? 0, program };
      const injected = await refusable(() => urgent.injectProgram(order));
      state.notes.taken();
      state.closeWindow();
      return { ...injected, version: null };
    },
    { validator: validateSteer, description: RUN_MESSAGES.steer },
  );

const listenToRewind = (state: RunState): void =>
  setHandler(
    rewind,
    async (request) => {
      requireStep(await opened(state), request.toStep);
      const by = currentUpdateInfo()?.id;
      state.rewinding = { ...request, ...(by === undefined ? {} : { by }) };
      state.notes.taken();
      state.interrupt();
      state.park.release();
      return { toStep: request.toStep };
    },
    { validator: validateRewind, description: RUN_MESSAGES.rewind },
  );

const requireStep = ({ committedStep: done, best }: RunBrief, toStep: number): void => {
  if (done < 0) refuse('rewind: no step is committed yet: "retry" does step 0 again');
  const first = best === null ? 0 : 1;
  if (toStep > done || toStep < first)
    refuse(
      `rewind: "toStep" expected ${first} to ${done}, the last committed step, got ${toStep}${toStep === 0 ? `. ${KEEPS_STEP_0}` : ''}`,
    );
};

/**
 * The `extend` message as absolute limits, so that storing them twice changes nothing. With `add` a number is added to
 * the present limit, or taken as it is where there was none; null removes a limit.
 */
export const absoluteLimits = (
  present: Limits,
  wanted: { readonly [limit in keyof Limits]?: number | null },
  add: boolean,
): { readonly [limit: string]: number | null } =>
  Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [
      key,
      add && value !== null ? (present[key as keyof Limits] ?? 0) + value : value,
    ]),
  );

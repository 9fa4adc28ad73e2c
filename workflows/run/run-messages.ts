// Here a run handles its messages. Signals and updates change the run's state or its settings, and the loop acts on
// them at its next boundary.
import { condition, currentUpdateInfo, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { SettingsChange, SettingsChanged } from '../../activities/interface/run.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { KEEPS_STEP_0 } from '../../evolution/first-step.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { type Body, type Result, verbNames, verbOf } from '../../evolution/steering/verbs.ts';
import { urgent } from '../engine/proxies.ts';
import { RUN_MESSAGES } from '../messages/descriptions.ts';
import {
  type ExtendRequest,
  type PauseRequest,
  type RetryRequest,
  type RewindRequest,
  type RunProgress,
  status,
  type StopRequest,
} from '../messages/messages.ts';
import { listenToPeople } from '../messages/people.ts';
import { refusable, refuse } from '../messages/refusals.ts';
import { situationOf } from './page.ts';
import { listenToSteps } from './reports.ts';
import type { RunState } from './run-state.ts';

/** `atEnd` and `leaves` are as in reports.ts. */
export const listen = (state: RunState, atEnd: () => boolean, leaves: () => boolean): void => {
  setHandler(status, () => progressOf(state), { description: RUN_MESSAGES.status });
  listenToSteps(state, { atEnd, leaves });
  listenToPeople({
    of: 'run',
    notes: state.notes,
    describe: () => state.describe(),
    now: () => situationOf(state.shown),
    opened: () => condition(() => state.brief !== null),
    check: (message, body) => {
      if (message === 'retry') requireParked(state, body);
    },
    signals: {
      pause: (body: PauseRequest) => pause(state, body),
      resume: () => resume(state),
      stop: (body: StopRequest) => stop(state, body),
      retry: (body: RetryRequest) => retry(state, body),
    },
    updates: {
      ...changes(state),
      extend: (body: ExtendRequest) => extend(state, body),
      inject: (body: Body<'inject'>) => inject(state, body),
      rewind: (body: RewindRequest) => rewind(state, body),
      'task-update': (body: Body<'task-update'>) => updateTask(state, body),
    },
  });
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

const pause = (state: RunState, body: PauseRequest): void => {
  state.paused = body;
  if (body.mode === 'now') state.interrupt();
  else state.closeWindow();
  state.mark();
};

const resume = (state: RunState): void => {
  state.paused = null;
  state.mark();
};

const stop = (state: RunState, body: StopRequest): void => {
  state.stopping = stopAfter(state.stopping, body);
  // A parked step has no end to wait for.
  if (state.stopping.mode === 'now' || state.stepAttention !== null) state.interrupt();
  else state.closeWindow();
  state.park.release();
  state.giveUpOpening();
  state.mark();
};

/**
 * A run that a person stopped stays stopped when its sweep goes on, also where the sweep is stopped before the run has
 * come to its end.
 */
const stopAfter = (before: StopRequest | null, request: StopRequest): StopRequest =>
  request.sweep === undefined || before === null || before.sweep !== undefined
    ? request
    : { ...before, mode: request.mode ?? 'step' };

/** A signal comes again after a reset by hand. Then nothing is parked, and nothing must be paid for twice. */
const requireParked = (state: RunState, { resample }: RetryRequest): void => {
  if (resample !== true) return;
  if (state.attention === null) refuse('retry: "resample" is for a step that is parked, and none is');
  if (state.park.attention === null && state.stepAttention === null)
    refuse('retry: "resample" is for a step, and what is parked is the update of the policy: leave it out');
};

const retry = (state: RunState, { resample }: RetryRequest): void | Promise<void> => {
  if (resample !== true) return retryParked(state);
  state.resampling = true;
  state.park.release();
  state.interrupt();
};

const retryParked = async (state: RunState): Promise<void> => {
  const { run, park, learner } = state;
  park.release();
  if (learner.busy) await learner.retry(run);
  // The step may have parked a moment ago.
  for (const step of state.windows?.open ?? [])
    await getExternalWorkflowHandle(stepWorkflowId(run, step))
      .signal('retry', {})
      .catch(() => undefined);
};

const change = async (state: RunState, settingsChange: SettingsChange): Promise<SettingsChanged> => {
  const { run, learner } = state;
  const by = currentUpdateInfo()?.id;
  const { settings, ...result } = await refusable(() => urgent.changeSettings({ run, change: settingsChange, by }));
  state.settle(settings);
  state.notes.taken();
  // New settings count from the next step on, so the window ends where its foremost island is.
  if (result.changed.length > 0) state.closeWindow();
  // An update that is parked for a setting is planned anew with the new ones.
  if (result.changed.length > 0 && learner.attention !== null) void learner.retry(run);
  return result;
};

/** A handler for each verb that is a change of settings. */
const changes = (state: RunState): { readonly [verb: string]: (body: never) => Promise<SettingsChanged> } =>
  Object.fromEntries(
    verbNames.flatMap((name) => {
      const asked = verbOf(name).change;
      return asked === undefined ? [] : [[name, (body: never) => change(state, asked(body))]];
    }),
  );

/** Each adds to what the one before left. */
const extend = (state: RunState, { add, ...limits }: ExtendRequest): Promise<Limits> =>
  state.inTurn(async () => {
    const absolute = absoluteLimits(state.brief!.limits, limits, add === true);
    await change(state, { kind: 'extend', limits: absolute, add: false });
    return state.brief!.limits;
  });

const inject = async (
  state: RunState,
  { island = 0, program }: Body<'inject'>,
): Promise<{ readonly injected: string }> => {
  const order = { run: state.run, island, program };
  const injected = await refusable(() => urgent.injectProgram(order));
  state.notes.taken();
  state.closeWindow();
  return injected;
};

/** A step of its own scores the programs again, so the window ends. */
const updateTask = async (state: RunState, { task }: Body<'task-update'>): Promise<Result<'task-update'>> => {
  const updated = await refusable(() => urgent.updateTask({ run: state.run, task }));
  state.notes.taken();
  state.closeWindow();
  return updated;
};

const rewind = async (state: RunState, body: RewindRequest): Promise<{ readonly toStep: number }> => {
  const { committedStep: done, best } = state.brief!;
  const { toStep } = body;
  const first = best === null ? 0 : 1;
  if (toStep > done || toStep < first)
    refuse(
      `rewind: "toStep" expected ${first} to ${done}, the last committed step, got ${toStep}${toStep === 0 ? `. ${KEEPS_STEP_0}` : ''}`,
    );
  const by = currentUpdateInfo()?.id;
  state.rewinding = { ...body, ...(by === undefined ? {} : { by }) };
  state.notes.taken();
  state.interrupt();
  state.park.release();
  return { toStep };
};

/**
 * The `extend` message as absolute limits, so that storing them twice changes nothing. With `add` a number is added to
 * the present limit, or taken as it is where there was none; null removes a limit.
 */
export const absoluteLimits = (
  present: Limits,
  changes: { readonly [limit in keyof Limits]?: number | null },
  add: boolean,
): { readonly [limit: string]: number | null } =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key,
      add && value !== null ? Number(present[key as keyof Limits] ?? 0) + value : value,
    ]),
  );

// Here a run handles its messages. Signals and updates change the run's state or its settings, and the loop acts on
// them at its next boundary.
import {
  ApplicationFailure,
  condition,
  currentUpdateInfo,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import type { SettingsChange, SettingsChanged } from '../../activities/interface/run.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { rootOf } from '../../evolution/root-cause.ts';
import { store } from '../engine/proxies.ts';
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
  stepReport,
  stop,
  windowReport,
} from '../messages/messages.ts';
import {
  refuse,
  validateAddModel,
  validateExtend,
  validatePause,
  validateRemoveModel,
  validateRetry,
  validateRewind,
  validateSetConfig,
  validateSteer,
} from '../messages/validate.ts';
import type { RunState } from './run-state.ts';

/** `atEnd` tells whether no further step would start. */
export const listen = (state: RunState, atEnd: () => boolean): void => {
  const { run, park } = state;
  setHandler(status, (): RunProgress => {
    const { current, brief, attention } = state;
    const committed = brief?.committedStep ?? 0;
    const step = current === null ? committed : Math.max(current.step, brief === null ? 0 : committed + 1);
    return { status: state.status, step, workflow: current?.step ?? step, attention };
  });
  /** Signals cannot be refused: one that makes no sense is answered in the current details, and changes nothing. */
  const makesSense = (check: () => void): boolean => {
    try {
      check();
      state.refusal = null;
      return true;
    } catch (error) {
      state.refusal = (error as Error).message;
      state.show();
      return false;
    }
  };
  setHandler(pause, (request) => {
    if (!makesSense(() => validatePause(request))) return;
    state.paused = request ?? {};
    if (state.paused.mode === 'now') state.interrupt();
    else state.closeWindow();
    state.mark();
  });
  setHandler(resume, () => {
    state.refusal = null;
    state.paused = null;
    state.mark();
  });
  setHandler(stop, (request) => {
    if (!makesSense(() => validatePause(request, 'stop'))) return;
    state.stopping = request ?? {};
    // A parked step has no end to wait for.
    if (state.stopping.mode === 'now' || state.stepAttention !== null) state.interrupt();
    else state.closeWindow();
    park.release();
    state.show();
  });
  setHandler(retry, async (request) => {
    if (!makesSense(() => validateRetry(request))) return;
    if (request?.resample) {
      // A signal comes again after a reset by hand. Then nothing is parked, and nothing must be paid for twice.
      if (state.attention === null) {
        makesSense(() => refuse('retry: "resample" is for a step that is parked, and none is'));
        return;
      }
      state.resampling = true;
      park.release();
      state.interrupt();
      return;
    }
    park.release();
    if (state.current)
      await getExternalWorkflowHandle(stepWorkflowId(run, state.current.step))
        .signal('retry', {})
        .catch(() => undefined);
  });
  setHandler(stepReport, (report) => {
    if (report.step === state.current?.step) {
      state.stepAttention = report.attention;
      state.mark();
    }
  });

  setHandler(windowReport, ({ step, summary }) => {
    if (step !== state.current?.step) return;
    if (summary === null) state.inWindow = true;
    else state.committed(summary);
    if (state.paused || state.stopping || atEnd()) state.closeWindow();
  });

  const change = async (wanted: SettingsChange): Promise<SettingsChanged> => {
    const by = currentUpdateInfo()?.id;
    const { settings, ...result } = await refusable(() => store.changeSettings({ run, change: wanted, by }));
    state.settle(settings);
    // New settings count from the next step on, so the window ends where its foremost island is.
    if (result.changed.length > 0) state.closeWindow();
    return result;
  };
  setHandler(
    extend,
    async ({ add, ...limits }) => {
      await condition(() => state.brief !== null);
      await change({ kind: 'extend', limits: absoluteLimits(state.brief!.limits, limits, add === true), add: false });
      return state.brief!.limits;
    },
    { validator: validateExtend },
  );
  setHandler(
    setConfig,
    async ({ patch }) => {
      await condition(() => state.brief !== null);
      return change({ kind: 'patch', patch });
    },
    { validator: validateSetConfig },
  );
  setHandler(
    addModel,
    async (model) => {
      await condition(() => state.brief !== null);
      return change({ kind: 'addModel', model });
    },
    { validator: validateAddModel },
  );
  setHandler(
    removeModel,
    async ({ name }) => {
      await condition(() => state.brief !== null);
      return change({ kind: 'removeModel', name });
    },
    { validator: validateRemoveModel },
  );
  setHandler(
    steer,
    async ({ island, program, hint }) => {
      await condition(() => state.brief !== null);
      if (program === undefined)
        return {
          injected: null,
          version: (await change({ kind: 'hint', island: island ?? null, hint: hint ?? null })).version,
        };
      const injected = await refusable(() => store.injectProgram({ run, island: island ?? 0, program }));
      state.closeWindow();
      return { ...injected, version: null };
    },
    { validator: validateSteer },
  );
  setHandler(
    rewind,
    async (request) => {
      await condition(() => state.brief !== null);
      const done = state.brief!.committedStep;
      if (request.toStep > done)
        refuse(`rewind: "toStep" expected 1 to ${done}, the last committed step, got ${request.toStep}`);
      const by = currentUpdateInfo()?.id;
      state.rewinding = { ...request, ...(by === undefined ? {} : { by }) };
      state.interrupt();
      park.release();
      return { toStep: request.toStep };
    },
    { validator: validateRewind },
  );
};

/** What an activity refuses fails the update with the activity's own words, and changes nothing. */
const refusable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    const root = rootOf(error);
    throw ApplicationFailure.nonRetryable(
      root.message,
      root instanceof ApplicationFailure && root.type ? root.type : 'Failed',
    );
  }
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

// One step of a run: its workflow runs as a child, and in a stream its windows do, one beside the other.
import { ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { StepSummary } from '../../activities/interface/step.ts';
import { explain } from '../engine/park.ts';
import { internal } from '../engine/form.ts';
import type { RunInput } from '../messages/run-input.ts';
import type { EvaluationBatching } from '../messages/step-input.ts';
import { beginStep } from './begin-step.ts';
import { aboutStep } from './legible.ts';
import type { RunState } from './run-state.ts';
import { leftToMake, leftToSpend } from './spending.ts';
import { Windows } from './windows.ts';

type Present = {
  readonly step: number;
  readonly owner: string;
  readonly batching: EvaluationBatching;
  readonly until: RunInput['until'] | null;
};

/**
 * Runs a step to its commit. Null where it was interrupted by a message or by hand: it is to be run again, or not at
 * all.
 */
export const runStep = async (state: RunState, present: Present): Promise<StepSummary | null> => {
  const { step } = present;
  const scope = new CancellationScope();
  const windows = new Windows(step, scope, (name, continues) =>
    beginStep(state.brief!, { ...inputOf(state, present), step: name, budget: null, window: null, continues }),
  );
  state.stepBegins({ step, scope }, windows);
  try {
    const first = await scope.run(() => beginFirst(state, present));
    return windows.more ? await windows.ended(first) : first;
  } catch (failure) {
    const error = windows.more ? await windows.lost(failure) : failure;
    if (state.interrupted) return null;
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    await parkedAsLost(state, step, error);
    return null;
  } finally {
    state.stepIsOver();
  }
};

const inputOf = ({ run, brief }: RunState, { owner, batching }: Present) =>
  internal({ run, owner, batching, about: aboutStep(brief!) });

const beginFirst = (state: RunState, present: Present): Promise<StepSummary> =>
  beginStep(state.brief!, {
    ...inputOf(state, present),
    step: present.step,
    budget: leftToSpend(state.brief!),
    window: leftToMake(state.brief!, present.until ?? null),
    continues: null,
  });

/** Somebody else ended the step: waits for a person or a while, before the same step is run again. */
const parkedAsLost = (state: RunState, step: number, error: unknown): Promise<void> => {
  let isFirst = true;
  return state.park.phase(`step ${step}`, async () => {
    if (!isFirst) return;
    isFirst = false;
    throw ApplicationFailure.nonRetryable(`step ${step} ended without a result (${explain(error)})`, 'StepLost');
  });
};

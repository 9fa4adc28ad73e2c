// One step of a run: its workflow runs as a child, and in a stream its windows do, one beside the other.
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
} from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { StepSummary } from '../../activities/interface/step.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { internal } from '../engine/form.ts';
import { explain } from '../engine/park.ts';
import { keyword } from '../engine/telling.ts';
import type { RunInput } from '../messages/run-input.ts';
import type { EvaluationBatching, StepInput } from '../messages/step-input.ts';
import type { evolutionStep } from '../step/evolution-step.ts';
import { stepSummaryLine } from './page.ts';
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
  internal({ run, owner, batching, ...(brief?.links && { links: brief.links }) });

/** A child of the run with attributes and a line for the lists of the engine. Resolves when the step is committed. */
const beginStep = (brief: RunBrief, input: StepInput): Promise<StepSummary> =>
  executeChild<typeof evolutionStep>('evolutionStep', {
    workflowId: stepWorkflowId(input.run, input.step),
    args: [input],
    workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    priority: shareOf(brief),
    staticSummary: stepSummaryLine(brief, input.step),
    typedSearchAttributes: [
      { key: ATTRIBUTES.run, value: input.run },
      { key: ATTRIBUTES.task, value: keyword(brief.task) },
      { key: ATTRIBUTES.method, value: brief.method },
      { key: ATTRIBUTES.step, value: input.step },
      ...(brief.sweep === null ? [] : [{ key: ATTRIBUTES.sweep, value: brief.sweep }]),
    ],
  });

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

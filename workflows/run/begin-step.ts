// A run begins a step as its child, with attributes and texts for the lists and pages of the engine.
import { ChildWorkflowCancellationType, executeChild, ParentClosePolicy } from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { StepSummary } from '../../activities/interface/step.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { keyword } from '../engine/telling.ts';
import type { StepInput } from '../messages/step-input.ts';
import type { evolutionStep } from '../step/evolution-step.ts';
import { runTable, stepSummaryLine } from './legible.ts';

/** Resolves when the step is committed. */
export const beginStep = (brief: RunBrief, input: StepInput): Promise<StepSummary> =>
  executeChild<typeof evolutionStep>('evolutionStep', {
    workflowId: stepWorkflowId(input.run, input.step),
    args: [input],
    workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    priority: shareOf(brief),
    staticSummary: stepSummaryLine(brief, input.step),
    staticDetails: runTable(brief),
    typedSearchAttributes: [
      { key: ATTRIBUTES.run, value: input.run },
      { key: ATTRIBUTES.task, value: keyword(brief.task) },
      { key: ATTRIBUTES.method, value: brief.method },
      { key: ATTRIBUTES.step, value: input.step },
      ...(brief.sweep === null ? [] : [{ key: ATTRIBUTES.sweep, value: brief.sweep }]),
    ],
  });

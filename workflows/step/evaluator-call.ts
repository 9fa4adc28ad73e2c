// This is the workflow of one request that a task's own evaluator makes to a model: the process that runs the evaluator has
// no key, so it starts this one, and the model worker asks. Whoever starts it again meanwhile waits for the same answer.
import { workflowInfo } from '@temporalio/workflow';
import type { ModelActivities } from '../../activities/interface/step.ts';
import { model } from '../engine/proxies.ts';
import type { EvaluatorCall } from '../messages/step-input.ts';
import { requireCallInput } from '../messages/validate-inputs.ts';

export async function evaluatorCall(input: EvaluatorCall): ReturnType<ModelActivities['ask']> {
  requireCallInput(input, workflowInfo().workflowId);
  const { form: _, ...call } = input;
  return model.ask.executeWithOptions({ summary: `model: evaluator of slot ${call.slot}` }, [call]);
}

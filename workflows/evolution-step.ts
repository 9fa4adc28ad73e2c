// One evolution step: sample parents, ask the model for B x n responses, apply their edits, evaluate, insert and migrate.
// A child of evolutionRun, id `run/<id>/step/<n>`. Responses flow on as they arrive; only the commit waits for all of them.
import {
  CancellationScope, getExternalWorkflowHandle, setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo,
} from '@temporalio/workflow';
import type { StepPlan, StepSummary } from '../activities/interface.ts';
import { runWorkflowId } from '../evolution/ids.ts';
import { ATTRIBUTES } from './attributes.ts';
import { inStep, retry, stepReport, type InStep } from './messages.ts';
import { Park } from './park.ts';
import { evaluation, model, store } from './proxies.ts';
import { Window } from './window.ts';

export type StepInput = {
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  /** Programs per evaluation activity. */
  readonly perEvaluation: number;
};

/** Chains in flight at once; each holds at most a few pending activities, far below the server's 2,000. */
const CHAINS_IN_FLIGHT = 256;
const SLOW_RETRY_MS = 30_000;

export async function evolutionStep(input: StepInput): Promise<StepSummary> {
  const { run, step, epoch, perEvaluation } = input;
  const ref = { run, step, epoch };
  const counts = { total: 0, responses: 0, applied: 0, evaluated: 0, toEvaluate: 0 };
  const park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: (attention) => report(input, attention) });
  setHandler(inStep, (): InStep => ({ ...counts }));
  setHandler(retry, () => park.release());
  const describe = (): void => setCurrentDetails(stepDetails(input, counts, park.attention));

  const plan: StepPlan = await park.phase('plan', () => store.planStep.executeWithOptions(
    { summary: `sample parents of step ${step}` }, [{ ...ref, owner: workflowInfo().runId }]));
  if (plan.done) return plan.done;
  counts.total = plan.groups * plan.responses;
  describe();

  const window = new Window(CHAINS_IN_FLIGHT);
  const evaluate = async (slots: readonly number[]): Promise<void> => {
    counts.toEvaluate += slots.length;
    await Promise.all(chunks(slots, perEvaluation).map(async (part) => {
      await park.phase(`evaluate ${part[0]}`, () => evaluation.evaluate.executeWithOptions(
        { summary: `evaluate step ${step} slot ${part.join(', ')}` }, [{ ...ref, slots: part }]));
      counts.evaluated += part.length;
    }));
  };
  const follow = async (slots: readonly number[]): Promise<void> => {
    counts.responses += slots.length;
    const applied = await park.phase(`apply ${slots[0]}`, () => store.applyResponses.executeWithOptions(
      { summary: `apply edits of slots ${slots[0]} to ${slots.at(-1)}` }, [{ ...ref, slots }]));
    counts.applied += slots.length;
    await evaluate(applied.evaluate);
  };
  const chain = async (group: number, first: number, count: number): Promise<void> => {
    const made = await window.run(() => park.phase(`generate ${group}.${first}`, () => model.generate.executeWithOptions(
      { summary: `model: group ${group}, ${count} response${count === 1 ? '' : 's'} from ${first}` },
      [{ ...ref, group, first, count, responses: plan.responses }])));
    const rest = made.missing.map((slot) => chain(group, slot % plan.responses, 1));
    await Promise.all([made.stored.length > 0 ? window.run(() => follow(made.stored)) : undefined, ...rest]);
  };

  if (step === 0) await evaluate([0]);
  const requests: Promise<void>[] = [];
  for (let group = 0; group < plan.groups; group += 1) {
    for (let first = 0; first < plan.responses; first += plan.perRequest) {
      const count = Math.min(plan.perRequest, plan.responses - first);
      requests.push(chain(group, first, count));
    }
  }
  await Promise.all(requests);

  const summary = await park.phase('commit', () => store.commitStep.executeWithOptions(
    { summary: `insert, migrate, commit step ${step}` }, [{ ...ref, generation: plan.generation }]), ['Superseded']);
  describe();
  return summary;
}

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));

/** Tells the run, and whoever looks at the UI, that the step needs attention, or no longer does. */
const report = async (input: StepInput, attention: string | null): Promise<void> => {
  upsertSearchAttributes([{ key: ATTRIBUTES.needsAttention, value: attention !== null }]);
  setCurrentDetails(stepDetails(input, null, attention));
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(runWorkflowId(input.run)).signal(stepReport, { step: input.step, attention }));
  } catch { /* the run is gone: nobody to tell, and the step says it itself */ }
};

const stepDetails = (input: StepInput, counts: InStep | null, attention: string | null): string => [
  `**Step ${input.step}** of run \`${input.run}\`${counts ? `: ${counts.responses}/${counts.total} responses, ${counts.evaluated} evaluated` : ''}`,
  ...(attention === null ? [] : [
    '', `**Needs attention**: ${attention}`, '',
    `It tries again by itself, more and more slowly. To try now: \`npx evolve retry ${input.run}\`, or send the signal \`retry\` with \`{}\`.`,
  ]),
].join('\n');


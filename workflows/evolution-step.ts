// One evolution step: sample parents, ask the model for B x n responses, apply their edits, evaluate, insert and migrate.
// A child of evolutionRun, id `run/<id>/step/<n>`. Responses flow on as they arrive; only the commit waits for all of them.
import {
  CancellationScope, condition, getExternalWorkflowHandle, isCancellation, setCurrentDetails, setHandler, sleep, upsertSearchAttributes,
} from '@temporalio/workflow';
import type { StepPlan, StepSummary } from '../activities/interface.ts';
import { runWorkflowId } from '../evolution/ids.ts';
import { ATTRIBUTES } from './attributes.ts';
import type { EvaluationBatching } from './batching.ts';
import { Allowance, type AllowanceBudget } from '../evolution/allowance.ts';
import { Gather } from './gather.ts';
import { inStep, retry, stepReport, type InStep } from './messages.ts';
import { explain, Park } from './park.ts';
import { embedding, evaluation, model, store } from './proxies.ts';
import { Window } from './window.ts';

export type StepInput = {
  readonly run: string;
  readonly step: number;
  /** The run's execution that this step belongs to. */
  readonly owner: string;
  readonly batching: EvaluationBatching;
  /** What the step may spend; null without limits on tokens and cost. */
  readonly budget: AllowanceBudget | null;
};

/** Model requests pending at once: as many as an llm worker has slots by default, so that the first ones start at once, then in two
 *  strides the most that the server likes to see pending. */
const REQUESTS_IN_FLIGHT = [48, 160, 512] as const;
const STRIDE_MS = 60;
const SLOW_RETRY_MS = 30_000;
const NO_LIMITS: AllowanceBudget = { tokens: null, costUsd: null, perResponse: null };

export async function evolutionStep(input: StepInput): Promise<StepSummary> {
  const { run, step, owner } = input;
  const counts = { total: 0, responses: 0, applied: 0, evaluated: 0, toEvaluate: 0 };
  const park: Park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: (attention) => { describe(); return report(input, attention); } });
  setHandler(inStep, (): InStep => ({ ...counts }));
  setHandler(retry, () => park.release());
  const describe = (): void => setCurrentDetails(stepDetails(input, counts, park));

  const plan: StepPlan = await park.phase('plan', () => store.planStep.executeWithOptions(
    { summary: `sample parents of step ${step}` }, [{ run, step, owner }]), ['SupersededError']);
  if (plan.done) return plan.done;
  const ref = { run, step, epoch: plan.epoch, version: plan.version };
  counts.total = plan.groups * plan.responses;

  const evaluations = new Gather<number>({
    ...input.batching,
    work: async (slots) => {
      await park.phase(`evaluate ${slots[0]}`, () => evaluation.evaluate.executeWithOptions(
        { summary: `evaluate step ${step} slot ${slots.join(', ')}` }, [{ ...ref, slots }]));
      counts.evaluated += slots.length;
    },
  });
  const allowance = new Allowance(input.budget ?? NO_LIMITS);
  const embeddings = new Gather<number>({
    size: 32, inFlight: 4,
    work: async (slots) => {
      const embedded = await park.phase(`embed ${slots[0]}`, () => embedding.embed.executeWithOptions(
        { summary: `embed ${slots.length} programs of step ${step}, first slot ${slots[0]}` }, [{ ...ref, slots }]), ['SupersededError']);
      // Paid for beside the responses that they came with.
      allowance.settle(0, embedded);
      evaluate(embedded.evaluate);
    },
  });
  const evaluate = (slots: readonly number[]): void => {
    counts.toEvaluate += slots.length;
    evaluations.add(slots);
  };
  const embedOrEvaluate = (slots: readonly number[]): void => (plan.embeds === true ? embeddings.add(slots) : evaluate(slots));
  const applications = new Gather<number>({
    size: 64, inFlight: 2,
    work: async (slots) => {
      const applied = await park.phase(`apply ${slots[0]}`, () => store.applyResponses.executeWithOptions(
        { summary: `apply edits of ${slots.length} responses, first slot ${slots[0]}` }, [{ ...ref, slots }]));
      counts.applied += slots.length;
      embedOrEvaluate(applied.evaluate);
    },
  });

  const window = new Window(REQUESTS_IN_FLIGHT[0]);
  const omitted: number[] = [];
  const request = (group: number, first: number, wanted: number): Promise<void> => window.run(async () => {
    const count = await affordable(allowance, wanted);
    omitted.push(...Array.from({ length: wanted - count }, (_, index) => group * plan.responses + first + count + index));
    if (count === 0) return [];
    const made = await park.phase(`generate ${group}.${first}`, () => model.generate.executeWithOptions(
      { summary: `model: group ${group}, ${count} response${count === 1 ? '' : 's'} from ${first}` },
      [{ ...ref, group, first, count, responses: plan.responses }]));
    allowance.settle(made.stored.length, made);
    allowance.release(made.missing.length);
    counts.responses += made.stored.length;
    applications.add(made.stored);
    return made.missing;
  }).then(async (missing) => { await Promise.all(missing.map((slot) => request(group, slot % plan.responses, 1))); });

  const firstStage = new Map((plan.preludes ?? []).map((prelude) => [prelude.group, prelude.stage]));
  /** Whether the group gets to its programs: its ideas were proposed and judged, its prompt edited. */
  const prepared = async (group: number): Promise<boolean> => {
    for (let stage = firstStage.get(group) ?? null; stage !== null;) {
      const failed = await window.run(() => askStage(park, allowance, { ...ref, group, stage: stage! }));
      const advanced = await park.phase(`read ${stage} ${group}`, () => store.advance.executeWithOptions(
        { summary: `read the answer of stage ${stage}, group ${group}` }, [{ ...ref, group, stage: stage!, failed }]));
      if (advanced.refused) return false;
      stage = advanced.next;
    }
    return true;
  };

  embedOrEvaluate(plan.evaluate);
  describe();
  const requests: Promise<void>[] = [];
  for (let group = 0; group < plan.groups; group += 1) {
    const responses = (): Promise<void>[] => Array.from({ length: Math.ceil(plan.responses / plan.perRequest) }, (_, index) =>
      request(group, index * plan.perRequest, Math.min(plan.perRequest, plan.responses - index * plan.perRequest)));
    if (firstStage.has(group)) requests.push(prepared(group).then(async (asks) => { if (asks) await Promise.all(responses()); }));
    else requests.push(...responses());
  }
  let answered = false;
  const widened = requests.length > REQUESTS_IN_FLIGHT[0] ? [widen(window)] : [];
  const answers = Promise.all([...requests, ...widened]).then(() => { answered = true; });
  const embedded = (): boolean => answered && applications.idle && embeddings.idle;
  await Promise.all([answers, applications.drained(() => answered), embeddings.drained(() => answered && applications.idle), evaluations.drained(embedded)]);

  const summary = await park.phase('commit', () => store.commitStep.executeWithOptions(
    { summary: `insert, migrate, commit step ${step}` }, [{ ...ref, generation: plan.generation, injected: plan.injected, omitted: omitted.sort((a, b) => a - b) }]), ['SupersededError']);
  describe();
  return summary;
}

/** Asks. An idea that cannot be asked for parks; a judge that cannot be asked ends its group, and a prompt that cannot be edited stays as it is.
 *  Null, or why it failed. */
const askStage = async (park: Park, allowance: Allowance, call: Parameters<typeof model.ask>[0]): Promise<string | null> => {
  const ask = (): ReturnType<typeof model.ask> => model.ask.executeWithOptions({ summary: `model: ${call.stage} of group ${call.group}` }, [call]);
  if (call.stage === 'idea') {
    allowance.settle(0, await park.phase(`${call.stage} ${call.group}`, ask));
    return null;
  }
  try {
    allowance.settle(0, await ask());
    return null;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return explain(error);
  }
};

/** As many of the wanted responses as the budget allows, waiting for requests in flight where these decide it. */
const affordable = async (allowance: Allowance, wanted: number): Promise<number> => {
  for (let count = wanted; count >= 1; count = Math.floor(count / 2)) {
    let verdict = allowance.reserve(count);
    if (verdict === 'wait') await condition(() => { verdict = allowance.reserve(count); return verdict !== 'wait'; });
    if (verdict === 'granted') return count;
  }
  return 0;
};

const widen = async (window: Window): Promise<void> => {
  for (const size of REQUESTS_IN_FLIGHT.slice(1)) {
    await sleep(STRIDE_MS);
    window.widen(size);
  }
};

/** Tells the run, and whoever looks at the UI, that the step needs attention, or no longer does. */
const report = async (input: StepInput, attention: string | null): Promise<void> => {
  upsertSearchAttributes([{ key: ATTRIBUTES.needsAttention, value: attention !== null }]);
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(runWorkflowId(input.run)).signal(stepReport, { step: input.step, attention }));
  } catch { /* the run is gone: nobody to tell, and the step says it itself */ }
};

const stepDetails = ({ run, step }: StepInput, counts: InStep, park: Park): string => [
  `**Step ${step}** of run \`${run}\`: ${counts.responses}/${counts.total} responses, ${counts.evaluated} of ${counts.toEvaluate} evaluated`,
  ...(park.attention === null ? [] : [
    '', `**Needs attention**: ${park.attention}`, '',
    'What is finished is kept. It tries again by itself, more and more slowly.', '',
    `- now: \`npx evolve retry ${run}\`, or the signal \`retry\` with \`{}\` to this workflow or to \`${runWorkflowId(run)}\``,
    `- asking the model afresh: \`npx evolve retry ${run} --resample\`, or the signal \`retry\` with \`{"resample": true}\` to the run`,
    `- with other settings: \`npx evolve set ${run} model.baseUrl=...\`, or the update \`setConfig\` to the run; then retry`,
    `- not at all: \`npx evolve stop ${run}\`, or the signal \`stop\` with \`{}\` to the run`,
  ]),
].join('\n');

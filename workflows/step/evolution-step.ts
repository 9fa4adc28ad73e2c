// One evolution step: sample parents, ask the model for B x n responses, apply their edits, evaluate, insert and
// migrate. A child of evolutionRun, id `run/<id>/step/<n>`. Responses flow on as they arrive; only the commit waits
// for all of them.
import {
  CancellationScope,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { StepPlan, StepRef, StepSummary } from '../../activities/interface/step.ts';
import { Allowance, type AllowanceBudget } from '../../evolution/budget/allowance.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Park } from '../engine/park.ts';
import { embedding, evaluation, model, store } from '../engine/proxies.ts';
import { inStep, type InStep, retry, stepReport } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';
import { affordable, askAside, askStage } from './asking.ts';
import { Gather, Window } from './flow.ts';
import { runWindow } from './island-window.ts';

/**
 * Model requests pending at once: as many as an llm worker has slots by default, so that the first ones start at
 * once, then in two strides the most that the server likes to see pending.
 */
const REQUESTS_IN_FLIGHT = [48, 160, 512] as const;
const STRIDE_MS = 60;
const SLOW_RETRY_MS = 30_000;
const NO_LIMITS: AllowanceBudget = { tokens: null, costUsd: null, perResponse: null };

export async function evolutionStep(input: StepInput): Promise<StepSummary> {
  const { run, step, owner } = input;
  const counts = { total: 0, responses: 0, applied: 0, evaluated: 0, toEvaluate: 0 };
  const park: Park = new Park({
    slowRetryMs: SLOW_RETRY_MS,
    onChange: (attention) => {
      describe();
      return report(input, attention);
    },
  });
  setHandler(inStep, (): InStep => ({ ...counts }));
  setHandler(retry, () => park.release());
  let last: number | null = null;
  const describe = (): void => setCurrentDetails(stepDetails(input, last, counts, park));

  const plan: StepPlan = await park.phase(
    'plan',
    () =>
      store.planStep.executeWithOptions({ summary: `sample parents of step ${step}` }, [
        { run, step, owner, ...(input.window === undefined ? {} : { window: input.window }) },
      ]),
    ['SupersededError'],
  );
  if (plan.done) return plan.done;
  if (plan.window !== undefined) {
    last = plan.window.last;
    const window = { ...plan, window: plan.window };
    return runWindow({
      input,
      plan: window,
      park,
      allowance: new Allowance(input.budget ?? NO_LIMITS),
      counts,
      describe,
    });
  }
  const ref = { run, step, epoch: plan.epoch, version: plan.version };
  /** Responses of a group: those of the last ones are fewer where a limit on programs says so. */
  const wantedOf = (group: number): number =>
    Math.min(plan.responses, Math.max(0, (plan.programs ?? Infinity) - group * plan.responses));
  counts.total = Math.min(plan.groups * plan.responses, plan.programs ?? Infinity);

  const evaluations = new Gather<number>({
    ...input.batching,
    work: async (slots) => {
      await park.phase(`evaluate ${slots[0]}`, () =>
        evaluation.evaluate.executeWithOptions({ summary: `evaluate step ${step} slot ${slots.join(', ')}` }, [
          { ...ref, slots },
        ]),
      );
      counts.evaluated += slots.length;
    },
  });
  const allowance = new Allowance(input.budget ?? NO_LIMITS);
  const embeddings = new Gather<number>({
    size: 32,
    inFlight: 4,
    work: async (slots) => {
      const embedded = await park.phase(
        `embed ${slots[0]}`,
        () =>
          embedding.embed.executeWithOptions(
            { summary: `embed ${slots.length} programs of step ${step}, first slot ${slots[0]}` },
            [{ ...ref, slots }],
          ),
        ['SupersededError'],
      );
      allowance.follow(slots.length, embedded);
      evaluate(embedded.evaluate);
    },
  });
  const evaluate = (slots: readonly number[]): void => {
    counts.toEvaluate += slots.length;
    evaluations.add(slots);
  };
  const embedOrEvaluate = (slots: readonly number[]): void =>
    plan.embeds === true ? embeddings.add(slots) : evaluate(slots);
  const applications = new Gather<number>({
    size: 64,
    inFlight: 2,
    work: async (slots) => {
      const applied = await park.phase(`apply ${slots[0]}`, () =>
        store.applyResponses.executeWithOptions(
          { summary: `apply edits of ${slots.length} responses, first slot ${slots[0]}` },
          [{ ...ref, slots }],
        ),
      );
      counts.applied += slots.length;
      if (plan.embeds === true) allowance.follow(slots.length - applied.evaluate.length, null);
      embedOrEvaluate(applied.evaluate);
      repairs.add(applied.repair ?? []);
    },
  });
  const unrepaired: { readonly slot: number; readonly reason: string }[] = [];
  const repairs = new Gather<number>({
    size: 1,
    inFlight: 16,
    work: async ([slot]) => {
      const reason = await askAside(allowance, {
        ...ref,
        group: Math.floor(slot! / plan.responses),
        stage: 'repair',
        slot: slot!,
      });
      if (reason !== null) unrepaired.push({ slot: slot!, reason });
    },
  });

  const window = new Window(REQUESTS_IN_FLIGHT[0]);
  // A window of their own: in the other one requests wait for what these groups have reserved.
  const staged = new Window(REQUESTS_IN_FLIGHT[0]);
  const omitted: number[] = [];
  const omit = (group: number, first: number, count: number): number =>
    omitted.push(...Array.from({ length: count }, (_, index) => group * plan.responses + first + index));
  const request = (group: number, first: number, wanted: number, reserved = false): Promise<void> =>
    (reserved ? staged : window)
      .run(async () => {
        const count = reserved ? wanted : await affordable(allowance, wanted);
        omit(group, first + count, wanted - count);
        if (count === 0) return [];
        const made = await park.phase(`generate ${group}.${first}`, () =>
          model.generate.executeWithOptions(
            { summary: `model: group ${group}, ${count} response${count === 1 ? '' : 's'} from ${first}` },
            [{ ...ref, group, first, count, responses: plan.responses }],
          ),
        );
        allowance.settle(made.stored.length, made);
        if (plan.embeds === true) allowance.owe(made.stored.length);
        if (!reserved) allowance.release(made.missing.length);
        counts.responses += made.stored.length;
        applications.add(made.stored);
        return made.missing;
      })
      .then(async (missing) => {
        await Promise.all(missing.map((slot) => request(group, slot % plan.responses, 1, reserved)));
      });

  const firstStage = new Map((plan.preludes ?? []).map((prelude) => [prelude.group, prelude.stage]));
  /** Whether the group gets to its programs: its ideas were proposed and judged, its prompt edited. */
  const prepared = async (group: number): Promise<boolean> => {
    for (let stage = firstStage.get(group) ?? null; stage !== null;) {
      const failed = await staged.run(() => askStage(park, allowance, { ...ref, group, stage: stage! }));
      const advanced = await park.phase(`read ${stage} ${group}`, () =>
        store.advance.executeWithOptions({ summary: `read the answer of stage ${stage}, group ${group}` }, [
          { ...ref, group, stage: stage!, failed },
        ]),
      );
      if (advanced.refused) return false;
      stage = advanced.next;
    }
    return true;
  };

  /** Reserves before the first call what all calls of the group and its programs are likely to cost. */
  const prepareAndRequest = async (group: number, wanted: number): Promise<void> => {
    const count = await affordable(allowance, wanted);
    omit(group, count, wanted - count);
    if (count > 0 && (await prepared(group))) await Promise.all(responses(group, count, true));
    else allowance.release(count);
  };
  const responses = (group: number, count: number, reserved = false): Promise<void>[] =>
    Array.from({ length: Math.ceil(count / plan.perRequest) }, (_, index) =>
      request(group, index * plan.perRequest, Math.min(plan.perRequest, count - index * plan.perRequest), reserved),
    );

  if (plan.embeds === true) allowance.owe(plan.evaluate.length);
  embedOrEvaluate(plan.evaluate);
  describe();
  const requests: Promise<void>[] = [];
  for (let group = 0; group < plan.groups; group += 1) {
    const wanted = wantedOf(group);
    omit(group, wanted, plan.responses - wanted);
    if (firstStage.has(group) && wanted > 0) requests.push(prepareAndRequest(group, wanted));
    else requests.push(...responses(group, wanted));
  }
  let answered = false;
  const widened = requests.length > REQUESTS_IN_FLIGHT[0] ? [widen([window, staged])] : [];
  const answers = Promise.all([...requests, ...widened]).then(() => {
    answered = true;
  });
  const embedded = (): boolean => answered && applications.idle && embeddings.idle;
  await Promise.all([
    answers,
    applications.drained(() => answered),
    repairs.drained(() => answered && applications.idle),
    embeddings.drained(() => answered && applications.idle),
    evaluations.drained(embedded),
  ]);
  if (plan.judgesIdea === true) await judgeInitialIdea(park, allowance, ref);

  const summary = await park.phase(
    'commit',
    () =>
      store.commitStep.executeWithOptions({ summary: `insert, migrate, commit step ${step}` }, [
        {
          ...ref,
          generation: plan.generation,
          injected: plan.injected,
          omitted: omitted.sort((a, b) => a - b),
          ...(unrepaired.length === 0 ? {} : { unrepaired }),
        },
      ]),
    ['SupersededError'],
  );
  describe();
  return summary;
}

/** After its evaluation: it states the result. */
const judgeInitialIdea = async (park: Park, allowance: Allowance, ref: StepRef): Promise<void> => {
  await park.phase('initial idea', () =>
    store.initialIdea.executeWithOptions({ summary: 'ask the judge for a score of the initial idea' }, [ref]),
  );
  await askAside(allowance, { ...ref, group: 0, stage: 'judge' });
};

const widen = async (windows: readonly Window[]): Promise<void> => {
  for (const size of REQUESTS_IN_FLIGHT.slice(1)) {
    await sleep(STRIDE_MS);
    for (const window of windows) window.widen(size);
  }
};

/** Tells the run, and whoever looks at the UI, that the step needs attention, or no longer does. */
const report = async (input: StepInput, attention: string | null): Promise<void> => {
  upsertSearchAttributes([{ key: ATTRIBUTES.needsAttention, value: attention !== null }]);
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(runWorkflowId(input.run)).signal(stepReport, { step: input.step, attention }),
    );
  } catch {
    /* the run is gone: nobody to tell, and the step says it itself */
  }
};

const stepDetails = ({ run, step }: StepInput, last: number | null, counts: InStep, park: Park): string =>
  [
    `**${last === null ? `Step ${step}` : `Steps ${step} to ${last}`}** of run \`${run}\`: ${counts.responses}/${counts.total} responses, ${counts.evaluated} of ${counts.toEvaluate} evaluated`,
    ...(park.attention === null
      ? []
      : [
          '',
          `**Needs attention**: ${park.attention}`,
          '',
          'What is finished is kept. It tries again by itself, more and more slowly.',
          '',
          `- now: \`npx evolve retry ${run}\`, or the signal \`retry\` with \`{}\` to this workflow or to \`${runWorkflowId(run)}\``,
          `- asking the model afresh: \`npx evolve retry ${run} --resample\`, or the signal \`retry\` with \`{"resample": true}\` to the run`,
          `- with other settings: \`npx evolve set ${run} model.baseUrl=...\`, or the update \`setConfig\` to the run; then retry`,
          `- not at all: \`npx evolve stop ${run}\`, or the signal \`stop\` with \`{}\` to the run`,
        ]),
  ].join('\n');

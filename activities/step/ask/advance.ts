// Activity `advance`: reads the answer to a stage of a group and writes what follows, which is the request of the next
// stage, the request for programs, or, where the group ends, the outcome of all its slots.
import { readAnswer } from '../../../evolution/edits/diff.ts';
import { programId, promptId, stageId } from '../../../evolution/ids.ts';
import { cutShort } from '../../../evolution/models/endings.ts';
import { slotOf, slotsOf } from '../../../evolution/schedule/slots.ts';
import { type Stage, stagesOf } from '../../../evolution/stages.ts';
import type { StoreActivities } from '../../interface/run.ts';
import { recentRun } from '../../run/recent-run.ts';
import { missing, type StepDeps } from '../../run/step-summary.ts';
import { HANDLERS, writeRequest } from './stages/requests.ts';
import type { StageInput, StageResult } from './stages/stage.ts';
import { isRefused } from '../../store/content/calls.ts';
import type { DeltaDocument, GroupPlan, StagesMade } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { committedOnly, createAhead } from '../commit/ahead.ts';

export const createAdvance = (deps: StepDeps): Pick<StoreActivities, 'advance'> => {
  const aheadOf = createAhead(deps);
  const settingsOf = recentRun(deps.store);
  return {
    async advance({ run, step, epoch, version, group, stage, failed, ahead: island, stream }) {
      const { loadTask } = deps;
      const { ahead, store } =
        island === undefined
          ? { ahead: stream === true ? await committedOnly(deps.store, run) : undefined, store: deps.store }
          : await aheadOf({ run, step, epoch, version, ...island });
      const config = await store.readConfig(run, version);
      const task = await loadTask(taskRef({ ...(await settingsOf(run, { step, epoch })), config }));
      const id = promptId(run, step, epoch, group);
      const plan = (await store.getPrompts([id])).get(id);
      if (plan === undefined) throw missing(`prompt of group ${group}`);
      const stages = stagesOf(config, plan);
      const input: StageInput = {
        store,
        task,
        config,
        run,
        step,
        plan,
        ahead,
        made: await madeBefore(store, plan, stages.slice(0, stages.indexOf(stage)), { task, config, run, step }),
      };
      const result = await read(input, stage, failed);
      if (result.kind === 'refused' || (await wasRefused(store, plan, config.responses))) {
        if (result.kind === 'refused') await store.putDeltas(refusedDeltas(plan, config.responses, result));
        // A request without messages is never sent. It keeps what the stages made.
        await store.putRequests([
          { _id: stageId(id, 'program'), run, step, epoch, group, stage: 'program', messages: [], made: result.made },
        ]);
        return { next: null, refused: true };
      }
      const next = stages[stages.indexOf(stage) + 1] ?? null;
      await writeRequest(store, plan, next, { ...input, made: result.made });
      return { next, refused: false };
    },
  };
};

/**
 * An earlier attempt ended the group. This attempt may have an answer of the judge that the earlier one lacked,
 * but a stored outcome stays.
 */
const wasRefused = async (store: Store, { run, step, epoch, group }: GroupPlan, responses: number): Promise<boolean> =>
  [...(await store.getDeltas([programId(run, step, epoch, slotOf(group, 0, responses))])).values()].some(isRefused);

/** The results of earlier stages, read again from their stored answers. */
const madeBefore = async (
  store: Store,
  plan: GroupPlan,
  stages: readonly Stage[],
  rest: Pick<StageInput, 'task' | 'config' | 'run' | 'step'>,
): Promise<StagesMade> => {
  let made: StagesMade = {};
  for (const stage of stages) {
    const id = stageId(plan._id, stage);
    const failed = (await store.getCalls([id])).has(id) ? null : 'it was not answered';
    made = (await read({ store, plan, made, ...rest }, stage, failed)).made;
  }
  return made;
};

const read = async (input: StageInput, stage: Stage, failed: string | null): Promise<StageResult> => {
  const id = stageId(input.plan._id, stage);
  const call = failed === null ? (await input.store.getCalls([id])).get(id) : undefined;
  if (failed === null && call === undefined) throw missing(`answer of stage ${stage}, group ${input.plan.group}`);
  const text = call === undefined ? null : ((await input.store.getTexts([call.response])).get(call.response) ?? '');
  const answer = text === null ? '' : readAnswer(text, 'answer');
  // An empty answer counts as none. The way it ended says why.
  if (answer.trim() === '') {
    const empty = text?.trim()
      ? 'no answer follows its reasoning, or nobody can know where that ends'
      : 'the answer is empty';
    const why = failed ?? cutShort(call?.finishReason ?? null) ?? empty;
    return HANDLERS[stage].read({ ...input, answer: null, failed: why });
  }
  return HANDLERS[stage].read({ ...input, answer, failed });
};

const refusedDeltas = (
  { run, step, epoch, group, parent }: GroupPlan,
  responses: number,
  { outcome, reason }: Extract<StageResult, { kind: 'refused' }>,
): readonly DeltaDocument[] =>
  slotsOf(group, responses).map((slot): DeltaDocument => ({
    _id: programId(run, step, epoch, slot),
    run,
    step,
    slot,
    parent,
    outcome,
    reason,
    code: null,
    normHash: null,
    length: 0,
    blocks: 0,
    unmatched: [],
    duplicateOf: null,
  }));

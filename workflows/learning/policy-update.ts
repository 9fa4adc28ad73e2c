// This is the workflow of one update of a run's policy, a child of the run with id `run/<id>/update/<n>`: the rollouts
// of step n become a batch, a trainer makes the next policy of it, a server shows that it serves it, and the run moves
// to it. Each activity finds what an earlier attempt has done, so an update can be killed anywhere and repeated: one
// policy comes of it.
import {
  ApplicationFailure,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { LearningBrief, UpdateOrder, UpdateResult } from '../../activities/interface/learning.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { causesOf } from '../../evolution/root-cause.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { NO_TRAINER, Park } from '../engine/park.ts';
import { learning, trainer, verification } from '../engine/proxies.ts';
import { Reports } from '../engine/reports.ts';
import { digits, keyword, summary } from '../engine/telling.ts';
import { UPDATE_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { inUpdate, type InUpdate, retry, type UpdateOperation, updateReport } from '../messages/messages.ts';
import { Notes, noteUnknownSignals } from '../messages/notes.ts';
import type { UpdateInput } from '../messages/update-input.ts';
import { validateUpdateInput } from '../messages/validate-inputs.ts';
import { type Done, updateDetails } from './update-details.ts';

const SLOW_RETRY_MS = 30_000;
/** How often an update is planned anew because its run was opened anew while it was under way. */
const MOST_OVERTAKEN = 3;

export async function policyUpdate(input: UpdateInput): Promise<LearningBrief> {
  validateUpdateInput(input, workflowInfo().workflowId);
  const { run, step, owner, training } = input;
  const notes = new Notes();
  const reports = new Reports(input, updateReport);
  let operation: UpdateOperation = 'plan';
  let order: UpdateOrder | null = null;
  let result: UpdateResult | null = null;
  let done: readonly Done[] = [];
  let settled: LearningBrief | null = null;

  const describe = (): void =>
    setCurrentDetails(
      updateDetails({
        ...{ input, operation, order, result, done, settled },
        attention: park.attention,
        parked: park.parked,
        refusals: notes.refusals,
        startedAtMs: workflowInfo().runStartTime.getTime(),
        nowMs: Date.now(),
      }),
    );
  const park: Park = new Park({
    slowRetryMs: SLOW_RETRY_MS,
    onChange: () => {
      describe();
      return reports.tell(park);
    },
  });
  setHandler(inUpdate, (): InUpdate => ({ operation, order, result }), { description: UPDATE_MESSAGES.inUpdate });
  // Whatever its body is, it can only mean one thing.
  listenTo(retry, {
    description: UPDATE_MESSAGES.retry,
    check: () => undefined,
    answer: () => undefined,
    handle: () => park.release(),
  });
  noteUnknownSignals(
    notes,
    {
      what: 'an update',
      signals: ['retry'],
      updates: [],
      instead: `Other messages go to \`${runWorkflowId(run)}\``,
    },
    describe,
  );

  const during = async <T>(now: UpdateOperation, work: () => Promise<T>): Promise<T> => {
    operation = now;
    describe();
    const answer = await work();
    done = [...done, { operation: now, atMs: Date.now() }];
    return answer;
  };

  const planned = (of: UpdateOrder): void => {
    if (of.updateId !== order?.updateId) {
      done = done.slice(-1);
      result = null;
      upsertSearchAttributes([{ key: ATTRIBUTES.policy, value: keyword(of.policy) }]);
    }
    order = of;
  };

  /** From the plan to the commit, as often as the step has updates. */
  const settle = async (): Promise<LearningBrief> => {
    for (let overtaken = 0; ;) {
      const plan = await during('plan', () =>
        learning.planUpdate.executeWithOptions({ summary: `batch of step ${step}` }, [
          { run, step, owner, ...(training === undefined ? {} : { training }) },
        ]),
      );
      if ('settled' in plan) return plan.settled;
      const of = plan.order;
      planned(of);
      const { policy } = of;
      result = await during('apply', () =>
        taken(() => trainer.applyUpdate.executeWithOptions({ summary: trainingLine(of) }, [of])),
      );
      await during('publish', () =>
        taken(() => trainer.publishPolicy.executeWithOptions({ summary: `have ${policy} served` }, [of])),
      );
      await during('verify', () =>
        verification.verifyPolicy.executeWithOptions({ summary: `ask the server for an answer of ${policy}` }, [of]),
      );
      try {
        const brief = await during('commit', () =>
          learning.commitPolicy.executeWithOptions({ summary: committing(of, training) }, [of]),
        );
        if (brief.learned >= step) return brief;
      } catch (error) {
        // The run may have opened its next step anew meanwhile. Whether the update still belongs to it, its plan says.
        if (!isSuperseded(error) || overtaken === MOST_OVERTAKEN) throw error;
        overtaken += 1;
      }
    }
  };

  describe();
  // It parks as a whole: what is wrong may be a setting, and when that is changed the update is planned anew.
  settled = await park.phase('update', settle, ['SupersededError']);
  describe();
  return settled;
}

const committing = ({ run, policy }: UpdateOrder, training: UpdateInput['training']): string =>
  training === undefined ? `move run ${run} to ${policy}` : `keep ${policy}`;

const isSuperseded = (error: unknown): boolean =>
  causesOf(error).some((cause) => cause instanceof ApplicationFailure && cause.type === 'SupersededError');

const trainingLine = ({ kind, policy, rollouts, tokens, trainer: by }: UpdateOrder): string =>
  summary(
    kind === 'start'
      ? `${by}: begin with ${policy}`
      : `${by}: train ${policy} on ${digits(rollouts)} ${kind === 'policy' ? 'rollouts' : 'examples'}, ${digits(tokens)} tokens`,
  );

/** A queue that nobody polls is told in words of its own: the engine only says that time has passed. */
const taken = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!causesOf(error).some((one) => one instanceof TimeoutFailure && one.timeoutType === SCHEDULE_TO_START))
      throw error;
    throw ApplicationFailure.create({
      message:
        'no trainer took the update: either none runs, and `npx evolve up --learn` starts one, or it is at work for other runs, and takes this one when it is free',
      type: NO_TRAINER,
      nonRetryable: true,
    });
  }
};
const SCHEDULE_TO_START = 'SCHEDULE_TO_START';

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
import { requireUpdateInput } from '../messages/validate-inputs.ts';
import { updateDetails } from './update-details.ts';

const SLOW_RETRY_MS = 30_000;
/** An update is planned anew at most so often because its run was opened anew while it was under way. */
const MOST_OVERTAKEN = 3;

export async function policyUpdate(input: UpdateInput): Promise<LearningBrief> {
  requireUpdateInput(input, workflowInfo().workflowId);
  return new Update(input).work();
}

class Update {
  readonly #input: UpdateInput;
  readonly #notes = new Notes();
  readonly #reports: Reports;
  readonly #park: Park;
  #operation: UpdateOperation = 'plan';
  #order: UpdateOrder | null = null;
  #result: UpdateResult | null = null;
  #settled: LearningBrief | null = null;

  constructor(input: UpdateInput) {
    this.#input = input;
    this.#reports = new Reports(input, updateReport);
    this.#park = new Park({
      slowRetryMs: SLOW_RETRY_MS,
      onChange: () => {
        this.#describe();
        return this.#reports.report(this.#park);
      },
    });
  }

  async work(): Promise<LearningBrief> {
    this.#listen();
    this.#describe();
    // It parks as a whole: what is wrong may be a setting, and when that is changed the update is planned anew.
    this.#settled = await this.#park.phase('update', () => this.#settle(), ['SupersededError']);
    this.#describe();
    return this.#settled;
  }

  #listen(): void {
    const progress = (): InUpdate => ({ operation: this.#operation, order: this.#order, result: this.#result });
    setHandler(inUpdate, progress, { description: UPDATE_MESSAGES.inUpdate });
    // Whatever its body is, it can only mean one thing.
    listenTo(retry, {
      description: UPDATE_MESSAGES.retry,
      check: () => undefined,
      answer: () => undefined,
      handle: () => this.#park.release(),
    });
    const instead = `Other messages go to \`${runWorkflowId(this.#input.run)}\``;
    noteUnknownSignals(this.#notes, { what: 'an update', signals: ['retry'], updates: [], instead }, () =>
      this.#describe(),
    );
  }

  #describe(): void {
    const { attention, parked } = this.#park;
    setCurrentDetails(
      updateDetails({
        ...{ input: this.#input, operation: this.#operation, order: this.#order, settled: this.#settled },
        ...{ attention, parked, refusals: this.#notes.refusals, nowMs: Date.now() },
      }),
    );
  }

  #during<T>(operation: UpdateOperation, work: () => Promise<T>): Promise<T> {
    this.#operation = operation;
    this.#describe();
    return work();
  }

  /** From the plan to the commit, as often as the step has updates. */
  async #settle(): Promise<LearningBrief> {
    for (let overtaken = 0; ;) {
      const plan = await this.#during('plan', () => planned(this.#input));
      if ('settled' in plan) return plan.settled;
      this.#take(plan.order);
      await this.#trained(plan.order);
      try {
        const brief = await this.#during('commit', () => committed(plan.order, this.#input));
        if (brief.learned >= this.#input.step) return brief;
      } catch (error) {
        // The run may have opened its next step anew meanwhile. Whether the update still belongs to it, its plan says.
        if (!isSuperseded(error) || overtaken === MOST_OVERTAKEN) throw error;
        overtaken += 1;
      }
    }
  }

  #take(order: UpdateOrder): void {
    if (order.updateId !== this.#order?.updateId) {
      this.#result = null;
      upsertSearchAttributes([{ key: ATTRIBUTES.policy, value: keyword(order.policy) }]);
    }
    this.#order = order;
  }

  /** The policy is trained, and a server answers in its name. */
  async #trained(order: UpdateOrder): Promise<void> {
    const { policy } = order;
    this.#result = await this.#during('apply', () =>
      taken(() => trainer.applyUpdate.executeWithOptions({ summary: trainingLine(order) }, [order])),
    );
    await this.#during('publish', () =>
      taken(() => trainer.publishPolicy.executeWithOptions({ summary: `have ${policy} served` }, [order])),
    );
    await this.#during('verify', () =>
      verification.verifyPolicy.executeWithOptions({ summary: `ask the server for an answer of ${policy}` }, [order]),
    );
  }
}

const planned = ({ run, step, owner, training }: UpdateInput) =>
  learning.planUpdate.executeWithOptions({ summary: `batch of step ${step}` }, [
    { run, step, owner, ...(training === undefined ? {} : { training }) },
  ]);

const committed = (order: UpdateOrder, { training }: UpdateInput): Promise<LearningBrief> =>
  learning.commitPolicy.executeWithOptions({ summary: committing(order, training) }, [order]);

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

// The policy of a run that learns is updated by a child workflow, one after the other. With `learning.lag: 0` the run
// waits for it before it begins the next step, with 1 that step runs beside it.
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { LearningBrief } from '../../activities/interface/learning.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import { updateWorkflowId } from '../../evolution/ids.ts';
import type { Parked } from '../../evolution/run-states.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { ATTRIBUTES, NO_POLICY } from '../engine/attributes.ts';
import { internal } from '../engine/form.ts';
import { explain, Park } from '../engine/park.ts';
import type { Report } from '../engine/reports.ts';
import { keyword, summary } from '../engine/telling.ts';
import type { policyUpdate } from '../learning/policy-update.ts';

const SLOW_RETRY_MS = 30_000;

type Under = { readonly step: number; readonly sinceMs: number };

export class Learner {
  readonly #onLearned: (learning: LearningBrief) => void;
  readonly #onChange: () => void;
  #park: Park;
  /** The last report of the update: its parked phase. */
  #reported: Report | null = null;
  #scope: CancellationScope | null = null;
  #over: Promise<void> = Promise.resolve();
  /** The update that is under way. */
  current: Under | null = null;

  /** `onChange` is called when an update begins or ends, and when what is parked has changed. */
  constructor(onLearned: (learning: LearningBrief) => void, onChange: () => void) {
    this.#onLearned = onLearned;
    this.#onChange = onChange;
    this.#park = this.#newPark();
  }

  #newPark(): Park {
    return new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => this.#onChange() });
  }

  get busy(): boolean {
    return this.current !== null;
  }

  get attention(): string | null {
    return this.#park.attention ?? this.#reported?.attention ?? null;
  }

  get parked(): Parked | null {
    return this.#park.attention === null ? (this.#reported?.parked ?? null) : this.#park.parked;
  }

  /** Begins the update of a step, where none is under way. */
  begin(brief: RunBrief, step: number): void {
    if (this.busy) return;
    const scope = new CancellationScope();
    this.#scope = scope;
    this.#reported = null;
    this.#park = this.#newPark();
    this.current = { step, sinceMs: Date.now() };
    // A rejection means that it was cancelled: every other failure is tried again.
    this.#over = scope
      .run(() => this.#settled(brief, step))
      .then(
        (learning) => this.#end(learning),
        () => this.#end(null),
      );
    this.#onChange();
  }

  #end(learning: LearningBrief | null): void {
    this.current = null;
    this.#scope = null;
    this.#reported = null;
    this.#park = this.#newPark();
    if (learning !== null) this.#onLearned(learning);
    this.#onChange();
  }

  async #settled(brief: RunBrief, step: number): Promise<LearningBrief> {
    for (;;) {
      let lost: string;
      try {
        const learning = await update(brief, step);
        if (!learning.on || learning.learned >= step) return learning;
        lost = `it ended, and the store says that step ${learning.learned} is the last that is settled`;
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        lost = explain(error);
      }
      // Somebody else ended it: wait for a person or a while, then begin it again.
      let first = true;
      await this.#park.phase('update', async () => {
        if (!first) return;
        first = false;
        throw ApplicationFailure.nonRetryable(
          `the update of step ${step} ended without a result (${lost})`,
          'UpdateLost',
        );
      });
    }
  }

  /** Takes a report of the update of a step. */
  report(report: Report): void {
    if (report.step !== this.current?.step) return;
    this.#reported = report;
    this.#onChange();
  }

  /** Lets what is parked try again now. The update may have parked a moment ago, so it is told in any case. */
  async retry(run: string): Promise<void> {
    this.#park.release();
    if (this.current === null) return;
    await getExternalWorkflowHandle(updateWorkflowId(run, this.current.step))
      .signal('retry', {})
      .catch(() => undefined);
  }

  /** Ends what is under way; what it has stored is found again. */
  async cancel(): Promise<void> {
    this.#scope?.cancel();
    await this.#over;
  }
}

const update = (brief: RunBrief, step: number): Promise<LearningBrief> => {
  const { run, task, method, sweep, learning, links } = brief;
  const policy = learning?.policy?.id ?? null;
  return executeChild<typeof policyUpdate>('policyUpdate', {
    workflowId: updateWorkflowId(run, step),
    args: [
      internal({
        ...{ run, step, owner: workflowInfo().runId, trainer: learning?.trainer ?? 'none', policy },
        ...(links && { links }),
      }),
    ],
    workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    priority: shareOf(brief),
    staticSummary: summary(`${task}: update of the policy after step ${step}`),
    typedSearchAttributes: [
      { key: ATTRIBUTES.run, value: run },
      { key: ATTRIBUTES.task, value: keyword(task) },
      { key: ATTRIBUTES.method, value: method },
      { key: ATTRIBUTES.step, value: step },
      { key: ATTRIBUTES.policy, value: policy === null ? NO_POLICY : keyword(policy) },
      ...(sweep === null ? [] : [{ key: ATTRIBUTES.sweep, value: sweep }]),
    ],
  });
};

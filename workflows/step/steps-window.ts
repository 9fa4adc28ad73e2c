// In a window, one workflow makes several steps, and some begin before the one before is committed. Here are its end,
// its commits in the order of steps, and its reports to the run.
import { condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { IslandPlan, StepPlan, StepRef, StepSummary } from '../../activities/interface/step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { INTERNAL } from '../messages/descriptions.ts';
import { internal } from '../engine/form.ts';
import { closeWindow, windowReport } from '../messages/messages.ts';
import { commit } from './commit.ts';
import type { Conductor } from '../programs/unit.ts';

export type Bounds = NonNullable<StepPlan['window']>;

export abstract class StepsWindow {
  protected readonly at: Conductor;
  protected readonly bounds: Bounds;
  protected readonly first: number;
  /** The last step that has begun. */
  protected furthest: number;
  /** The last step that is committed. */
  protected committed: number;
  #closing = false;

  constructor(at: Conductor, bounds: Bounds) {
    this.at = at;
    this.bounds = bounds;
    this.first = this.furthest = at.input.step;
    this.committed = this.first - 1;
  }

  /** Returns the summary of the last step that was committed. */
  async run(): Promise<StepSummary> {
    const { plan, requests } = this.at;
    setHandler(closeWindow, () => void (this.#closing = true), { description: INTERNAL });
    this.at.listen();
    await this.#report(null);
    const [summary] = await Promise.all([
      this.#commitAll(),
      ...this.work(),
      // Two steps may be under way.
      ...requests.widenFor(2 * plan.groups * Math.ceil(plan.responses / plan.perRequest)),
    ]);
    return summary;
  }

  /** Makes the steps. */
  protected abstract work(): readonly Promise<void>[];
  /** The step may be committed. */
  protected abstract isMade(step: number): boolean;

  /** When a window is closed, it still comes to the end of the last step that has begun. */
  protected get end(): number {
    return this.#closing || this.at.ledger.spent ? this.furthest : this.bounds.last;
  }

  /** What is planned of the first step already. */
  protected get firstPlan(): IslandPlan {
    const { groups, preludes = [] } = this.at.plan;
    return { groups: Array.from({ length: groups }, (_, group) => group), preludes };
  }

  protected refOf(step: number): StepRef {
    const { plan, input } = this.at;
    return { run: input.run, step, epoch: plan.epoch, version: plan.version };
  }

  /** Plans groups of a later step. */
  protected plan(name: string, work: () => Promise<IslandPlan>): Promise<IslandPlan> {
    return this.at.park.phase(`plan ${name}`, work, ['SupersededError']);
  }

  async #commitAll(): Promise<StepSummary> {
    const { ledger, describe, input } = this.at;
    for (let step = this.first; ; step++) {
      await condition(() => this.isMade(step));
      const goesOn = step < this.end;
      const summary = await commit(this.at, this.refOf(step), goesOn ? input.owner : undefined);
      this.committed = step;
      ledger.committed(step);
      describe();
      if (!goesOn) return summary;
      await this.#report(summary);
    }
  }

  #report(summary: StepSummary | null): Promise<void> {
    const { run, step, owner } = this.at.input;
    const body = internal({ step, last: this.bounds.last, summary });
    return getExternalWorkflowHandle(runWorkflowId(run), owner)
      .signal(windowReport, body)
      .catch(() => undefined);
  }
}

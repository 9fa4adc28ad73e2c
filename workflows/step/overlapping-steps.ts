// With `schedule: overlapping` two steps are under way at a time: a step is planned from the population after the step
// before the one before it, so what it draws does not depend on who is fast.
import { condition } from '@temporalio/workflow';
import type { IslandPlan, StepSummary } from '../../activities/interface/step.ts';
import { store } from '../engine/proxies.ts';
import { Batched, listenToAnswers } from '../programs/batched.ts';
import { runUnit } from '../programs/groups.ts';
import type { Conductor } from '../programs/unit.ts';
import { type Bounds, StepsWindow } from './steps-window.ts';

export const runOverlapping = (at: Conductor, bounds: Bounds): Promise<StepSummary> =>
  new OverlappingSteps(at, bounds).run();

class OverlappingSteps extends StepsWindow {
  readonly #batched: Batched[] = [];
  /** The last step that is planned, and the steps that are evaluated and not committed. */
  #planned = 0;
  readonly #evaluated = new Set<number>();

  protected work(): readonly Promise<void>[] {
    listenToAnswers((answers) => {
      for (const one of this.#batched) one.hear(answers);
    });
    return [this.#stepsFrom(this.first)];
  }

  /** The step after it is planned before, so that its draws know nothing of this one. */
  protected isMade(step: number): boolean {
    return this.#evaluated.has(step) && (this.#planned > step || step >= this.end);
  }

  async #stepsFrom(step: number): Promise<void> {
    await condition(() => this.committed >= step - 2);
    if (step > this.end) return;
    this.furthest = step;
    const asked = { ...this.refOf(step), generation: this.at.plan.generation };
    const options = { summary: `sample parents of step ${step}` };
    const planned =
      step === this.first
        ? this.firstPlan
        : await this.plan(`${step}`, () => store.planOverlapping.executeWithOptions(options, [asked]));
    this.#planned = step;
    await Promise.all([this.#make(step, planned), this.#stepsFrom(step + 1)]);
  }

  async #make(step: number, planned: IslandPlan): Promise<void> {
    const { plan } = this.at;
    const of = step === this.first ? { evaluate: plan.evaluate } : { evaluate: [], overlaps: true as const };
    const unit = { ...planned, ...of, ref: this.refOf(step) };
    const batched = plan.batched && new Batched(this.at, unit, () => undefined);
    if (batched) this.#batched.push(batched);
    await runUnit(this.at, unit, batched);
    this.#evaluated.add(step);
  }
}

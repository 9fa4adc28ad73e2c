// In a window of steps each island runs on its own (docs/methods/codeevolve.md, Migration). Its next groups are planned
// as soon as its own programs are evaluated, a step is committed when the slowest island is through it, and migration
// waits for the last island.
import { condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { IslandAhead, IslandPlan, StepPlan, StepRef, StepSummary, Told } from '../../activities/interface/step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { store } from '../engine/proxies.ts';
import { INTERNAL } from '../messages/descriptions.ts';
import { internal } from '../engine/form.ts';
import { closeWindow, windowReport } from '../messages/messages.ts';
import { commit } from './commit.ts';
import { runUnit } from '../programs/groups.ts';
import type { Conductor, Unit } from '../programs/unit.ts';

type Bounds = NonNullable<StepPlan['window']>;

/** Returns the summary of the last step that was committed. */
export const runWindow = (at: Conductor, bounds: Bounds): Promise<StepSummary> => new IslandWindow(at, bounds).run();

class IslandWindow {
  readonly #at: Conductor;
  readonly #bounds: Bounds;
  readonly #first: number;
  /** For each island, the last step that it is through. */
  readonly #reached: number[];
  #furthest: number;
  #closing = false;

  constructor(at: Conductor, bounds: Bounds) {
    this.#at = at;
    this.#bounds = bounds;
    this.#first = this.#furthest = at.input.step;
    this.#reached = Array.from({ length: bounds.islands }, () => this.#first - 1);
  }

  async run(): Promise<StepSummary> {
    const { plan, requests } = this.#at;
    setHandler(
      closeWindow,
      () => {
        this.#closing = true;
      },
      { description: INTERNAL },
    );
    this.#at.listen();
    await this.#report(null);
    const [summary] = await Promise.all([
      this.#commitAll(),
      ...this.#reached.map((_, island) => this.#runIsland(island)),
      ...requests.widenFor(plan.groups * Math.ceil(plan.responses / plan.perRequest)),
    ]);
    return summary;
  }

  /** When a window is closed, every island still comes as far as the foremost one is. */
  get #end(): number {
    return this.#closing || this.#at.ledger.spent ? this.#furthest : this.#bounds.last;
  }

  async #runIsland(island: number): Promise<void> {
    const facts: Told[] = [];
    for (let step = this.#first; step <= this.#end; step++) {
      this.#furthest = Math.max(this.#furthest, step);
      const ref = this.#refOf(step);
      const ahead: IslandAhead = {
        generation: this.#at.plan.generation,
        island,
        ...(facts.length === 0 ? {} : { told: [...facts] }),
      };
      // In the first step of a window every group is planned already.
      const planned = step === this.#first ? this.#firstOf(island) : await this.#planned(ref, ahead);
      const evaluate = step === this.#first ? this.#injectedInto(island) : [];
      const unit = { ...planned, ref, evaluate, ahead };
      await runUnit(this.#at, unit);
      this.#reached[island] = step;
      facts.push(...this.#factsOf(unit));
    }
  }

  #firstOf(island: number): IslandPlan {
    const { groups, preludes = [] } = this.#at.plan;
    const own = Array.from({ length: groups }, (_, group) => group).filter(
      (group) => group % this.#bounds.islands === island,
    );
    return { groups: own, preludes: preludes.filter(({ group }) => own.includes(group)) };
  }

  /** Programs that people put into the island, which happens in the window's first step. */
  #injectedInto(island: number): readonly number[] {
    const { homes = [] } = this.#bounds;
    return this.#at.plan.evaluate.filter((_, index) => homes[index] === island);
  }

  #planned(ref: StepRef, ahead: IslandAhead): Promise<IslandPlan> {
    const summary = `sample parents: island ${ahead.island}, step ${ref.step}`;
    return this.#at.park.phase(
      `plan ${ref.step}.${ahead.island}`,
      () => store.planIsland.executeWithOptions({ summary }, [{ ...ref, ...ahead }]),
      ['SupersededError'],
    );
  }

  /** Facts that are not stored and that the commit of the island's step needs. */
  #factsOf({ ref: { step }, groups }: Unit): readonly Told[] {
    const { plan, ledger } = this.#at;
    const own = new Set(groups);
    const unrepaired = ledger.unrepairedOf(step).filter(({ slot }) => own.has(Math.floor(slot / plan.responses)));
    const injected = step === this.#first ? plan.injected : 0;
    return injected === 0 && unrepaired.length === 0 ? [] : [{ step, injected, unrepaired }];
  }

  async #commitAll(): Promise<StepSummary> {
    const { ledger, describe, input } = this.#at;
    for (let step = this.#first; ; step++) {
      await condition(() => Math.min(...this.#reached) >= step);
      const goesOn = step < this.#end;
      const summary = await commit(this.#at, this.#refOf(step), goesOn ? input.owner : undefined);
      ledger.committed(step);
      describe();
      if (!goesOn) return summary;
      await this.#report(summary);
    }
  }

  #refOf(step: number): StepRef {
    const { plan, input } = this.#at;
    return { run: input.run, step, epoch: plan.epoch, version: plan.version };
  }

  #report(summary: StepSummary | null): Promise<void> {
    const { run, step, owner } = this.#at.input;
    const body = internal({ step, last: this.#bounds.last, summary });
    return getExternalWorkflowHandle(runWorkflowId(run), owner)
      .signal(windowReport, body)
      .catch(() => undefined);
  }
}

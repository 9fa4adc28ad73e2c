// In a window of steps each island runs on its own (docs/methods/codeevolve.md, Migration). Its next groups are planned
// as soon as its own programs are evaluated, a step is committed when the slowest island is through it, and migration
// waits for the last island.
import type { IslandAhead, IslandPlan, StepRef, StepSummary, Told } from '../../activities/interface/step.ts';
import { store } from '../engine/proxies.ts';
import { runUnit } from '../programs/groups.ts';
import type { Conductor, Unit } from '../programs/unit.ts';
import { type Bounds, StepsWindow } from './steps-window.ts';

export const runWindow = (at: Conductor, bounds: Bounds, islands: number): Promise<StepSummary> =>
  new IslandWindow(at, bounds, islands).run();

class IslandWindow extends StepsWindow {
  /** For each island, the last step that it is through. */
  readonly #reached: number[];

  constructor(at: Conductor, bounds: Bounds, islands: number) {
    super(at, bounds);
    this.#reached = Array.from({ length: islands }, () => this.first - 1);
  }

  protected work(): readonly Promise<void>[] {
    return this.#reached.map((_, island) => this.#runIsland(island));
  }

  protected isMade(step: number): boolean {
    return Math.min(...this.#reached) >= step;
  }

  async #runIsland(island: number): Promise<void> {
    const facts: Told[] = [];
    for (let step = this.first; step <= this.end; step++) {
      this.furthest = Math.max(this.furthest, step);
      const ref = this.refOf(step);
      const ahead: IslandAhead = {
        generation: this.at.plan.generation,
        island,
        ...(facts.length === 0 ? {} : { told: [...facts] }),
      };
      // In the first step of a window every group is planned already.
      const planned = step === this.first ? this.#firstOf(island) : await this.#planned(ref, ahead);
      const evaluate = step === this.first ? this.#injectedInto(island) : [];
      const unit = { ...planned, ref, evaluate, ahead };
      await runUnit(this.at, unit);
      this.#reached[island] = step;
      facts.push(...this.#factsOf(unit));
    }
  }

  #firstOf(island: number): IslandPlan {
    const { groups, preludes } = this.firstPlan;
    const own = groups.filter((group) => group % this.#reached.length === island);
    return { groups: own, preludes: preludes.filter(({ group }) => own.includes(group)) };
  }

  /** Programs that people put into the island, which happens in the window's first step. */
  #injectedInto(island: number): readonly number[] {
    const { homes = [] } = this.bounds;
    return this.at.plan.evaluate.filter((_, index) => homes[index] === island);
  }

  #planned(ref: StepRef, ahead: IslandAhead): Promise<IslandPlan> {
    const options = { summary: `sample parents: island ${ahead.island}, step ${ref.step}` };
    return this.plan(`${ref.step}.${ahead.island}`, () =>
      store.planIsland.executeWithOptions(options, [{ ...ref, ...ahead }]),
    );
  }

  /** Facts that are not stored and that the commit of the island's step needs. */
  #factsOf({ ref: { step }, groups }: Unit): readonly Told[] {
    const { plan, ledger } = this.at;
    const own = new Set(groups);
    const unrepaired = ledger.unrepairedOf(step).filter(({ slot }) => own.has(Math.floor(slot / plan.responses)));
    const injected = step === this.first ? plan.injected : 0;
    return injected === 0 && unrepaired.length === 0 ? [] : [{ step, injected, unrepaired }];
  }
}

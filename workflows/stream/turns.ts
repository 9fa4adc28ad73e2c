// The turns of a stream: each commits the steps that are due and plans further groups from the population after them.
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import type { StreamCommit, StreamTurn } from '../../activities/interface/stream.ts';
import { urgent } from '../engine/proxies.ts';
import type { HandedOver, OpenGroup } from '../messages/handover.ts';
import { runUnit } from '../programs/groups.ts';
import type { Conductor, Unit } from '../programs/unit.ts';
import type { OpenGroups } from './open-groups.ts';
import type { Prefetch } from './prefetch.ts';

export class Turns {
  readonly #at: Conductor;
  readonly #plan: StreamPlan;
  readonly #groups: OpenGroups;
  readonly #isFirst: boolean;
  /** Injected programs that are to be committed with the first step. */
  #injected: number;
  /** False while programs that people put in are evaluated. */
  #entered = true;
  /** The step that is committed next. */
  step: number;
  /** The last step that was committed here. */
  summary: StepSummary | null = null;
  /** Programs that were committed here. */
  made = 0;

  constructor(at: Conductor, plan: StreamPlan, groups: OpenGroups, handed: HandedOver | null) {
    this.#at = at;
    this.#plan = plan;
    this.#groups = groups;
    this.#isFirst = handed === null;
    this.step = handed === null ? at.input.step : handed.step;
    this.#injected = handed === null ? at.plan.injected : 0;
  }

  /** Evaluates programs that people put in. They are made in the name of the step that takes them. */
  enter({ ref }: Unit, fail: (error: unknown) => void): void {
    const { plan, input } = this.#at;
    if (!this.#isFirst || plan.evaluate.length === 0) return;
    this.#entered = false;
    const unit = { ref: { ...ref, step: input.step }, groups: [], preludes: [], evaluate: plan.evaluate };
    void runUnit(this.#at, unit).then(() => (this.#entered = true), fail);
  }

  /** Nothing is under way, and nothing is left to be asked for. */
  isIdle({ wanted }: Prefetch): boolean {
    return this.#groups.unfinished === 0 && this.#entered && wanted === 0;
  }

  /** A step is due that is whole, or what is left. Every stream commits one, if with nothing in it. */
  isDue(prefetch: Prefetch): boolean {
    const finished = this.#groups.finished.length;
    if (!this.#entered) return false;
    const none = this.summary === null && this.#isFirst;
    return finished >= this.#plan.batch || (this.isIdle(prefetch) && (finished > 0 || none));
  }

  /** Commits what is due and plans further groups. Returns whether something was committed. */
  async turn(ref: Unit['ref'], prefetch: Prefetch): Promise<boolean> {
    const { plan, park } = this.#at;
    const steps = this.isDue(prefetch) ? this.#groups.stepsOf(this.#plan) : [];
    const committed = steps.reduce((sum, groups) => sum + groups.length, 0);
    const toPlan = prefetch.toPlan(committed);
    const goesOn = this.#groups.count > committed || prefetch.ready + toPlan.count > 0;
    const [commit, ...further] = this.#commitsOf(steps, goesOn);
    const turn: StreamTurn = {
      ...{ ...ref, step: this.step, generation: plan.generation, first: this.#plan.first },
      ...(commit && { commit }),
      ...(further.length > 0 && { further }),
      plan: toPlan,
    };
    const turned = await park.phase('commit', () => urgent.turnStream.executeWithOptions(summaryOf(turn), [turn]), [
      'SupersededError',
    ]);
    prefetch.add(toPlan, turned.preludes);
    if (turned.summary === null) return false;
    for (const { summary, groups } of [{ summary: turned.summary, groups: turned.groups }, ...(turned.further ?? [])])
      this.#committed(summary, groups, prefetch);
    return true;
  }

  #commitsOf(steps: readonly (readonly OpenGroup[])[], goesOn: boolean): readonly StreamCommit[] {
    return steps.map((groups, index) => {
      const unrepaired = groups.flatMap((group) => group.unrepaired);
      return {
        groups: groups.map(({ group }) => group),
        injected: index === 0 ? this.#injected : 0,
        omitted: groups.flatMap(({ omitted }) => omitted).sort((a, b) => a - b),
        ...(unrepaired.length > 0 && { unrepaired }),
        ...((goesOn || index < steps.length - 1) && { next: this.#at.input.owner }),
      };
    });
  }

  #committed(summary: StepSummary, groups: readonly number[], prefetch: Prefetch): void {
    const { plan, input, ledger } = this.#at;
    const committed = new Set(groups);
    for (const group of this.#groups.all)
      if (committed.has(group.group)) ledger.carry(this.#plan.first, group, plan.responses, -1);
    this.#groups.commit(groups, summary.evaluationMs);
    prefetch.drop(committed);
    if (this.#injected > 0)
      for (const kind of ['toEvaluate', 'evaluated'] as const) ledger.count(input.step, kind, -plan.evaluate.length);
    this.#injected = 0;
    this.step += 1;
    this.made += groups.length * plan.responses;
    this.summary = summary;
  }
}

const summaryOf = ({ step, commit, further = [] }: StreamTurn): { readonly summary: string } => {
  const named = further.length === 0 ? `step ${step}` : `steps ${step} to ${step + further.length}`;
  return { summary: commit === undefined ? 'sample parents' : `insert, commit ${named}, sample parents` };
};

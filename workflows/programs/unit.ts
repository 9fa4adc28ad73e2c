// A unit of work of a step's workflow is all groups of a step, or those of one island in a step of a window. Every unit
// goes the same way: the model is asked for its groups, its responses become programs, and its step is committed.
import { sleep } from '@temporalio/workflow';
import type { IslandAhead, IslandPlan, StepPlan, StepRef, Unrepaired } from '../../activities/interface/step.ts';
import type { Allowance } from '../../evolution/budget/allowance.ts';
import type { Phases } from '../engine/park.ts';
import type { StepInput } from '../messages/step-input.ts';
import { Window } from './flow.ts';
import type { Ledger } from './ledger.ts';

/** The parts that all units of a step's workflow share. */
export type Conductor = {
  readonly input: StepInput;
  readonly plan: StepPlan;
  readonly park: Phases;
  readonly allowance: Allowance;
  readonly ledger: Ledger;
  readonly requests: Requests;
  /** Through which programs go to be evaluated. */
  readonly evaluations: Window;
  readonly describe: () => void;
  /** Listens to signals of all other names, once those of the step have their handlers. */
  readonly listen: () => void;
};

export type Unit = IslandPlan & {
  readonly ref: StepRef;
  /** The slots of programs that need no response. */
  readonly evaluate: readonly number[];
  /** In a window, the island whose step it is. */
  readonly ahead?: IslandAhead;
  /** It was planned before the step before it was committed (`schedule: overlapping`). */
  readonly overlaps?: true;
  /** In a stream, the groups that are under way. */
  readonly stream?: Followed;
};

/** Follows slots: each slot of a group that is asked for is either omitted, or answered and later ended. */
export type Followed = {
  answered(slots: readonly number[]): void;
  evaluated(slots: readonly number[]): void;
  ended(slot: number): void;
  omitted(slots: readonly number[]): void;
  unrepaired(one: Unrepaired): void;
  /** The group came to its end before programs were asked for. */
  refused(group: number): void;
};

/** The name by which people know the unit. */
export const nameOf = ({ ref: { step }, ahead, stream }: Unit): string =>
  stream !== undefined
    ? `stream of step ${step}`
    : ahead === undefined
      ? `step ${step}`
      : `island ${ahead.island}, step ${step}`;

/**
 * The numbers of model requests pending at once: as many as an llm worker has slots by default, so that the first ones
 * start at once, then in two strides the most that the server likes to see pending.
 */
const IN_FLIGHT = [48, 160, 512] as const;
const STRIDE_MS = 60;

/** The windows through which model requests go. */
export class Requests {
  readonly plain: Window;
  /**
   * Groups with stages have a window of their own, because in the other one requests wait for what these groups have
   * reserved.
   */
  readonly staged: Window;
  #widens = false;

  constructor(size: number = IN_FLIGHT[0]) {
    this.plain = new Window(size);
    this.staged = new Window(size);
  }

  /** Widens the windows as far as they get, where so many requests would not fit. */
  widenFor(requests: number): readonly Promise<void>[] {
    if (requests <= IN_FLIGHT[0] || this.#widens) return [];
    this.#widens = true;
    return [this.#widen()];
  }

  async #widen(): Promise<void> {
    for (const size of IN_FLIGHT.slice(1)) {
      await sleep(STRIDE_MS);
      this.plain.widen(size);
      this.staged.widen(size);
    }
  }
}

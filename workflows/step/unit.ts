// A unit of work of a step's workflow: all groups of a step, or those of one island in a step of a window. Every unit
// goes the same way: groups.ts asks, pipeline.ts makes programs of the responses, evolution-step.ts commits.
import { sleep } from '@temporalio/workflow';
import type { IslandAhead, IslandPlan, StepPlan, StepRef } from '../../activities/interface/step.ts';
import type { Allowance } from '../../evolution/budget/allowance.ts';
import type { Park } from '../engine/park.ts';
import type { StepInput } from '../messages/step-input.ts';
import { Window } from './flow.ts';
import type { Ledger } from './ledger.ts';

/** What all units of a step's workflow share. */
export type Conductor = {
  readonly input: StepInput;
  readonly plan: StepPlan;
  readonly park: Park;
  readonly allowance: Allowance;
  readonly ledger: Ledger;
  readonly requests: Requests;
  readonly describe: () => void;
  /** The window was begun before it had the pipeline of a step: each request is followed to its end, by itself. */
  readonly straight: boolean;
};

export type Unit = IslandPlan & {
  readonly ref: StepRef;
  /** Slots of programs that need no response. */
  readonly evaluate: readonly number[];
  /** In a window: the island whose step it is. */
  readonly ahead?: IslandAhead;
};

/** How people call it. */
export const nameOf = ({ ref: { step }, ahead }: Unit): string =>
  ahead === undefined ? `step ${step}` : `island ${ahead.island}, step ${step}`;

/**
 * Model requests pending at once: as many as an llm worker has slots by default, so that the first ones start at
 * once, then in two strides the most that the server likes to see pending.
 */
const IN_FLIGHT = [48, 160, 512] as const;
const STRIDE_MS = 60;

/** The windows through which model requests go. */
export class Requests {
  readonly plain: Window;
  /** A window of their own: in the other one requests wait for what these groups have reserved. */
  readonly staged: Window;

  constructor(size: number = IN_FLIGHT[0]) {
    this.plain = new Window(size);
    this.staged = new Window(size);
  }

  /** Where so many requests would not fit: until the windows are as wide as they get. */
  widenFor(requests: number): readonly Promise<void>[] {
    return requests > IN_FLIGHT[0] ? [this.#widen()] : [];
  }

  async #widen(): Promise<void> {
    for (const size of IN_FLIGHT.slice(1)) {
      await sleep(STRIDE_MS);
      this.plain.widen(size);
      this.staged.widen(size);
    }
  }
}

/** Of windows that were begun before they had the pipeline of a step. */
export const straightRequests = (): Requests => new Requests(IN_FLIGHT[1]);

// The number of requests and of planned groups that a stream keeps ahead, by the answers of the last moments.
import type { StreamPlan } from '../../activities/interface/step.ts';
import { LATELY_MS, mostAsked, toPlan } from '../../evolution/schedule/stream.ts';

export class PrefetchSize {
  readonly #plan: StreamPlan;
  readonly #responses: number;
  #lately: readonly { readonly atMs: number; readonly programs: number }[] = [];

  constructor(plan: StreamPlan, responses: number) {
    this.#plan = plan;
    this.#responses = responses;
  }

  arrived(programs: number): void {
    const atMs = Date.now();
    // The server's clock may have been set back meanwhile.
    const lately = this.#lately.filter((one) => Math.abs(atMs - one.atMs) < LATELY_MS);
    this.#lately = [...lately, { atMs, programs }];
  }

  /** Programs that were answered lately. */
  get arrivals(): number {
    return this.#lately.reduce((sum, { programs }) => sum + programs, 0);
  }

  /** Programs that are asked for at once. */
  get mostAsked(): number {
    return mostAsked(this.#plan.inFlight, this.#responses, this.arrivals);
  }

  /** Groups to plan, beside those that are ready, asked for or finished. */
  toPlan(present: Parameters<typeof toPlan>[1]): number {
    const { batch, inFlight } = this.#plan;
    return toPlan({ batch, inFlight, responses: this.#responses, arrivals: this.arrivals }, present);
  }
}

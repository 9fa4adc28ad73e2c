// How far ahead a stream asks and plans, by how many answers came lately.
import type { StreamPlan } from '../../activities/interface/step.ts';
import { EARLIER_PACE, LATELY_MS, mostAsked, toPlan } from '../../evolution/stream.ts';

export class Pace {
  readonly #plan: StreamPlan;
  readonly #responses: number;
  /** Answers of which was heard lately. */
  #heard: readonly { readonly atMs: number; readonly programs: number }[] = [];

  constructor(plan: StreamPlan, responses: number) {
    this.#plan = plan;
    this.#responses = responses;
  }

  arrived(programs: number): void {
    const atMs = Date.now();
    this.#heard = this.#isEarlier
      ? [{ atMs, programs: EARLIER_PACE.arrivals(this.arrivals, programs) }]
      : // The server's clock may have been set back meanwhile.
        [...this.#heard.filter((one) => Math.abs(atMs - one.atMs) < LATELY_MS), { atMs, programs }];
  }

  /** Programs that were answered lately. */
  get arrivals(): number {
    return this.#heard.reduce((sum, { programs }) => sum + programs, 0);
  }

  /** Programs that are asked for at once. */
  get mostAsked(): number {
    const most = this.#isEarlier ? EARLIER_PACE.mostAsked : mostAsked;
    return most(this.#plan.inFlight, this.#responses, this.arrivals);
  }

  /** Groups to plan, where so many are ready to be asked for, and so many are asked for or finished. */
  toPlan(planned: Parameters<typeof toPlan>[1]): number {
    const { batch, inFlight } = this.#plan;
    const sizes = { batch, inFlight, responses: this.#responses, arrivals: this.arrivals };
    return (this.#isEarlier ? EARLIER_PACE.toPlan : toPlan)(sizes, planned);
  }

  /** Begun by a version that did not know turns of several steps. */
  get #isEarlier(): boolean {
    return this.#plan.steps === undefined;
  }
}

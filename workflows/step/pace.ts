// How far ahead a stream asks and plans, by how many answers came lately.
import type { StreamPlan } from '../../activities/interface/step.ts';
import { LATELY_MS, mostAsked, toPlan } from '../../evolution/schedule/stream.ts';

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
    // The server's clock may have been set back meanwhile.
    const lately = this.#heard.filter((one) => Math.abs(atMs - one.atMs) < LATELY_MS);
    this.#heard = [...lately, { atMs, programs }];
  }

  /** Programs that were answered lately. */
  get arrivals(): number {
    return this.#heard.reduce((sum, { programs }) => sum + programs, 0);
  }

  /** Programs that are asked for at once. */
  get mostAsked(): number {
    return mostAsked(this.#plan.inFlight, this.#responses, this.arrivals);
  }

  /** Groups to plan, where so many are ready to be asked for, and so many are asked for or finished. */
  toPlan(planned: Parameters<typeof toPlan>[1]): number {
    const { batch, inFlight } = this.#plan;
    return toPlan({ batch, inFlight, responses: this.#responses, arrivals: this.arrivals }, planned);
  }
}

// The rest of a budget that a step may spend on responses and the calls around them. Requests count while they are in
// flight, so that many at once do not overshoot. It is state and arithmetic only, so the workflow replays it.
import { fits } from './limits.ts';

type Cost = { readonly tokens: number; readonly costUsd: number };

export type AllowanceBudget = {
  /** Tokens and US dollars left when the step begins; null: no limit. */
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** Mean cost of a response so far; null where nothing was paid for yet. */
  readonly perResponse: Cost | null;
};

/** `wait`: it may fit once something in flight has settled. `denied`: it would not fit even alone. */
type Verdict = 'granted' | 'wait' | 'denied';

const KINDS = ['tokens', 'costUsd'] as const;

/**
 * A response is reckoned with all calls around it, at the higher of two means: before this step, and in it. While
 * neither is known, one request goes out as a probe and the others wait. What still follows an answer is reckoned at
 * the mean of what followed others in this step, at first at that of a whole response. Invariant: at each grant,
 * everything settled plus everything in flight at the estimate is within the limit. So the total exceeds the limit only
 * by what the responses in flight at the last grant cost beyond the estimate (a probe: by all of it).
 */
export class Allowance {
  readonly #budget: AllowanceBudget;
  #inFlight = 0;
  #settled = { responses: 0, tokens: 0, costUsd: 0 };
  /** The number of programs that are still to be embedded. */
  #owed = 0;
  #followed = { count: 0, tokens: 0, costUsd: 0 };

  constructor(budget: AllowanceBudget) {
    this.#budget = budget;
  }

  /** The cost settled here, and the rest of the budget; neither counts requests in flight. */
  get settled(): { readonly responses: number } & Cost {
    return this.#settled;
  }

  get left(): AllowanceBudget {
    const left = (kind: keyof Cost): number | null => {
      const limit = this.#budget[kind];
      return limit === null ? null : Math.max(0, limit - this.#settled[kind]);
    };
    return { tokens: left('tokens'), costUsd: left('costUsd'), perResponse: this.estimate };
  }

  /** For `count` responses that are in flight already, whatever the budget says. */
  hold(count: number): void {
    this.#inFlight += count;
  }

  /** The cost at which a response is reckoned now; null where it is not known. */
  get estimate(): Cost | null {
    const { perResponse } = this.#budget;
    const { responses } = this.#settled;
    if (responses === 0) return perResponse;
    const mean = (kind: keyof Cost): number => Math.max(perResponse?.[kind] ?? 0, this.#settled[kind] / responses);
    return { tokens: mean('tokens'), costUsd: mean('costUsd') };
  }

  /** Asks for a request of `count` responses. Granted ones count as in flight until they are settled or released. */
  reserve(count: number): Verdict {
    const verdict = this.#verdict(count);
    if (verdict === 'granted') this.#inFlight += count;
    return verdict;
  }

  /** For `count` responses of a request that have come, and cost so much together. */
  settle(count: number, cost: Cost): void {
    this.#inFlight -= count;
    this.#settled = { ...this.#settled, responses: this.#settled.responses + count };
    this.pay(cost);
  }

  /** For an answered call whose group has reserved its responses, or whose own reservation is released. */
  pay({ tokens, costUsd }: Cost): void {
    this.#settled = {
      ...this.#settled,
      tokens: this.#settled.tokens + tokens,
      costUsd: this.#settled.costUsd + costUsd,
    };
  }

  /** For `count` programs that are there and still to be embedded. */
  owe(count: number): void {
    this.#owed += count;
  }

  /** For `count` programs that were embedded at this cost; null: they will not be. */
  follow(count: number, cost: Cost | null): void {
    this.#owed -= count;
    if (cost === null || count === 0) return;
    this.#followed = {
      count: this.#followed.count + count,
      tokens: this.#followed.tokens + cost.tokens,
      costUsd: this.#followed.costUsd + cost.costUsd,
    };
    this.pay(cost);
  }

  /** For `count` responses of a request that will not come and cost nothing. */
  release(count: number): void {
    this.#inFlight -= count;
  }

  #verdict(count: number): Verdict {
    const limited = KINDS.filter((kind) => this.#budget[kind] !== null);
    if (limited.length === 0) return 'granted';
    if (limited.some((kind) => this.#settled[kind] >= this.#budget[kind]!)) return 'denied';
    const { estimate } = this;
    if (estimate === null) return this.#inFlight === 0 ? 'granted' : 'wait';
    const fit = (responses: number, owed: number): boolean =>
      limited.every((kind) =>
        fits(
          this.#settled[kind] + responses * estimate[kind] + owed * this.#following(kind, estimate),
          this.#budget[kind]!,
        ),
      );
    return fit(this.#inFlight + count, this.#owed) ? 'granted' : fit(count, 0) ? 'wait' : 'denied';
  }

  #following(kind: keyof Cost, estimate: Cost): number {
    const { count } = this.#followed;
    return count === 0 ? estimate[kind] : this.#followed[kind] / count;
  }
}

// The rates of endpoints (`model.rate`), kept by all worker processes together. Each rate that runs name is a limit,
// and a request counts against the one that its run names and against all higher ones: so requests of runs that name a
// rate or a lower one never are more than that rate together, and who waits for a low one holds up nobody with a higher
// one. A request costs time of a limit: a minute divided by its rate. A process may spend as much of that time as its
// share of the endpoint says (lease.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { Permits } from '../../sandbox/host/permits.ts';
import { type ModelClient, ModelError } from '../chat/client.ts';
import { promptTokens } from '../chat/usage.ts';
import { isLongWait } from '../transport/model-error.ts';
import type { RateVerbs } from '../../store/upkeep/rates.ts';
import { count } from '../../telemetry/metrics.ts';
import { Lease } from './lease.ts';

export type Rate = NonNullable<ModelSettings['rate']>;

const MINUTE_MS = 60_000;
/** The time for which an unspent allowance is kept, so that timers that come late cost nothing. */
const KEPT_MS = 1_000;
/** A request costs a little more than its part of a minute, so that a minute with what was kept holds no more. */
const costMs = (perMinute: number): number => (MINUTE_MS + KEPT_MS) / perMinute;
const LOOK_MS = 500;
/** A limit that nobody has used for so long is one of settings that were changed, or of a run that has ended. */
const FORGOTTEN_MS = 60_000;
/** The weight of a new answer in the mean length of answers. */
const NEWEST = 0.1;

/**
 * A limit, with the time that was spent of it and is not earned yet. One request waits for it, and the others for that
 * one.
 */
type Limit = {
  readonly kind: 'requests' | 'tokens';
  readonly perMinute: number;
  readonly turns: Permits;
  owedMs: number;
  countedAtMs: number;
  usedAtMs: number;
};

export class Limiter {
  readonly #endpoint: string;
  readonly #lease: Lease;
  readonly #now: () => number;
  readonly #limits = new Map<string, Limit>();
  #answerTokens = 0;

  constructor(endpoint: string, lease: Lease, now: () => number = () => performance.now()) {
    this.#endpoint = endpoint;
    this.#lease = lease;
    this.#now = now;
  }

  /** Waits until a request with a prompt of so many tokens may be sent. */
  async take(rate: Rate, promptTokens: number, signal: AbortSignal): Promise<void> {
    const beganAtMs = this.#now();
    this.#lease.want();
    const counting = this.#over(rate);
    const releases: (() => void)[] = [];
    try {
      for (const limit of counting) {
        releases.push(await limit.turns.acquire(signal));
        for (let ms = this.#waitMs(limit); ms > 0; ms = this.#waitMs(limit)) {
          this.#lease.want();
          limit.usedAtMs = this.#now();
          await sleep(Math.min(Math.ceil(ms), LOOK_MS), undefined, { signal });
        }
      }
      for (const limit of counting)
        limit.owedMs += (limit.kind === 'requests' ? 1 : promptTokens + this.#answerTokens) * costMs(limit.perMinute);
    } finally {
      for (const release of releases) release();
    }
    const waitedMs = this.#now() - beganAtMs;
    if (waitedMs < 1) return;
    const labels = { endpoint: this.#endpoint, limit: rate.requestsPerMinute === undefined ? 'tokens' : 'requests' };
    count('rateWaits', labels);
    count('rateWaitSeconds', labels, waitedMs / 1000);
  }

  /** Counts the tokens of a request that was taken; null where it failed. */
  settle(rate: Rate, promptTokens: number, tokens: number | null): void {
    const expected = this.#answerTokens;
    if (tokens !== null) this.#answerTokens += NEWEST * (Math.max(0, tokens - promptTokens) - expected);
    for (const limit of this.#over(rate))
      if (limit.kind === 'tokens')
        limit.owedMs += ((tokens ?? promptTokens) - promptTokens - expected) * costMs(limit.perMinute);
  }

  pause(ms: number): void {
    this.#lease.pause(ms);
  }

  close(): Promise<void> {
    return this.#lease.close();
  }

  /** The limits that count a request with this rate, in the one order in which all requests wait for them. */
  #over({ requestsPerMinute, tokensPerMinute }: Rate): readonly Limit[] {
    const rates = [
      ['requests', requestsPerMinute],
      ['tokens', tokensPerMinute],
    ] as const;
    return rates.flatMap(([kind, perMinute]) => {
      if (perMinute === undefined) return [];
      this.#limit(kind, perMinute).usedAtMs = this.#now();
      const counting = [...this.#limits.values()].filter((one) => one.kind === kind && one.perMinute >= perMinute);
      return counting.sort((a, b) => a.perMinute - b.perMinute);
    });
  }

  #limit(kind: Limit['kind'], perMinute: number): Limit {
    const now = this.#now();
    const name = `${kind} ${perMinute}`;
    const present = this.#limits.get(name);
    if (present !== undefined) return present;
    for (const [other, { usedAtMs }] of this.#limits) if (now - usedAtMs > FORGOTTEN_MS) this.#limits.delete(other);
    const limit = { kind, perMinute, turns: new Permits(1), owedMs: 0, countedAtMs: now, usedAtMs: now };
    this.#limits.set(name, limit);
    return limit;
  }

  #waitMs(limit: Limit): number {
    const share = this.#lease.share();
    const earnedMs = (this.#now() - limit.countedAtMs) * share;
    limit.countedAtMs = this.#now();
    limit.owedMs = Math.max(-KEPT_MS * share, limit.owedMs - earnedMs);
    if (share === 0) return LOOK_MS / 5;
    return Math.max(this.#lease.pausedMs(), limit.owedMs / share, 0);
  }
}

/**
 * The client, which says what its requests came to and hands on what the endpoint asks for. Each of its requests has
 * been taken before.
 */
export const ratedClient = (
  client: ModelClient,
  limiter: Pick<Limiter, 'settle' | 'pause'>,
  rate: Rate,
): ModelClient => ({
  models: () => client.models(),
  async chat(request, signal) {
    const prompt = promptTokens(request.messages);
    try {
      const answer = await client.chat(request, signal);
      limiter.settle(rate, prompt, answer.usage.in + answer.usage.out);
      return answer;
    } catch (error) {
      limiter.settle(rate, prompt, null);
      if (error instanceof ModelError && error.retryAfterMs !== null && !isLongWait(error))
        limiter.pause(error.retryAfterMs);
      throw error;
    }
  },
});

/** The limiters of a process, one for each endpoint that has a rate. */
export class Rates {
  readonly #store: RateVerbs;
  readonly #limiters = new Map<string, Limiter>();

  constructor(store: RateVerbs) {
    this.#store = store;
  }

  of(endpoint: string): Limiter {
    const limiter = this.#limiters.get(endpoint) ?? new Limiter(endpoint, new Lease({ store: this.#store, endpoint }));
    this.#limiters.set(endpoint, limiter);
    return limiter;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#limiters.values()].map((limiter) => limiter.close()));
  }
}

// The rates of endpoints (`model.rate`), kept by all worker processes together. Each rate that runs name is a limit,
// and a request counts against the one that its run names and against all higher ones: so requests of runs that name a
// rate or a lower one never are more than that rate together, and who waits for a low one holds up nobody with a higher
// one. A request costs time of a limit: a minute divided by its rate. A process may spend as much of that time as its
// share of the endpoint says (lease.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { createPermits, type Permits } from '../../sandbox/host/permits.ts';
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

export type Limiter = {
  /** Waits until a request with a prompt of so many tokens may be sent. */
  take(rate: Rate, promptTokens: number, signal: AbortSignal): Promise<void>;
  /** Counts the tokens of a request that was taken; null where it failed. */
  settle(rate: Rate, promptTokens: number, tokens: number | null): void;
  pause(ms: number): void;
  close(): Promise<void>;
};

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

export const createLimiter = (endpoint: string, lease: Lease, now: () => number = () => performance.now()): Limiter => {
  const limits = new Map<string, Limit>();
  let answerTokens = 0;

  const named = (kind: Limit['kind'], perMinute: number): Limit => {
    const name = `${kind} ${perMinute}`;
    const known = limits.get(name);
    if (known !== undefined) return known;
    for (const [other, { usedAtMs }] of limits) if (now() - usedAtMs > FORGOTTEN_MS) limits.delete(other);
    const made = { kind, perMinute, turns: createPermits(1), owedMs: 0, countedAtMs: now(), usedAtMs: now() };
    limits.set(name, made);
    return made;
  };
  /** The limits that count a request with this rate, in the one order in which all requests wait for them. */
  const over = ({ requestsPerMinute, tokensPerMinute }: Rate): readonly Limit[] =>
    (
      [
        ['requests', requestsPerMinute],
        ['tokens', tokensPerMinute],
      ] as const
    ).flatMap(([kind, perMinute]) => {
      if (perMinute === undefined) return [];
      named(kind, perMinute).usedAtMs = now();
      const counting = [...limits.values()].filter((one) => one.kind === kind && one.perMinute >= perMinute);
      return counting.sort((a, b) => a.perMinute - b.perMinute);
    });
  const waitMs = (limit: Limit): number => {
    const share = lease.share();
    const earnedMs = (now() - limit.countedAtMs) * share;
    limit.countedAtMs = now();
    limit.owedMs = Math.max(-KEPT_MS * share, limit.owedMs - earnedMs);
    if (share === 0) return LOOK_MS / 5;
    return Math.max(lease.pausedMs(), limit.owedMs / share, 0);
  };

  return {
    async take(rate, promptTokens, signal) {
      const beganAtMs = now();
      lease.want();
      const counting = over(rate);
      const releases: (() => void)[] = [];
      try {
        for (const limit of counting) {
          releases.push(await limit.turns.acquire(signal));
          for (let ms = waitMs(limit); ms > 0; ms = waitMs(limit)) {
            lease.want();
            limit.usedAtMs = now();
            await sleep(Math.min(Math.ceil(ms), LOOK_MS), undefined, { signal });
          }
        }
        for (const limit of counting)
          limit.owedMs += (limit.kind === 'requests' ? 1 : promptTokens + answerTokens) * costMs(limit.perMinute);
      } finally {
        for (const release of releases) release();
      }
      const labels = { endpoint, limit: rate.requestsPerMinute === undefined ? 'tokens' : 'requests' };
      const waitedMs = now() - beganAtMs;
      if (waitedMs < 1) return;
      count('rateWaits', labels);
      count('rateWaitSeconds', labels, waitedMs / 1000);
    },
    settle(rate, promptTokens, tokens) {
      const expected = answerTokens;
      if (tokens !== null) answerTokens += NEWEST * (Math.max(0, tokens - promptTokens) - answerTokens);
      for (const limit of over(rate))
        if (limit.kind === 'tokens')
          limit.owedMs += ((tokens ?? promptTokens) - promptTokens - expected) * costMs(limit.perMinute);
    },
    pause: (ms) => lease.pause(ms),
    close: () => lease.close(),
  };
};

/**
 * The client, which says what its requests came to and hands on what the endpoint asks for. Each of its requests has
 * been taken before.
 */
export const ratedClient = (client: ModelClient, limiter: Limiter, rate: Rate): ModelClient => ({
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
export type Rates = { of(endpoint: string): Limiter; close(): Promise<void> };

export const createRates = (store: RateVerbs): Rates => {
  const limiters = new Map<string, Limiter>();
  return {
    of(endpoint) {
      const limiter = limiters.get(endpoint) ?? createLimiter(endpoint, new Lease({ store, endpoint }));
      limiters.set(endpoint, limiter);
      return limiter;
    },
    close: async () => {
      await Promise.all([...limiters.values()].map((limiter) => limiter.close()));
    },
  };
};

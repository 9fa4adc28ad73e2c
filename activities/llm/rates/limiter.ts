// The rates of endpoints (`model.rate`), kept by all worker processes together. A request costs time of its endpoint: a
// minute divided by its rate. A process may spend as much of that time as its share of the endpoint says (lease.ts). So
// runs that name different rates for one endpoint need not know of each other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { createPermits } from '../../sandbox/host/permits.ts';
import { type ModelClient, ModelError } from '../chat/client.ts';
import { promptTokens } from '../chat/shares.ts';
import { isLongWait } from '../transport/model-error.ts';
import type { RateVerbs } from '../../store/rates.ts';
import { count } from '../../telemetry/metrics.ts';
import { createLease, type Lease } from './lease.ts';

export type Rate = NonNullable<ModelSettings['rate']>;

const MINUTE_MS = 60_000;
/** What was not spent is kept for so long, so that timers that come late cost nothing. */
const KEPT_MS = 1_000;
/** A request costs a little more than its part of a minute, so that a minute with what was kept holds no more. */
const costMs = (perMinute: number): number => (MINUTE_MS + KEPT_MS) / perMinute;
const LOOK_MS = 500;
/** Of the mean length of answers, how much a new one changes. */
const NEWEST = 0.1;

export type Limiter = {
  /** Waits until a request with a prompt of so many tokens may be sent. */
  take(rate: Rate, promptTokens: number, signal: AbortSignal): Promise<void>;
  /** What a request that was taken came to; null where it failed. */
  settle(rate: Rate, promptTokens: number, tokens: number | null): void;
  pause(ms: number): void;
  close(): Promise<void>;
};

export const createLimiter = (endpoint: string, lease: Lease, now: () => number = () => performance.now()): Limiter => {
  // One waits for the endpoint and the others for it, a person's run before a sweep's.
  const turns = createPermits(1);
  const debt = { requests: 0, tokens: 0 };
  let countedAtMs = now();
  let answerTokens = 0;

  const pass = (): number => {
    const share = lease.share();
    const earnedMs = (now() - countedAtMs) * share;
    countedAtMs = now();
    for (const kind of ['requests', 'tokens'] as const) debt[kind] = Math.max(-KEPT_MS * share, debt[kind] - earnedMs);
    return share;
  };
  const waitMs = ({ requestsPerMinute, tokensPerMinute }: Rate): number => {
    const share = pass();
    const owed = Math.max(
      requestsPerMinute === undefined ? -Infinity : debt.requests,
      tokensPerMinute === undefined ? -Infinity : debt.tokens,
    );
    if (share === 0) return LOOK_MS / 5;
    return Math.max(lease.pausedMs(), owed / share, 0);
  };

  return {
    async take(rate, promptTokens, signal) {
      const beganAtMs = now();
      lease.want();
      const release = await turns.acquire(signal);
      try {
        for (let ms = waitMs(rate); ms > 0; ms = waitMs(rate)) {
          lease.want();
          await sleep(Math.min(Math.ceil(ms), LOOK_MS), undefined, { signal });
        }
        const { requestsPerMinute, tokensPerMinute } = rate;
        if (requestsPerMinute !== undefined) debt.requests += costMs(requestsPerMinute);
        if (tokensPerMinute !== undefined) debt.tokens += (promptTokens + answerTokens) * costMs(tokensPerMinute);
      } finally {
        release();
      }
      const labels = { endpoint, limit: rate.requestsPerMinute === undefined ? 'tokens' : 'requests' };
      const waitedMs = now() - beganAtMs;
      if (waitedMs < 1) return;
      count('rateWaits', labels);
      count('rateWaitSeconds', labels, waitedMs / 1000);
    },
    settle({ tokensPerMinute }, promptTokens, tokens) {
      const expected = answerTokens;
      if (tokens !== null) answerTokens += NEWEST * (Math.max(0, tokens - promptTokens) - answerTokens);
      if (tokensPerMinute !== undefined)
        debt.tokens += ((tokens ?? promptTokens) - promptTokens - expected) * costMs(tokensPerMinute);
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
      const limiter = limiters.get(endpoint) ?? createLimiter(endpoint, createLease({ store, endpoint }));
      limiters.set(endpoint, limiter);
      return limiter;
    },
    close: async () => {
      await Promise.all([...limiters.values()].map((limiter) => limiter.close()));
    },
  };
};

// Rates of endpoints over several worker processes: shares that never add up to more than the whole, whatever the
// processes' clocks say and whoever stops or dies, and requests that keep the rate.
import { expect, test } from 'vitest';
import type { RateHolder } from '../../../../activities/store/documents/installation-documents.ts';
import { Lease } from '../../../../activities/llm/rates/lease.ts';
import { Limiter, ratedClient } from '../../../../activities/llm/rates/limiter.ts';
import { ModelError, type ChatRequest } from '../../../../activities/llm/chat/client.ts';
import { rng } from '../../../../evolution/rng.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { memoryCollections, memoryStore } from '../../../doubles/memory-store.ts';

const ENDPOINT = 'http://a/v1';
const never = new AbortController().signal;

test('shares add up to the whole at most, and to the whole again after deaths, stops and newcomers', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const store = memoryStore();
    const random = rng(seed, 'rates');
    let atMs = 0;
    const processes = Array.from({ length: 4 }, (_, index) => ({
      // Clocks of hosts differ by hours.
      lease: new Lease({ store, endpoint: ENDPOINT, beatMs: null, now: () => atMs + index * 5_000_000 }),
      alive: index === 0,
    }));
    const sum = (): number => processes.reduce((all, { lease }) => all + lease.share(), 0);
    for (let tick = 0; tick < 200; tick++) {
      atMs += 500 + random.int(700);
      for (const one of processes) {
        // One that was stopped goes on later, with what it knew before.
        if (random.next() < 0.03) one.alive = !one.alive;
        if (one.alive && random.next() < 0.4) await one.lease.renew();
        expect(sum()).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
    for (const one of processes) one.alive = one === processes[1] || one === processes[2];
    for (let tick = 0; tick < 40; tick++) {
      atMs += 1_000;
      for (const one of processes) if (one.alive) await one.lease.renew();
      expect(sum()).toBeLessThanOrEqual(1 + 1e-9);
    }
    expect(processes.map(({ lease }) => lease.share())).toEqual([0, 0.5, 0.5, 0]);
    await processes[2]!.lease.close();
    await processes[1]!.lease.renew();
    expect(processes[1]!.lease.share()).toBe(1);
  }
});

// Attempt: endpoints and keys.
test('numbers that are none in the document of an endpoint set nobody free, and starve nobody for long', async () => {
  let atMs = 0;
  const now = () => atMs;
  for (const share of [NaN, -5, Infinity, '1' as unknown as number]) {
    const collections = memoryCollections();
    const store = storeOver(collections);
    const holders = [
      { id: 'odd', beat: 1, share },
      { id: 'never silent', beat: NaN, share: 1 },
      { id: 'honest', beat: 1, share: 1 },
      null as unknown as RateHolder,
    ];
    const pauses = [Infinity, NaN, -1].map((ms, index) => ({ id: `p${index}`, by: 'odd', ms }));
    await collections.rates.insertAll([{ _id: ENDPOINT, revision: 1, holders, pauses }]);
    const lease = new Lease({ store, endpoint: ENDPOINT, beatMs: null, now });
    await lease.renew();
    expect([lease.share(), lease.pausedMs()]).toEqual([0, 0]);
    atMs += 16_000;
    await lease.renew();
    expect(lease.share()).toBe(1);
  }
});

test('processes that ask at the same time keep the rate together', async () => {
  const store = memoryStore();
  const [requests, perMinute] = [16, 6_000];
  const limiters = [0, 1].map(() => new Limiter(ENDPOINT, new Lease({ store, endpoint: ENDPOINT, beatMs: 5 })));
  const beganAt = performance.now();
  await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      limiters[index % 2]!.take({ requestsPerMinute: perMinute }, 0, never),
    ),
  );
  // The first of each process waits for nothing.
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(((requests - 2) * 60_000) / perMinute);
  await Promise.all(limiters.map((limiter) => limiter.close()));
  expect((await store.readRate(ENDPOINT))!.holders).toEqual([]);
});

/** The limiter of one process alone, and its time in milliseconds. */
const limiterWithClock = async () => {
  const clock = { atMs: 0 };
  const now = () => clock.atMs;
  const lease = new Lease({ store: memoryStore(), endpoint: ENDPOINT, beatMs: null, now });
  await lease.renew();
  return { clock, limiter: new Limiter(ENDPOINT, lease, now) };
};

test('tokens are counted by what answers came to, and one that waits can leave', async () => {
  const { limiter, clock } = await limiterWithClock();
  const rate = { tokensPerMinute: 61_000 };
  await limiter.take(rate, 100, never);
  limiter.settle(rate, 100, 3_000);
  const leaving = new AbortController();
  const second = limiter.take(rate, 100, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow();
  // A token costs a millisecond here.
  clock.atMs += 3_000;
  await limiter.take(rate, 100, never);
});

test('what one process is told to wait, all wait', async () => {
  const store = memoryStore();
  let atMs = 0;
  const [told, other] = [0, 1_000_000].map(
    (offset) => new Lease({ store, endpoint: ENDPOINT, beatMs: null, now: () => atMs + offset }),
  ) as [Lease, Lease];
  const refusing = {
    models: async () => [],
    chat: async () => {
      throw new ModelError('429', { status: 429, fatal: false, retryAfterMs: 20_000 });
    },
  };
  const client = ratedClient(refusing, new Limiter(ENDPOINT, told), { requestsPerMinute: 10 });
  await expect(client.chat({ messages: [] } as unknown as ChatRequest, never)).rejects.toThrow('429');
  await told.renew();
  await other.renew();
  expect([told.pausedMs(), other.pausedMs()]).toEqual([20_000, 20_000]);
  atMs = 20_000;
  await other.renew();
  expect([told.pausedMs(), other.pausedMs()]).toEqual([0, 0]);
});

/** Takes for one run as often as its rate allows, and says how often that was. */
const counting = (limiter: Limiter, rate: Parameters<typeof limiter.take>[0]) => {
  const ending = new AbortController();
  const taken = { times: 0 };
  const asking = (async () => {
    for (;;) {
      await limiter.take(rate, 0, ending.signal);
      taken.times += 1;
    }
  })().catch(() => undefined);
  const end = async (): Promise<void> => {
    ending.abort();
    await asking;
  };
  return { taken, end };
};

test('who waits for a low rate of its own holds up nobody with a higher one, and both together keep the higher one', async () => {
  const store = memoryStore();
  const lease = new Lease({ store, endpoint: ENDPOINT, beatMs: 5 });
  const limiter = new Limiter(ENDPOINT, lease);
  const runs = [6, 6, 6_000, 6_000].map((requestsPerMinute) => counting(limiter, { requestsPerMinute }));
  const beganAt = performance.now();
  while (runs[2]!.taken.times + runs[3]!.taken.times < 40) await new Promise((resolve) => setTimeout(resolve, 5));
  const ms = performance.now() - beganAt;
  // Ten seconds lie between two requests of the low rate, over both of its runs.
  expect(runs[0]!.taken.times + runs[1]!.taken.times).toBeLessThanOrEqual(1 + Math.floor(ms / 10_000));
  expect(ms).toBeLessThan(9_000);
  const all = runs.reduce((sum, { taken }) => sum + taken.times, 0);
  expect(all).toBeLessThanOrEqual(1 + Math.ceil((ms * 6_000) / 60_000));
  await Promise.all(runs.map(({ end }) => end()));
  await limiter.close();
});

test('rates that name requests and rates that name tokens are both kept where a run names both', async () => {
  const { limiter, clock } = await limiterWithClock();
  const both = { requestsPerMinute: 61_000, tokensPerMinute: 61_000 };
  await limiter.take(both, 2_000, never);
  // A request costs a millisecond here, and so does a token.
  await limiter.take({ requestsPerMinute: 122_000 }, 2_000, never);
  const waits = limiter.take(both, 0, never).then(() => clock.atMs);
  clock.atMs = 1_999;
  await new Promise((resolve) => setTimeout(resolve, 20));
  clock.atMs = 2_000;
  expect(await waits).toBeGreaterThanOrEqual(2_000);
});

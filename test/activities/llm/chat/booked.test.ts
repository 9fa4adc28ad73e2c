// Requests to models are on the books: whatever becomes of one, it counts once, at what it cost or at an estimate; and
// one that stays without an answer is not sent for ever.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAsk } from '../../../../activities/llm/chat/ask.ts';
import { type ChatRequest, type ChatResponse, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import { Places } from '../../../../activities/llm/chat/places.ts';
import type { ModelActivities } from '../../../../activities/interface/step.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId, promptId, stageId } from '../../../../evolution/ids.ts';
import { MAX_UNANSWERED } from '../../../../evolution/models/failures.ts';
import { Crash, faulty } from '../../store/faulty-collections.ts';
import { commitOf } from '../../store/fixtures.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { configFrom, runOf } from '../../../support/domain/asked-run.ts';

const PRICE = { in: 1_000, out: 10_000 };
/** What the messages of these requests count as, by our estimate. */
const PROMPT = 12;
const LATER = new Date(Date.now() + 86_400_000);

let collections: ReturnType<typeof memoryCollections>;
let store: Store;
let sent: ChatRequest[];
/** Tokens that the run has paid for since the test began. */
const paidTokens = async (): Promise<number> => (await store.paidNow('r', LATER)).tokens - before;
let before: number;

const begin = async (limits: { readonly tokens?: number; readonly costUsd?: number } = {}): Promise<void> => {
  collections = memoryCollections();
  store = storeOver(collections);
  sent = [];
  const config = configFrom({
    model: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'm', price: PRICE },
    batch: 2,
    responses: 4,
    limits,
  });
  const run = runOf(config);
  await store.createRun(run);
  await store.commit(commitOf('r', 0, await store.openStep('r', 0, 'w')));
  before = (await store.paidNow('r', LATER)).tokens;
  const [system, user] = await store.putTexts(['a'.repeat(20), 'b'.repeat(28)]);
  const of = { run: 'r', step: 1, epoch: 0, group: 1 };
  await store.putPrompts([
    {
      ...{ ...of, _id: promptId('r', 1, 0, 1), system: system!, user: user!, parent: programId('r', 0, 0, 0) },
      ...{ island: 0, priorPrograms: [], part: 'p', configVersion: 1 },
    },
  ]);
  const messages = [
    { role: 'system' as const, content: system! },
    { role: 'user' as const, content: user! },
  ];
  await store.putRequests([{ ...of, _id: stageId(promptId('r', 1, 0, 1), 'idea'), stage: 'idea', messages }]);
};
beforeEach(() => begin());

type Answer = (request: ChatRequest) => ChatResponse | Error | Promise<ChatResponse>;
const clientFor = (answer: Answer) => async () => ({
  model: 'm',
  client: {
    models: async () => [],
    chat: async (request: ChatRequest) => {
      sent.push(request);
      const given = await answer(request);
      if (given instanceof Error) throw given;
      return given;
    },
  },
});
const failureOf = async <T>(work: Promise<T>): Promise<unknown> =>
  work.then(() => null).catch((error: unknown) => error);
const generate = (
  answer: Answer,
  input: Partial<Parameters<ModelActivities['generate']>[0]> = {},
  { on = store, execution = 'first', env = {} }: { on?: Store; execution?: string; env?: object } = {},
) =>
  new MockActivityEnvironment({ workflowExecution: { workflowId: 'w', runId: execution }, ...env }).run(
    createGenerate({ store: on, clientFor: clientFor(answer) }).generate,
    { run: 'r', step: 1, epoch: 0, version: 1, group: 1, first: 0, count: 1, responses: 4, ...input },
  ) as ReturnType<ModelActivities['generate']>;
const ask = (answer: Answer) =>
  new MockActivityEnvironment().run(createAsk({ store, clientFor: clientFor(answer) }).ask, {
    ...{ run: 'r', step: 1, epoch: 0, version: 1, group: 1, stage: 'idea' as const },
  });

const fine = ({ n }: ChatRequest): ChatResponse => ({
  choices: Array.from({ length: n }, () => ({ text: 'so', reasoning: null, finishReason: 'stop' })),
  usage: { in: 100, out: 10 },
  model: 'm',
});
const failing = (status: number | null, more: Partial<ConstructorParameters<typeof ModelError>[1]> = {}) =>
  new ModelError('went wrong', { status, fatal: false, retryAfterMs: null, ...more });
const unanswered = async () => {
  const { requests, tokens, estimated, waiting } = await store.unanswered('r', LATER);
  return { requests, tokens: tokens.in + tokens.out, estimated, waiting };
};
const nothing = { requests: 0, tokens: 0, estimated: 0, waiting: 0 };
const booked = () => collections.bookings.find({ run: 'r' });
/** As the worker of models has them: the places of a run among the requests in flight. */
const inStream = (answer: Answer, places: Places, input: { readonly first: number; readonly signal?: AbortSignal }) => {
  const environment = new MockActivityEnvironment({ workflowExecution: { workflowId: 'w', runId: 'first' } });
  input.signal?.addEventListener('abort', () => environment.cancel());
  return environment.run(createGenerate({ store, clientFor: clientFor(answer), places }).generate, {
    ...{ run: 'r', step: 1, epoch: 0, version: 1, group: 1, count: 1, responses: 4, inFlight: 2 },
    first: input.first,
  }) as ReturnType<ModelActivities['generate']>;
};

describe('a request of a stream', () => {
  const held = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { release: resolve, answer: async (request: ChatRequest) => (await promise, fine(request)) };
  };
  const waiting = async (count: number): Promise<void> => {
    await expect.poll(async () => (await booked()).length).toBe(count);
  };

  it('is booked while it waits for its place, and only as many as leave next', async () => {
    const { release, answer } = held();
    const places = new Places();
    const all = [0, 1, 2, 3].map((first) => inStream(answer, places, { first }));
    // Two are in flight, one is booked and waits, and one is not booked.
    await waiting(3);
    expect(sent).toHaveLength(2);
    release();
    await Promise.all(all);
    expect([sent.length, await unanswered()]).toEqual([4, nothing]);
  });

  it('that never left costs nothing', async () => {
    const { release, answer } = held();
    const places = new Places();
    const all = [0, 1].map((first) => inStream(answer, places, { first }));
    await waiting(2);
    const given = new AbortController();
    const last = inStream(answer, places, { first: 2, signal: given.signal });
    await waiting(3);
    given.abort();
    await expect(last).rejects.toThrow();
    await waiting(2);
    release();
    await Promise.all(all);
    expect([sent.length, await unanswered()]).toEqual([2, nothing]);
  });

  it('gives its place back where the database is away as it leaves', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { release, answer } = held();
    const places = new Places();
    const all = [0, 1].map((first) => inStream(answer, places, { first }));
    await waiting(2);
    const last = inStream(answer, places, { first: 2 });
    await waiting(3);
    vi.setSystemTime(Date.now() + 3_600_000);
    const keep = store.keepBooking;
    store = Object.assign(store, { keepBooking: () => Promise.reject(new Crash('away')) });
    release();
    await expect(last).rejects.toThrow();
    await Promise.all(all);
    store = Object.assign(store, { keepBooking: keep });
    // Both places are free, so that two requests are in flight at once.
    const two = held();
    const sentBefore = sent.length;
    const more = [2, 3].map((first) => inStream(two.answer, places, { first }));
    await expect.poll(async () => sent.length).toBe(sentBefore + 2);
    two.release();
    await Promise.all(more);
  });

  it('that waited for long is booked for when it left', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { release, answer } = held();
    const places = new Places();
    const all = [0, 1].map((first) => inStream(answer, places, { first }));
    await waiting(2);
    const second = held();
    const last = inStream(second.answer, places, { first: 2 });
    await waiting(3);
    // As if it had waited for an hour.
    const [mine] = (await booked()).filter(({ answer: of }) => of === programId('r', 1, 0, 6));
    expect(mine).toBeDefined();
    vi.setSystemTime(Date.now() + 3_600_000);
    release();
    await Promise.all(all);
    await expect.poll(async () => sent.length).toBe(3);
    const [left] = await booked();
    expect(left!.at.getTime() - mine!.at.getTime()).toBeGreaterThan(3_500_000);
    expect(left!.until.getTime() - left!.at.getTime()).toBe(mine!.until.getTime() - mine!.at.getTime());
    second.release();
    await last;
    expect(await unanswered()).toEqual(nothing);
  });
});

describe('a request', () => {
  it('is booked before it leaves, and its stored answer settles it', async () => {
    const during: number[] = [];
    const answer = async (request: ChatRequest) => {
      during.push((await booked()).length);
      return fine(request);
    };
    expect(await generate(answer, { count: 4 })).toMatchObject({ tokens: 110 });
    expect(await ask(answer)).toMatchObject({ tokens: 110 });
    expect(during).toEqual([1, 1]);
    expect(await booked()).toEqual([]);
  });

  it.each([
    ['a refused key', failing(401, { fatal: true })],
    ['a wrong request', failing(400, { fatal: true })],
    ['a rate limit', failing(429, { retryAfterMs: 1_000 })],
    ['an overloaded server', failing(503)],
    ['a refused connection', failing(null, { codes: ['ECONNREFUSED'] })],
    ['an unknown host', failing(null, { codes: ['ENOTFOUND'] })],
  ])('costs nothing after %s', async (_, error) => {
    await failureOf(generate(() => error));
    await failureOf(ask(() => error));
    expect(await booked()).toEqual([]);
  });

  it.each([
    ['a time-out', failing(null), { tokens: PROMPT, estimated: 1 }],
    ['a connection that is cut', failing(null, { codes: ['ECONNRESET'] }), { tokens: PROMPT, estimated: 1 }],
    ['a failure of the server', failing(500), { tokens: PROMPT, estimated: 1 }],
    ['half an answer', failing(200, { heard: 'x'.repeat(400) }), { tokens: PROMPT + 100, estimated: 1 }],
    ['usage without choices', failing(200, { usage: { in: 7, out: 9 }, heard: '{}' }), { tokens: 16, estimated: 0 }],
    ['an error that is no answer', new TypeError('a fault of ours'), { tokens: PROMPT, estimated: 1 }],
  ])('counts after %s, with what came', async (_, error, counted) => {
    await failureOf(generate(() => error));
    expect(await unanswered()).toEqual({ ...nothing, requests: 1, ...counted });
    await failureOf(ask(() => error));
    expect(await unanswered()).toMatchObject({ requests: 2, tokens: 2 * counted.tokens });
    const heard = error instanceof ModelError ? error.heard : null;
    for (const { response, reason, costUsd } of await booked()) {
      expect(reason).toMatch(/went wrong|fault of ours/);
      expect(costUsd).toBeGreaterThan(0);
      expect(response === null ? null : (await store.getTexts([response])).get(response)).toBe(heard);
    }
  });

  it('that is cancelled before its answer comes counts with its prompt', async () => {
    const env = new MockActivityEnvironment();
    const { generate: waiting } = createGenerate({
      store,
      clientFor: async () => ({
        model: 'm',
        client: {
          models: async () => [],
          chat: (_request, signal) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
              env.cancel();
            }),
        },
      }),
    });
    const ref = { run: 'r', step: 1, epoch: 0, version: 1, group: 1, first: 0, count: 1, responses: 4 };
    expect(await failureOf(env.run(waiting, ref))).not.toBeNull();
    expect(await unanswered()).toEqual({ ...nothing, requests: 1, tokens: PROMPT, estimated: 1 });
  });

  it('whose answer has usage and no choices counts with that usage; the responses are asked for one by one', async () => {
    const none: Answer = () => ({ choices: [], usage: { in: 60, out: 30 }, model: 'm' });
    expect(await generate(none, { count: 4 })).toMatchObject({ stored: [], missing: [4, 5, 6, 7] });
    expect(await unanswered()).toEqual({ ...nothing, requests: 1, tokens: 90 });
  });

  it('whose endpoint names no usage is stored with our estimate, and says so', async () => {
    const unnamed = (request: ChatRequest): ChatResponse => ({ ...fine(request), usage: { in: 0, out: 0 } });
    expect(await generate(unnamed)).toMatchObject({ tokens: PROMPT + 1 });
    const id = programId('r', 1, 0, 4);
    expect((await store.getRollouts([id])).get(id)).toMatchObject({ estimated: true, usage: { in: PROMPT, out: 1 } });
    expect(await booked()).toEqual([]);
    // What was refused for its content was not worked on.
    await begin();
    const filtered = (): ChatResponse => ({
      choices: [{ text: '', reasoning: null, finishReason: 'content_filter' }],
      usage: { in: 0, out: 0 },
      model: 'm',
    });
    expect(await generate(filtered)).toMatchObject({ stored: [4], tokens: 0 });
  });
});

describe('a worker that dies', () => {
  const crashing = (write: number) => storeOver(faulty(collections, write).collections);

  it('between sending and storing: the request counts once with its estimate, the next one with its answer', async () => {
    // Write 1 is the booking, write 2 the texts of the answer.
    expect(await failureOf(generate(fine, {}, { on: crashing(2) }))).toBeInstanceOf(Crash);
    expect(await unanswered()).toMatchObject({ requests: 1, tokens: PROMPT });
    await generate(fine);
    expect(sent).toHaveLength(2);
    expect(await unanswered()).toMatchObject({ requests: 1, tokens: PROMPT });
    expect(await paidTokens()).toBe(PROMPT + 110);
    const id = programId('r', 1, 0, 4);
    expect((await store.getRollouts([id])).get(id)).toMatchObject({ sending: 2 });
  });

  it('between storing and settling: the request counts once, with its answer, and is not sent again', async () => {
    // Write 3 is the answer, write 4 settles the booking.
    await generate(fine, {}, { on: crashing(4) });
    expect(await booked()).toHaveLength(1);
    expect(await unanswered()).toEqual(nothing);
    await generate(fine);
    expect(sent).toHaveLength(1);
    expect(await paidTokens()).toBe(110);
  });

  // Attempt: endpoints and keys.
  it('at any write: what was sent counts, and every answer once', async () => {
    for (let write = 1; write <= 6; write++) {
      await begin();
      await failureOf(generate(fine, {}, { on: crashing(write) }));
      await generate(fine);
      const { requests } = await unanswered();
      const answers = (await store.getRollouts([programId('r', 1, 0, 4)])).size;
      expect([write, requests + answers]).toEqual([write, sent.length]);
    }
  });

  it('not in time: two answers to one request are both paid, and one is stored', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = generate(async (request) => promise.then(() => fine(request)));
    while (sent.length === 0) await new Promise((done) => setTimeout(done, 1));
    await generate((request) => ({ ...fine(request), usage: { in: 3, out: 4 } }));
    resolve();
    await slow;
    expect(await paidTokens()).toBe(7 + 110);
    expect(await unanswered()).toMatchObject({ requests: 1, tokens: 110, estimated: 0 });
  });
});

describe('an answer that cannot be stored', () => {
  it('is tried to be stored again, and counts with its usage where that fails', async () => {
    const refusing: Store = { ...store, putRollouts: async () => Promise.reject(new Error('no room')) };
    const env = new MockActivityEnvironment();
    const work = env.run(createGenerate({ store: refusing, clientFor: clientFor(fine) }).generate, {
      ...{ run: 'r', step: 1, epoch: 0, version: 1, group: 1, first: 0, count: 1, responses: 4 },
    });
    expect(await failureOf(work)).toMatchObject({ message: 'no room' });
    expect(sent).toHaveLength(1);
    expect(await unanswered()).toEqual({ ...nothing, requests: 1, tokens: 110 });
    const [only] = await booked();
    expect((await store.getTexts([only!.response!])).get(only!.response!)).toBe('so');
  });
});

describe('a request that stays without an answer', () => {
  const down: Answer = () => failing(null);
  const again = async (input = {}, more = {}) => failureOf(generate(down, input, more));

  it(`is sent ${MAX_UNANSWERED} times, more and more slowly, and then waits for a person`, async () => {
    const delays: unknown[] = [];
    for (let sending = 1; sending < MAX_UNANSWERED; sending++) {
      const error = await again();
      expect(error).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
      delays.push((error as { nextRetryDelay: number }).nextRetryDelay);
    }
    expect([...delays].sort((a, b) => Number(a) - Number(b))).toEqual(delays);
    const last = { type: 'Unanswered', nonRetryable: true, details: [MAX_UNANSWERED] };
    expect(await again()).toMatchObject({
      ...last,
      message: expect.stringMatching(
        new RegExp(`${MAX_UNANSWERED} times.*about ${MAX_UNANSWERED * PROMPT} tokens.*evolve retry r`),
      ),
    });
    // Nothing leaves before a person has said so, however often the activity runs.
    expect(await again()).toMatchObject(last);
    expect(sent).toHaveLength(MAX_UNANSWERED);
    expect(await again({ told: MAX_UNANSWERED })).toMatchObject({ type: 'ModelUnavailable' });
    expect(sent).toHaveLength(MAX_UNANSWERED + 1);
    expect(await generate(fine, { told: MAX_UNANSWERED })).toMatchObject({ stored: [4] });
    expect(await unanswered()).toMatchObject({ requests: MAX_UNANSWERED + 1 });
  });

  it('is sent anew for another execution of the step, which a person began', async () => {
    for (let sending = 1; sending <= MAX_UNANSWERED; sending++) await again();
    expect(await again({}, { execution: 'second' })).toMatchObject({ type: 'ModelUnavailable' });
    expect(sent).toHaveLength(MAX_UNANSWERED + 1);
  });

  it('counts against the limits at once: what a limit does not hold any more is left out', async () => {
    await begin({ tokens: before + 3 * PROMPT });
    for (let sending = 1; sending <= 3; sending++) expect(await again()).toMatchObject({ type: 'ModelUnavailable' });
    expect(await generate(down, { count: 2 })).toEqual({
      stored: [],
      missing: [],
      omitted: [4, 5],
      tokens: 0,
      costUsd: 0,
    });
    expect(await failureOf(ask(fine))).toMatchObject({ type: 'BudgetSpent', nonRetryable: true });
    expect(sent).toHaveLength(3);
    await begin({ costUsd: (PROMPT * PRICE.in) / 1e6 });
    await again();
    expect(await generate(fine)).toMatchObject({ omitted: [4] });
  });
});

describe('an endpoint that is silent', () => {
  // Attempt: endpoints and keys.
  it('has four requests at once until it answers; others wait without a place and without a booking', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let clock = 0;
    const { createBooks } = await import('../../../../activities/llm/chat/booked.ts');
    const books = createBooks(store, { now: () => clock });
    const send = (slot: number, work: () => Promise<unknown>) =>
      new MockActivityEnvironment().run(async () =>
        books.send(
          {
            ...{ run: 'r', step: 1, epoch: 0, stage: 'program', answer: programId('r', 1, 0, slot), told: 0 },
            ...{ prompt: 1, maxOut: 1, timeoutMs: 1_000, signal: new AbortController().signal },
            to: { name: 'm', kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', price: null },
          },
          work,
        ),
      );
    const timesOut = async (): Promise<never> => {
      clock += 1_000;
      throw failing(null);
    };
    expect(await failureOf(send(0, timesOut))).toMatchObject({ unanswered: 1 });
    const waiting = [1, 2, 3, 4].map((slot) => send(slot, () => promise));
    while ((await booked()).length < 5) await new Promise((done) => setTimeout(done, 1));
    expect(await failureOf(send(5, async () => undefined))).toMatchObject({ fatal: false, unanswered: 0 });
    expect(await booked()).toHaveLength(5);
    resolve();
    await Promise.all(waiting);
    await Promise.all([5, 6, 7, 8, 9, 10].map((slot) => send(slot, async () => undefined)));
  });
});

// Plays a shape to the shipped client, books and store, and accounts for every call: what may be paid is stored or booked,
// once.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAsk } from '../../activities/llm/chat/ask.ts';
import { createGenerate } from '../../activities/llm/chat/generate.ts';
import { createOpenAiEmbeddingClient } from '../../activities/llm/embeddings/client.ts';
import { createEmbed } from '../../activities/llm/embeddings/embed.ts';
import { unpackVector } from '../../activities/llm/embeddings/vectors.ts';
import { createOpenAiClient } from '../../activities/llm/openai/openai-client.ts';
import { programId, promptId, stageId } from '../../evolution/ids.ts';
import { cutShort } from '../../evolution/models/endings.ts';
import type { Store } from '../../activities/store/store.ts';
import { commitOf, delta } from '../activities/store/fixtures.ts';
import { memoryStore } from '../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../support/domain/asked-run.ts';
import { type Body, type Given, isFine, type Outcome, type Shape, TEXT, VECTORS } from './shapes.ts';

export type Form = 'whole' | 'stream';
export const formsOf = ({ form }: Shape): readonly Form[] => (form === undefined ? ['whole', 'stream'] : [form]);
/** Programs, every other call of a model (ideas, judges, meta, a second try), and embeddings have a way each. */
export type Door = 'program' | 'stage' | 'embeddings';
export const doorsOf = ({ ofEmbeddings }: Shape): readonly Door[] =>
  ofEmbeddings === true ? ['embeddings'] : ['program', 'stage'];

export type Played = {
  readonly outcome: Outcome;
  /** Null where nothing was stored. */
  readonly text: string | null;
  /** Why nothing was stored, or why the answer holds no program. */
  readonly reason: string;
  readonly calls: number;
  /** Calls that a model may have worked on. */
  readonly paid: number;
  readonly stored: number;
  /** Tokens of what is stored. */
  readonly tokens: number;
  /** Requests that are paid for without an answer. */
  readonly booked: number;
};

const MAX_TOKENS = 4_000;
const USAGE = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 };

/** One server for all plays, each at a path of its own: a port that is used again may have open connections. */
class Endpoint {
  readonly #plays: ((request: IncomingMessage, response: ServerResponse) => void)[] = [];
  readonly #url = new Promise<string>((resolve) => {
    const server = createServer((request, response) =>
      this.#plays[Number(/\d+/.exec(request.url!)![0])]!(request, response),
    );
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    server.unref();
  });

  async serve(play: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    return `${await this.#url}/${this.#plays.push(play) - 1}/v1`;
  }
}

const endpoint = new Endpoint();

export const play = async ({ given, until }: Shape, form: Form, door: Door = 'program'): Promise<Played> => {
  let calls = 0;
  let paid = 0;
  const baseUrl = await endpoint.serve((request, response) => {
    void bodyOf(request).then((body) => {
      const one = isFine(body, until) ? FINE : given;
      calls += 1;
      paid += mayBePaid(one) ? 1 : 0;
      answer(one, response, form);
    });
  });
  return { ...(await asked(baseUrl, form, door)), calls, paid };
};

const FINE = { message: { content: TEXT } };

/** Providers bill a failure at work, and what brought a text or a count of tokens. A template fails before any work. */
const mayBePaid = (given: Given): boolean => {
  if ('message' in given) return true;
  if ('raw' in given) return false;
  const { status, body } = 'status' in given ? given : { status: 200, body: given.events };
  const text = JSON.stringify(body);
  return status === 200
    ? /the an|"usage|"embedding/.test(text)
    : FAILURES.includes(status) && !text.includes('Template');
};
const FAILURES = [500, 502, 504, 520];

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Body;
};

type Came = { readonly text: string; readonly finish: string | null; readonly tokens: number };

const asked = async (baseUrl: string, form: Form, door: Door): Promise<Omit<Played, 'calls' | 'paid'>> => {
  const store = memoryStore();
  const model = { name: 'm', baseUrl, stream: form === 'stream', maxTokens: MAX_TOKENS };
  await store.createRun(runOf(configFrom({ model, batch: 1, responses: 1, embedding: { model: 'm', price: 1 } })));
  await putPrompts(store, 1);
  const failed = await DOORS[door](store, baseUrl).then(
    () => null,
    (error: unknown) => error,
  );
  if (failed !== null && !(failed instanceof ApplicationFailure)) throw failed;
  const came = await cameOf(store, door);
  const booked = (await store.owed('r')).requests;
  const text = came?.text ?? null;
  const finish = came?.finish ?? null;
  return {
    outcome:
      failed === null
        ? (ENDS[finish ?? ''] ?? 'whole')
        : failed.nonRetryable === true
          ? 'parked'
          : booked > 0
            ? 'again, booked'
            : 'again, free',
    reason: failed?.message ?? cutShort(finish) ?? '',
    ...{ text, booked, stored: came === null ? 0 : 1, tokens: came?.tokens ?? 0 },
  };
};

const REF = { run: 'r', step: 1, epoch: 0, version: 1 };
const STAGE = stageId(promptId('r', 1, 0, 0), 'idea');
const SLOTS = [0, 1, 2];

const call = (work: unknown, input: unknown): Promise<unknown> =>
  new MockActivityEnvironment(undefined, { logger: QUIET }).run(work as (input: unknown) => Promise<unknown>, input);
const QUIET = new DefaultLogger('ERROR', () => undefined);

const DOORS: Readonly<Record<Door, (store: Store, baseUrl: string) => Promise<unknown>>> = {
  async program(store, baseUrl) {
    return call(createGenerate(deps(store, baseUrl)).generate, { ...REF, group: 0, first: 0, count: 1, responses: 1 });
  },
  async stage(store, baseUrl) {
    const [content] = await store.putTexts(['what?', 'system']);
    const messages = [
      { role: 'system', content: content! },
      { role: 'user', content: content! },
    ] as const;
    await store.putRequests([{ ...REF, _id: STAGE, group: 0, stage: 'idea', messages }]);
    return call(createAsk(deps(store, baseUrl)).ask, { ...REF, group: 0, stage: 'idea' });
  },
  async embeddings(store, baseUrl) {
    await store.commit(commitOf('r', 0, await store.openStep('r', 0, 'w')));
    const codes = await store.putTexts(SLOTS.map((slot) => `x = ${slot}`));
    await store.putDeltas(SLOTS.map((slot) => ({ ...delta('r', 1, slot), parent: null, code: codes[slot]! })));
    const client = createOpenAiEmbeddingClient({ baseUrl, apiKey: null });
    const islandOf = async (): Promise<never> => Promise.reject(new Error('no step is ahead'));
    const clientFor = async () => ({ client, model: 'm' });
    return call(createEmbed({ store, islandOf, clientFor }).embed, { ...REF, slots: SLOTS });
  },
};

const deps = (store: Store, baseUrl: string) => {
  const client = createOpenAiClient({ baseUrl, apiKey: null, timeoutMs: 10_000 });
  return { store, clientFor: async ({ name }: { readonly name: string }) => ({ client, model: name }) };
};

/** Null where nothing is stored. Of embeddings the text is TEXT where each stands at its program. */
const cameOf = async (store: Store, door: Door): Promise<Came | null> => {
  if (door === 'embeddings') {
    const stored = await store.getEmbeddings(SLOTS.map((slot) => programId('r', 1, 0, slot)));
    const vectors = [...stored.values()].map(({ vector }) => [...unpackVector(vector)].map(Math.round).join(' '));
    const text = JSON.stringify(vectors) === JSON.stringify(VECTORS) ? TEXT : `${vectors}`;
    const tokens = [...stored.values()].reduce((sum, one) => sum + one.tokens, 0);
    return stored.size === 0 ? null : { text, finish: null, tokens };
  }
  const id = programId('r', 1, 0, 0);
  const one = (await store.getRollouts([id])).get(id) ?? (await store.getCalls([STAGE])).get(STAGE);
  if (one === undefined) return null;
  const text = (await store.getTexts([one.response])).get(one.response) ?? '';
  return { text, finish: one.finishReason, tokens: one.usage.in + one.usage.out };
};

const ENDS: Readonly<Record<string, Outcome>> = {
  'no choices': 'no choice',
  length: 'cut',
  content_filter: 'refused',
  tool_calls: 'called a tool',
  reasoning: 'only reasoning',
};

const answer = (given: Given, response: ServerResponse, form: Form): void => {
  if ('raw' in given) return void response.socket!.end(given.raw);
  if ('events' in given) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.end(given.events.map(eventOf).join(''));
  }
  if ('status' in given) {
    const { status, body, headers } = given;
    const isPage = typeof body === 'string';
    response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers });
    return void response.end(isPage ? body : JSON.stringify(body));
  }
  if (form === 'stream') return stream(given, response);
  const { message, finish = 'stop', bare } = given;
  const choice = { index: 0, finish_reason: finish, ...(bare === true ? message : { message }) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ model: 'm', choices: [choice], usage: USAGE }));
};

const eventOf = (event: unknown): string => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;

const stream = (given: Extract<Given, { message: unknown }>, response: ServerResponse): void => {
  const { message, finish = 'stop', last, bare } = given;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: unknown): void => void response.write(eventOf(event));
  for (const piece of pieces(message))
    send({ model: 'm', choices: [{ index: 0, finish_reason: null, ...(bare === true ? piece : { delta: piece }) }] });
  if (last === 'error') send({ error: { code: 502, message: 'upstream failed' } });
  else send({ model: 'm', choices: [{ index: 0, ...(bare === true ? {} : { delta: {} }), finish_reason: finish }] });
  if (last === undefined || last === 'silence') send({ model: 'm', choices: [], usage: USAGE });
  if (last === undefined) response.write('data: [DONE]\n\n');
  if (last !== 'silence') response.end();
};

/** A message in pieces as a stream has them: texts in halves, lists by their entries. */
const pieces = (message: Readonly<Record<string, unknown>>): readonly object[] =>
  Object.entries(message).flatMap(([key, value]): readonly object[] =>
    typeof value === 'string' && key !== 'role'
      ? [{ [key]: value.slice(0, value.length / 2) }, { [key]: value.slice(value.length / 2) }]
      : Array.isArray(value)
        ? value.map((one) => ({ [key]: [one] }))
        : [{ [key]: value }],
  );

/** What a played shape should have come to, beside its outcome. */
export const faultsOf = (shape: Shape, played: Played): readonly string[] => {
  const isWhole = shape.outcome === 'whole';
  const lost = shape.outcome === 'again, booked' ? 1 : 0;
  const stored = shape.outcome === 'parked' || shape.outcome.startsWith('again') ? 0 : 1;
  return [
    ...(played.outcome === shape.outcome ? [] : [`expected ${shape.outcome}, got ${played.outcome}`]),
    ...(isWhole && played.text !== TEXT ? [`expected the text, got ${JSON.stringify(played.text)}`] : []),
    ...(shape.says !== undefined && !new RegExp(shape.says).test(played.reason)
      ? [`expected ${shape.says}, got "${played.reason}"`]
      : []),
    ...(played.booked === lost ? [] : [`expected ${lost} booked without an answer, got ${played.booked}`]),
    ...(played.stored === stored ? [] : [`expected ${stored} stored, got ${played.stored}`]),
    // Nothing is paid for a prompt that is refused, and its outcome is stored all the same.
    ...(played.paid === (played.tokens > 0 ? played.stored : 0) + played.booked
      ? []
      : [`${played.paid} calls may be paid, ${played.stored} are stored and ${played.booked} booked`]),
  ];
};

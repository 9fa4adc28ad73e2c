// Plays a shape to the shipped client, books and store, and accounts for every call.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGenerate } from '../../activities/llm/chat/generate.ts';
import { createOpenAiClient } from '../../activities/llm/openai/openai-client.ts';
import { programId } from '../../evolution/ids.ts';
import { cutShort } from '../../evolution/models/endings.ts';
import { memoryStore } from '../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../support/domain/asked-run.ts';
import { type Body, type Given, type Outcome, type Shape, TEXT } from './shapes.ts';

export type Form = 'whole' | 'stream';
export const formsOf = ({ form }: Shape): readonly Form[] => (form === undefined ? ['whole', 'stream'] : [form]);

export type Played = {
  readonly outcome: Outcome;
  /** Null where nothing was stored. */
  readonly text: string | null;
  /** Why nothing was stored, or why the answer holds no program. */
  readonly reason: string;
  readonly calls: number;
  readonly stored: number;
  /** Requests that are paid for without an answer. */
  readonly booked: number;
};

const MAX_TOKENS = 4_000;
const USAGE = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 };

export const play = async ({ given }: Shape, form: Form): Promise<Played> => {
  let calls = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      calls += 1;
      answer(typeof given === 'function' ? given(body) : given, response, form);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    return { ...(await asked(baseUrl, form)), calls };
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Body;
};

const asked = async (baseUrl: string, form: Form): Promise<Omit<Played, 'calls'>> => {
  const store = memoryStore();
  const model = { name: 'm', baseUrl, stream: form === 'stream', maxTokens: MAX_TOKENS };
  await store.createRun(runOf(configFrom({ model, batch: 1, responses: 1 })));
  await putPrompts(store, 1);
  const client = createOpenAiClient({ baseUrl, apiKey: null, timeoutMs: 10_000 });
  const { generate } = createGenerate({ store, clientFor: async ({ name }) => ({ client, model: name }) });
  const failed = await new MockActivityEnvironment()
    .run(generate, { run: 'r', step: 1, epoch: 0, version: 1, group: 0, first: 0, count: 1, responses: 1 })
    .then(
      () => null,
      (error: unknown) => error,
    );
  if (failed !== null && !(failed instanceof ApplicationFailure)) throw failed;
  const rollout = (await store.getRollouts([programId('r', 1, 0, 0)])).values().next().value;
  const booked = (await store.owed('r')).requests;
  const text = rollout === undefined ? null : ((await store.getTexts([rollout.response])).get(rollout.response) ?? '');
  const finish = rollout?.finishReason ?? null;
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
    ...{ text, booked, stored: rollout === undefined ? 0 : 1 },
  };
};

const ENDS: Readonly<Record<string, Outcome>> = {
  length: 'cut',
  content_filter: 'refused',
  tool_calls: 'called a tool',
  reasoning: 'only reasoning',
};

const answer = (given: Given, response: ServerResponse, form: Form): void => {
  if ('raw' in given) return void response.socket!.end(given.raw);
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

const stream = (given: Extract<Given, { message: unknown }>, response: ServerResponse): void => {
  const { message, finish = 'stop', last, bare } = given;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: unknown): void => void response.write(`data: ${JSON.stringify(event)}\n\n`);
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
  const paid = shape.outcome === 'again, booked' ? 1 : 0;
  const stored = shape.outcome === 'parked' || shape.outcome.startsWith('again') ? 0 : 1;
  return [
    ...(played.outcome === shape.outcome ? [] : [`expected ${shape.outcome}, got ${played.outcome}`]),
    ...(isWhole && played.text !== TEXT ? [`expected the text, got ${JSON.stringify(played.text)}`] : []),
    ...(shape.says?.test(played.reason) === false ? [`expected ${shape.says}, got "${played.reason}"`] : []),
    ...(played.booked === paid ? [] : [`expected ${paid} booked without an answer, got ${played.booked}`]),
    ...(played.stored === stored ? [] : [`expected ${stored} stored, got ${played.stored}`]),
  ];
};

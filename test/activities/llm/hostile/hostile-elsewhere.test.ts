// The other questions that are asked of endpoints, against one that does harm: for embeddings, and for its models
// before a run exists.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { asFailure, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiEmbeddingClient } from '../../../../activities/llm/embeddings/client.ts';
import { createKeyRing } from '../../../../activities/llm/transport/key-ring.ts';
import { checkEndpoint } from '../../../../client/runs/preflight.ts';
import { type Hostile, SCENARIOS, startHostile } from '../../../support/hostile/endpoint.ts';
import { leaks } from '../../../support/hostile/leaks.ts';

const KEY = 'Zq7xW2pLm9-RtK4vB8nYc3_HdF6gJs1QaE0uTi5wX';
/** Those that are asked for no stream; what is no number of embeddings is the same fault for them all. */
const NAMES = Object.entries(SCENARIOS).flatMap(([name, { stream }]) => (stream ? [] : [name]));
const FEW = NAMES.filter((name) => /^(key|somebody|endless|gzip|slow|no-|redirect|nested|utf)/.test(name));

let hostile: Hostile;
beforeAll(async () => {
  hostile = await startHostile({ harmfulModels: true });
});
afterAll(() => hostile.stop());

const failing = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it passed'),
    (error: Error) => error,
  );

const embed = (baseUrl: string, texts: readonly string[], timeoutMs: number) =>
  createOpenAiEmbeddingClient({ baseUrl, apiKey: KEY, keys: createKeyRing() }).embed(
    { texts, model: 'm', dimensions: null, timeoutMs, key: 'k' },
    new AbortController().signal,
  );

describe('asked for embeddings', () => {
  it.concurrent.each(FEW)('%s', async (name) => {
    const error = await failing(embed(hostile.url(name), ['a', 'b'], SCENARIOS[name]!.timeoutMs ?? 60_000));
    expect(error).toBeInstanceOf(ModelError);
    const { fatal } = error as ModelError;
    expect(fatal, error.message).toBe(SCENARIOS[name]!.outcome === 'refused');
    expect(leaks(inspect([error, asFailure(error as ModelError)], { depth: 20 }), KEY)).toEqual([]);
  });

  const answers = async (body: string): Promise<string> => {
    const server: Server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  };
  const list = (first: string, second: string, usage = '{}'): string =>
    `{"data": [{"index": 0, "embedding": ${first}}, {"index": 1, "embedding": ${second}}], "usage": ${usage}}`;

  it.each([
    ['vectors of two lengths', list('[1, 2]', '[1]'), /one length, got 2 and 1/],
    ['an infinite number', list('[1e999]', '[1]'), /finite numbers/],
    ['a vector without end', list(`[${'1,'.repeat(20_000)}1]`, '[1]'), /at most 16384/],
    ['vectors in vectors', list('[[1]]', '[[1]]'), /finite numbers/],
  ])('takes %s for a fault that may pass', async (_, body, says) => {
    const error = await failing(embed(await answers(body), ['a', 'b'], 60_000));
    expect(error).toMatchObject({ fatal: false, message: expect.stringMatching(says) });
  });

  it.each(['1e308', '-1', '"9"', 'null', '[9]', '900000000'])('believes no tokens where %s is said', async (said) => {
    const url = await answers(list('[1]', '[2]', `{"prompt_tokens": ${said}, "total_tokens": ${said}}`));
    expect(await embed(url, ['four', 'more'], 60_000)).toEqual({ vectors: [[1], [2]], tokens: 0 });
  });
});

describe('asked for its models before a run exists', () => {
  it.concurrent.each(FEW)('%s', async (name) => {
    const timeoutMs = SCENARIOS[name]!.timeoutMs ?? 60_000;
    const came = await checkEndpoint({ baseUrl: hostile.url(name), model: 'm', apiKey: KEY, timeoutMs }).then(
      (warnings) => warnings,
      (error: Error) => [error.message, error.stack ?? '', inspect(error, { depth: 20 })],
    );
    expect(leaks(came.join('\n'), KEY)).toEqual([]);
  });

  it('sends nobody to another host', () => {
    expect(hostile.elsewhere).toEqual([]);
  });
});

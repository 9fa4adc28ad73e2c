// What the client that ships says of a request that failed, for the books: whether it can have left, which tokens the
// endpoint named, and what came of an answer that broke off.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ChatRequest, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { failure, REQUEST } from '../../../support/models/served.ts';
import { costNothing } from '../../../../evolution/models/failures.ts';

const serverFor = async (answer: RequestListener): Promise<{ url: string; stop: () => Promise<void> }> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, stop };
};

const failureOf = async (url: string, more: Partial<ChatRequest> = {}): Promise<ModelError> => {
  const client = createOpenAiClient({ baseUrl: url, apiKey: 'key-of-this-test', timeoutMs: 20_000 });
  return failure(client.chat({ ...REQUEST, timeoutMs: 20_000, ...more }, new AbortController().signal));
};

const chunk = (fields: object): string => `data: ${JSON.stringify({ model: 'm', ...fields })}\n\n`;

it('a connection that is refused cannot have cost anything; one that is cut can', async () => {
  const { url, stop } = await serverFor((request) => request.socket.destroy());
  expect(costNothing(await failureOf(url))).toBe(false);
  await stop();
  const refused = await failureOf(url);
  expect(refused.codes).toContain('ECONNREFUSED');
  expect(costNothing(refused)).toBe(true);
});

it('an answer with usage and without choices keeps that usage, and what came', async () => {
  const { url } = await serverFor((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ usage: { prompt_tokens: 7, completion_tokens: 9 }, note: 'key-of-this-test' }));
  });
  const error = await failureOf(url);
  expect(error).toMatchObject({ status: 200, usage: { in: 7, out: 9 }, heard: expect.stringContaining('"note"') });
  expect(error.heard).not.toContain('key-of-this-test');
  expect(costNothing(error)).toBe(false);
});

it.each([
  ['that is cut', (end: () => void) => end()],
  ['that falls silent', () => undefined],
  ['that ends without a reason and a last word', null],
])('a stream %s keeps what had come, and the usage where it was named', async (_what, then) => {
  const { url } = await serverFor((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ choices: [{ index: 0, delta: { content: 'half an ' } }], usage: null }));
    const last = chunk({
      choices: [{ index: 0, delta: { content: 'answer' } }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    if (then === null) response.end(last);
    else response.write(last, () => setTimeout(() => then(() => request.socket.destroy()), 50));
  });
  const error = await failureOf(url, { stream: true, timeoutMs: 2_000 });
  expect(error).toMatchObject({ fatal: false, heard: 'half an answer', usage: { in: 3, out: 2 } });
  expect(costNothing(error)).toBe(false);
});

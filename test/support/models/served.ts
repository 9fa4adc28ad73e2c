// An endpoint of one test, which answers as the test says; requests to it, and one that must fail.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';

/** `body` is the JSON that came, null where none came. */
type Answer = (body: any, response: ServerResponse, request: IncomingMessage) => unknown;

/** Serves until the end of the test. Returns the base URL. */
export const served = async (answer: Answer): Promise<string> => {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => answer(text === '' ? null : JSON.parse(text), response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

export const json = (response: ServerResponse, status: number, body: unknown, headers: object = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const REQUEST: ChatRequest = {
  ...{ messages: [{ role: 'user', content: 'u' }], n: 1, seed: 5, model: 'm', temperature: 1, topP: 1 },
  ...{ maxTokens: 100, timeoutMs: 60_000, key: 'k-1' },
};

export const failure = async (promise: Promise<unknown>): Promise<ModelError> => {
  const error = await promise.then(
    () => null,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
};

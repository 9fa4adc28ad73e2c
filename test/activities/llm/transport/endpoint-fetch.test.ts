// How endpoints are reached: what is given up is given up at once, in every phase, and nothing of it ends the process.
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { endpointFetch, limitsFor } from '../../../../activities/llm/transport/endpoint-fetch.ts';
import { json, served } from '../../../support/models/served.ts';
import { collect } from '../../store/fixtures.ts';

const portOf = (server: Server | SocketServer): number => (server.address() as AddressInfo).port;
/** Much longer than an abort takes, and shorter than the time after which a connection is given up. */
const SOON_MS = 5_000;

test('a server that takes a connection and never lets it stand holds nobody up', async () => {
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  }).listen(0);
  onTestFinished(() => {
    server.close();
  });
  const url = `https://127.0.0.1:${portOf(server)}/v1`;
  const ask = (signal: AbortSignal) => endpointFetch({ stream: false, ...limitsFor(10) })(url, { signal });
  await expect(ask(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  expect(connections).toBe(0);
  const began = performance.now();
  const given = new AbortController();
  const asking = ask(given.signal);
  setTimeout(() => given.abort(new Error('given up')), 50);
  await expect(asking).rejects.toThrow('given up');
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});

test('a stream that is left while parts of it are there ends the connection, and not the process', async () => {
  const closed: Promise<void>[] = [];
  const server = createServer((request, response) => {
    closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices": []}\n\n'.repeat(20));
  }).listen(0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${portOf(server)}/v1`;
  // An error that nobody can catch fails the test run.
  for (let round = 0; round < 20; round += 1) {
    const answer = await endpointFetch({ stream: true, ...limitsFor(10) })(url);
    if (round % 2 === 1) await Promise.resolve();
    await answer.body!.cancel();
  }
  await Promise.all(closed);
  expect(closed).toHaveLength(20);
});

test('a proxy that refuses, and one that says nothing, are told as such, hold nobody up, and keep nobody from this machine', async () => {
  const proxy = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      if (head.includes('CONNECT refused')) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
  }).listen(0);
  onTestFinished(() => {
    proxy.close();
  });
  const local = await served((_, response) =>
    json(response, 200, { choices: [{ message: { content: 'local' }, finish_reason: 'stop' }] }),
  );
  // The environment of a process says which proxy is used, so one of its own asks.
  const asking = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../../../support/models/ask-by-proxy.ts', import.meta.url)),
      local,
      local.replace('127.0.0.1', 'localhost'),
    ],
    {
      env: {
        ...{ ...process.env, NODE_USE_ENV_PROXY: '1', no_proxy: '' },
        ...{ https_proxy: `http://127.0.0.1:${portOf(proxy)}`, http_proxy: `http://127.0.0.1:${portOf(proxy)}` },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = await collect(createInterface({ input: asking.stdout }));
  expect(lines).toEqual([
    expect.stringMatching(/^cannot be reached .*407/),
    expect.stringMatching(/^did not answer in time/),
    'local',
    'local',
  ]);
});

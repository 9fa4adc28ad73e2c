// Endpoints whose answers never end, come too slowly, break off, or grow when they are unpacked.
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { completion, delta, endlessly, events, json, type Scenario } from './answers.ts';

const MIB = 1024 * 1024;
/** Long enough for an honest answer on a busy machine, short enough for a test of what never comes. */
const SOON_MS = 1_500;

/** 64 MiB of JSON in some kilobytes. */
const bomb = (pack: (text: Buffer) => Buffer): Buffer => pack(Buffer.alloc(64 * MIB, ' '));
let gzipBomb: Buffer | null = null;
let brotliBomb: Buffer | null = null;

const dripping =
  (first: string, drop: string, everyMs: number): Scenario['answer'] =>
  async ({ socket }) => {
    socket.write(first);
    while (!socket.destroyed) {
      socket.write(drop);
      await sleep(everyMs);
    }
  };

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** No harm is done: an answer that a gateway has compressed is read like any other. */
const packed = (coding: string, pack: (text: Buffer) => Buffer): Scenario => ({
  outcome: 'answer',
  answer({ response }) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding });
    response.end(pack(Buffer.from(JSON.stringify(completion()))));
  },
});

export const BODIES: Readonly<Record<string, Scenario>> = {
  'packed-gzip': packed('gzip', (text) => gzipSync(text)),
  'packed-deflate': packed('Deflate', (text) => deflateSync(text)),
  'packed-brotli': packed('br', (text) => brotliCompressSync(text)),
  'packed-zstd': packed('zstd', (text) => zstdCompressSync(text)),
  'packed-in-no-way': packed('utf-8', (text) => text),
  'packed-constructor': packed('constructor', (text) => text),
  // The status counts, whatever becomes of the body.
  'packed-429-of-nothing': {
    outcome: 'unavailable',
    says: /answered 429/,
    answer: ({ response }) => void response.writeHead(429, { 'content-encoding': 'gzip', 'retry-after': '7' }).end(),
  },
  'packed-401-in-no-way': {
    outcome: 'refused',
    says: /answered 401.*wrong or missing key/,
    answer: ({ response }) => json(response, 401, '{"error": {"message": "no"}}', { 'content-encoding': 'none' }),
  },
  'packed-401-of-rubbish': {
    outcome: 'refused',
    says: /answered 401.*wrong or missing key/,
    answer: ({ response }) => json(response, 401, '{"error": {"message": "no"}}', { 'content-encoding': 'gzip' }),
  },
  'endless-body': {
    outcome: 'unavailable',
    says: /longer than \d+ bytes/,
    answer: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices": [{"message": {"content": "');
      return endlessly(response, 'x'.repeat(64 * 1024));
    },
  },
  'endless-spaces': {
    outcome: 'unavailable',
    answer: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      return endlessly(response, ' '.repeat(64 * 1024));
    },
  },
  'endless-error': {
    outcome: 'unavailable',
    answer: ({ response }) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      return endlessly(response, 'no '.repeat(20_000));
    },
  },
  'endless-events': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => {
      events(response);
      return endlessly(response, `data: ${JSON.stringify(delta('x'.repeat(1_000)))}\n\n`.repeat(50));
    },
  },
  'endless-line': {
    outcome: 'unavailable',
    stream: true,
    says: /one event/,
    answer: ({ response }) => {
      events(response);
      response.write('data: "');
      return endlessly(response, 'x'.repeat(64 * 1024));
    },
  },
  'endless-event': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => {
      events(response);
      return endlessly(response, 'data: 1\r\n'.repeat(5_000));
    },
  },
  'endless-comments': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => {
      events(response);
      return endlessly(response, ': still here\n\n'.repeat(5_000));
    },
  },
  'endless-headers': {
    outcome: 'unavailable',
    answer: async ({ socket }) => {
      socket.write(HEAD);
      for (let at = 0; !socket.destroyed; at++) {
        socket.write(`x-${at}: ${'y'.repeat(1_000)}\r\n`);
        await sleep(1);
      }
    },
  },
  'endless-informational': {
    outcome: 'unavailable',
    timeoutMs: SOON_MS,
    answer: dripping('HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 1),
  },
  'slow-headers': { outcome: 'unavailable', timeoutMs: SOON_MS, answer: dripping(HEAD, 'x-a: 1\r\n', 100) },
  'slow-body': {
    outcome: 'unavailable',
    timeoutMs: SOON_MS,
    says: /in time/,
    answer: dripping(`${HEAD}content-length: 1000000\r\n\r\n{"choices": [`, ' ', 20),
  },
  'slow-stream': {
    outcome: 'unavailable',
    stream: true,
    timeoutMs: SOON_MS,
    says: /in time/,
    answer: async ({ response }) => {
      const send = events(response);
      while (!response.destroyed) {
        send(delta('x'));
        await sleep(20);
      }
    },
  },
  'no-answer': { outcome: 'unavailable', timeoutMs: SOON_MS, says: /in time/, answer: () => undefined },
  'gzip-bomb': {
    outcome: 'unavailable',
    says: /longer than/,
    answer: ({ response }) => {
      gzipBomb ??= bomb((text) => gzipSync(text));
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipBomb);
    },
  },
  'brotli-bomb': {
    outcome: 'unavailable',
    says: /longer than/,
    answer: ({ response }) => {
      brotliBomb ??= bomb((text) => brotliCompressSync(text, { params: { 1: 1 } }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(brotliBomb);
    },
  },
  'gzip-of-nothing': {
    outcome: 'unavailable',
    answer: ({ response }) => json(response, 200, JSON.stringify(completion()), { 'content-encoding': 'gzip' }),
  },
  'many-encodings': {
    outcome: 'unavailable',
    answer: ({ response }) =>
      json(response, 200, JSON.stringify(completion()), { 'content-encoding': Array(50).fill('gzip').join(', ') }),
  },
  'closes-at-once': { outcome: 'unavailable', answer: ({ socket }) => void socket.destroy() },
  'closes-in-headers': { outcome: 'unavailable', answer: ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncont') },
  'closes-in-body': {
    outcome: 'unavailable',
    answer: ({ socket }) => void socket.end(`${HEAD}content-length: 500\r\n\r\n{"choices": [`),
  },
  'closes-in-chunk': {
    outcome: 'unavailable',
    answer: ({ socket }) => void socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nff\r\n{"choices": [`),
  },
  'closes-in-stream': {
    outcome: 'unavailable',
    stream: true,
    answer: async ({ response }) => {
      events(response)(delta('half'));
      await sleep(20);
      response.destroy();
    },
  },
  'length-too-short': {
    outcome: 'unavailable',
    answer: ({ socket }) => void socket.end(`${HEAD}content-length: 5\r\n\r\n${JSON.stringify(completion())}`),
  },
  'two-lengths': {
    outcome: 'unavailable',
    answer: ({ socket }) => void socket.end(`${HEAD}content-length: 5\r\ncontent-length: 50\r\n\r\n{"choices": []}`),
  },
  'no-http': { outcome: 'unavailable', answer: ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n') },
  'redirect-in-a-circle': {
    outcome: 'refused',
    says: /circle/,
    answer: ({ response, path }) => void response.writeHead(307, { location: path }).end(),
  },
  'redirect-that-drops': {
    outcome: 'refused',
    answer: ({ response, path }) => void response.writeHead(302, { location: path }).end(),
  },
  'redirect-to-file': {
    outcome: 'refused',
    answer: ({ response }) => void response.writeHead(307, { location: 'file:///etc/passwd' }).end(),
  },
  'redirect-to-nothing': { outcome: 'refused', answer: ({ response }) => void response.writeHead(308).end() },
};

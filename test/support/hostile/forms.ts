// Endpoints whose answers have no form that anybody agreed on: other encodings, other types, other statuses.
import { completion, delta, events, json, type Scenario } from './answers.ts';

const answered = (body: unknown): Scenario => ({
  outcome: 'answer',
  answer: ({ response }) => json(response, 200, body),
});
const unusable = (body: unknown, status = 200): Scenario => ({
  outcome: 'unavailable',
  answer: ({ response }) => json(response, status, body),
});
const message = (fields: object): object => completion({}, { message: fields });
const WHOLE = JSON.stringify(completion());

const bytes = (body: Buffer, type: string, outcome: Scenario['outcome'] = 'unavailable'): Scenario => ({
  outcome,
  answer: ({ response }) => void response.writeHead(200, { 'content-type': type }).end(body),
});
const status = (code: number, outcome: Scenario['outcome'] = 'unavailable'): Scenario => ({
  outcome,
  answer: ({ socket }) => void socket.end(`HTTP/1.1 ${code} X\r\ncontent-length: 0\r\n\r\n`),
});

export const FORMS: Readonly<Record<string, Scenario>> = {
  page: bytes(Buffer.from('<html><body>Welcome</body></html>'), 'text/html'),
  'json-as-text': bytes(Buffer.from(WHOLE), 'text/plain', 'answer'),
  'json-without-type': { outcome: 'answer', answer: ({ response }) => void response.end(WHOLE) },
  'utf-16': bytes(Buffer.from(WHOLE, 'utf16le'), 'application/json; charset=utf-16'),
  'latin-1': bytes(Buffer.from(WHOLE.replace('fine', 'caf\u00e9'), 'latin1'), 'application/json; charset=latin1'),
  'byte-order-mark': bytes(Buffer.from(`\ufeff${WHOLE}`), 'application/json', 'answer'),
  'cut-character': bytes(Buffer.concat([Buffer.from(WHOLE), Buffer.from([0xe2, 0x82])]), 'application/json'),
  'empty-body': bytes(Buffer.alloc(0), 'application/json'),
  'status-204': status(204),
  'status-205': status(205),
  'status-206': status(206),
  'status-304': status(304),
  'status-600': status(600),
  'status-999': status(999),
  'status-101': status(101),
  'status-418': status(418),
  'error-with-200': unusable({ error: { message: 'overloaded', code: 500 } }),
  null: unusable('null'),
  text: unusable('"choices"'),
  number: unusable('1e999'),
  list: unusable([]),
  'two-texts': unusable(`${WHOLE}${WHOLE}`),
  'json-with-comma': unusable('{"choices": [],}'),
  'json-with-nan': unusable('{"choices": [], "usage": {"prompt_tokens": NaN}}'),
  nested: unusable(`${'['.repeat(30_000)}${']'.repeat(30_000)}`),
  'nested-mappings': unusable(`{"choices": ${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`),
  'nested-error': { ...unusable(`{"error": ${'['.repeat(15_000)}${']'.repeat(15_000)}}`, 400), outcome: 'refused' },
  'million-lists': unusable(`{"choices": [${'[],'.repeat(1_000_000)}[]]}`),
  'odd-error': {
    ...unusable({ error: { message: { a: 1 }, code: { toString: 1 }, param: [], type: null } }, 400),
    outcome: 'refused',
  },
  'duplicate-keys': answered(`{"choices": [], ${WHOLE.slice(1)}`),
  'prototype-keys': answered(`{"__proto__": {"choices": 1}, "constructor": 1, ${WHOLE.slice(1)}`),
  'no-choices': unusable({ model: 'm', usage: { prompt_tokens: 5, completion_tokens: 500 } }),
  'null-choices': unusable(completion({ choices: null })),
  'mapping-choices': unusable(completion({ choices: { length: 1, 0: {} } })),
  'empty-choices': answered(completion({ choices: [] })),
  'thousand-choices': answered(completion({ choices: Array(1_000).fill({ message: { content: 'x' } }) })),
  'null-choice': answered(completion({ choices: [null] })),
  'text-choice': answered(completion({ choices: ['fine'] })),
  'null-message': answered(message(null as unknown as object)),
  'number-content': answered(message({ content: 5 })),
  'list-content': answered(message({ content: [{ type: 'text', text: 'fine' }] })),
  'null-content': answered(message({ content: null })),
  'tools-only': answered(message({ content: null, tool_calls: [{ id: 'a', type: 'function', function: {} }] })),
  'long-reasoning': {
    ...unusable(message({ content: 'x', reasoning: 'r'.repeat(10 * 1024 * 1024) })),
    says: /longer than/,
  },
  'long-model': answered(completion({ model: 'm'.repeat(100_000) })),
  'odd-model': answered(completion({ model: { toString: 1 } })),
  'no-finish-reason': answered(completion({}, { finish_reason: undefined })),
  'odd-finish-reason': answered(completion({}, { finish_reason: { a: 1 } })),
  'control-characters': answered(message({ content: 'a\u0000b\u001b[2J\u202ec' })),
  'lone-surrogates': answered(`${WHOLE.replace('fine', '\\ud800 and \\udfff')}`),
  'stream-of-nothing': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => void (events(response), response.end()),
  },
  'stream-of-odd-things': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => {
      const send = events(response);
      for (const event of [
        'null',
        '1',
        '"x"',
        '[]',
        '{"choices": {}}',
        '{"choices": [null, 1, {"index": {}, "delta": 1}]}',
      ])
        send(event);
      response.end('data: [DONE]\n\n');
    },
  },
  'stream-of-odd-indexes': {
    outcome: 'answer',
    stream: true,
    answer: ({ response }) => {
      const send = events(response);
      for (const index of [-1, 1e308, '0', null, 0.5])
        send({ choices: [{ index, delta: { content: 'x' }, finish_reason: 'stop' }] });
      response.end('data: [DONE]\n\n');
    },
  },
  'stream-of-many-answers': {
    outcome: 'unavailable',
    stream: true,
    says: /more than \d+ answers/,
    answer: ({ response }) => {
      const send = events(response);
      for (let index = 0; index < 5_000; index++) send({ choices: [{ index, delta: {}, finish_reason: 'stop' }] });
      response.end('data: [DONE]\n\n');
    },
  },
  'stream-not-ended': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ response }) => {
      events(response)(delta('half'));
      response.end();
    },
  },
  'stream-where-none-was-asked': {
    outcome: 'answer',
    answer: ({ response }) => {
      events(response)(delta('x', 'stop'));
      response.end('data: [DONE]\n\n');
    },
  },
};

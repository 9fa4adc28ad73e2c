// Endpoints that repeat the key that they were sent, in every place of an answer and written in every way.
import { completion, delta, events, json, type Scenario, type Seen } from './answers.ts';

const inError =
  (written: (key: string) => string, status = 401): Scenario['answer'] =>
  ({ key, response }) =>
    json(response, status, { error: { message: `the key ${written(key)} is wrong`, type: 'auth', code: 'bad_key' } });

const hexOf = (key: string, prefix = ''): string =>
  [...Buffer.from(key)].map((code) => prefix + code.toString(16).padStart(2, '0')).join('');

const refused = (written: (key: string) => string): Scenario => ({ outcome: 'refused', answer: inError(written) });

const asAnswer =
  (fields: (key: string) => object, choice: (key: string) => object = () => ({})): Scenario['answer'] =>
  ({ key, response }: Seen) =>
    json(response, 200, completion(fields(key), choice(key)));

const content = (text: string): object => ({ message: { role: 'assistant', content: text } });

export const ECHOES: Readonly<Record<string, Scenario>> = {
  'key-in-message': refused((key) => key),
  'key-in-upper-case': refused((key) => key.toUpperCase()),
  'key-in-base64': refused((key) => Buffer.from(key).toString('base64')),
  'key-in-base64-of-header': refused((key) => Buffer.from(`authorization: Bearer ${key}`).toString('base64')),
  'key-in-base64-shifted': refused((key) => Buffer.from(`x${key}y`).toString('base64url')),
  'key-in-hex': refused((key) => hexOf(key)),
  'key-in-hex-upper': refused((key) => hexOf(key).toUpperCase()),
  'key-percent-encoded': refused((key) => hexOf(key, '%')),
  'key-as-escapes': refused((key) => hexOf(key, '\\u00')),
  'key-as-entities': refused((key) => [...Buffer.from(key)].map((code) => `&#${code};`).join('')),
  'key-as-numbers': refused((key) => JSON.stringify([...Buffer.from(key)])),
  'key-reversed': refused((key) => [...key].reverse().join('')),
  'key-spaced-out': refused((key) => [...key].join(' ')),
  'key-line-by-line': refused((key) => [...key].join('\n')),
  'key-with-zero-width': refused((key) => [...key].join('\u200b')),
  'key-in-two-parts': refused((key) => `${key.slice(0, key.length / 2)} and then ${key.slice(key.length / 2)}`),
  'key-in-four-parts': refused((key) => (key.match(/.{1,12}/g) ?? []).join(' | ')),
  'key-start': refused((key) => `${key.slice(0, 20)}...`),
  'key-end': refused((key) => `...${key.slice(-16)}`),
  'key-middle': refused((key) => `**${key.slice(10, 26)}**`),
  'key-after-much-text': refused((key) => `${'x '.repeat(495)}${key}`),
  'key-in-fields': {
    outcome: 'refused',
    answer: ({ key, response }) =>
      json(response, 400, { error: { message: { nested: key }, type: key, code: key, param: key } }),
  },
  'key-without-shape': { outcome: 'refused', answer: ({ key, response }) => json(response, 403, [key, { a: key }]) },
  'key-in-plain-text': {
    outcome: 'unavailable',
    answer: ({ key, response }) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`Traceback: Authorization: Bearer ${key}`);
    },
  },
  'key-in-page': {
    outcome: 'unavailable',
    answer: ({ key, response }) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<html><pre>${key}</pre>${'<p>'.repeat(5_000)}`);
    },
  },
  'key-in-reason-phrase': {
    outcome: 'unavailable',
    answer: ({ key, response }) => {
      response.writeHead(503, key.slice(0, 60)).end();
    },
  },
  'key-in-headers': {
    outcome: 'refused',
    answer: ({ key, response }) =>
      json(
        response,
        401,
        { error: { message: 'no' } },
        {
          'www-authenticate': `Bearer ${key}`,
          'x-request-id': key,
          'retry-after': key,
          'set-cookie': key,
          [`x-${key}`]: 'a',
        },
      ),
  },
  'key-in-broken-json': {
    outcome: 'unavailable',
    answer: ({ key, response }) => json(response, 200, `${key} {"choices": [`),
  },
  'key-in-status-line': {
    outcome: 'unavailable',
    answer: ({ key, socket }) => {
      socket.end(`HTTP/1.1 ${key} OK\r\n\r\n`);
    },
  },
  'key-in-redirect': {
    outcome: 'refused',
    says: /another endpoint/,
    answer: ({ key, response, elsewhere }) => {
      response.writeHead(307, { location: `${elsewhere}/${key}?api_key=${key}` }).end();
    },
  },
  'key-in-redirect-user': {
    outcome: 'refused',
    answer: ({ key, response, elsewhere }) => {
      response.writeHead(308, { location: elsewhere.replace('//', `//${key}:${key}@`) }).end();
    },
  },
  'key-as-redirect-host': {
    outcome: 'refused',
    answer: ({ key, response }) => {
      response.writeHead(307, { location: `http://${key}.example/v1` }).end();
    },
  },
  'key-in-content': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => content(`def f():\n    return "${key}"\n`),
    ),
  },
  'key-in-content-base64': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => content(`KEY = "${Buffer.from(`k=${key}`).toString('base64')}"`),
    ),
  },
  'key-in-content-spaced': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => content([...key].join(', ')),
    ),
  },
  'key-in-reasoning': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => ({ message: { content: 'x', reasoning_content: `I was sent ${key}` } }),
    ),
  },
  'key-in-refusal': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => ({ message: { refusal: `not with ${key}` } }),
    ),
  },
  'key-as-model': { outcome: 'answer', answer: asAnswer((key) => ({ model: key })) },
  'key-as-finish-reason': {
    outcome: 'answer',
    answer: asAnswer(
      () => ({}),
      (key) => ({ finish_reason: key }),
    ),
  },
  'key-instead-of-answer': {
    outcome: 'unavailable',
    answer: ({ key, response }) => json(response, 200, { echo: key }),
  },
  'key-in-error-with-200': {
    outcome: 'unavailable',
    answer: ({ key, response }) => json(response, 200, { error: { message: `bad ${key}` } }),
  },
  'key-in-stream': {
    outcome: 'answer',
    stream: true,
    answer: ({ key, response }) => {
      const send = events(response);
      for (const letter of key) send(delta(letter));
      send(delta('', 'stop'));
      response.end('data: [DONE]\n\n');
    },
  },
  'key-in-stream-error': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ key, response }) => {
      events(response)({ error: { message: `overloaded by ${key}`, code: key } });
      response.end();
    },
  },
  'key-in-stream-event': {
    outcome: 'unavailable',
    stream: true,
    answer: ({ key, response }) => {
      events(response)(`{"broken": ${key}`);
      response.end();
    },
  },
  "somebody's-keys": {
    outcome: 'refused',
    answer: ({ response }) =>
      json(response, 401, {
        error: {
          message: `${OTHERS.join(' or ')} is wrong`,
        },
      }),
  },
};

/** Keys of nobody, in the shapes that providers give theirs; none of them was ever remembered. */
const OTHERS: readonly string[] = [
  `sk-proj-${'a1B2c3D4'.repeat(5)}`,
  `Bearer ${'z9Y8x7W6'.repeat(4)}`,
  `api_key=${'q1w2e3r4'.repeat(4)}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'s1g2n3a4'.repeat(4)}`,
  `http://user:${'p4ssw0rd'}@proxy.example:3128`,
];
export const OTHERS_SECRETS: readonly string[] =
  'a1B2c3D4a1B2c3D4 z9Y8x7W6z9Y8x7W6 q1w2e3r4q1w2e3r4 s1g2n3a4s1g2n3a4 p4ssw0rd'.split(' ');

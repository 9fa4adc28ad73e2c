// The question to an endpoint before a run exists, against a small server: each fault names the setting that fixes it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MissingError } from '../../../client/connect/errors.ts';
import { checkEndpoint } from '../../../client/runs/preflight.ts';

let server: Server;
let base = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, kind] = (request.url ?? '').split('/');
    const answer = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (kind === 'locked') answer(request.headers.authorization === 'Bearer good' ? 200 : 401, '{"data":[{"id":"m"}]}');
    else if (kind === 'listed') answer(200, '{"data":[{"id":"models/small"},{"id":"large"}]}');
    else if (kind === 'broken') answer(200, '<html>');
    else if (kind === 'busy') answer(503, '');
    else answer(404, '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const ask = (kind: string, model = 'm', apiKey: string | null = null) =>
  checkEndpoint({ baseUrl: `${base}/${kind}`, model, apiKey });
const failure = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it passed'),
    (error: Error) => error,
  );

describe('an endpoint', () => {
  test('that offers the model is taken, with or without a prefix', async () => {
    expect(await ask('listed', 'small')).toEqual([]);
    expect(await ask('locked', 'm', 'good')).toEqual([]);
  });
  test('that does not list it is noted, with what it has', async () => {
    expect((await ask('listed', 'lrage'))[0]).toMatch(
      /lists no model "lrage"\. Did you mean "large"\? It has models\/small, large\. Whether it answers/,
    );
  });
  test('that refuses the key names the variable, not the key', async () => {
    expect((await failure(ask('locked', 'm', 'bad-secret'))).message).toMatch(
      /does not accept the key in OPENAI_API_KEY/,
    );
    expect((await failure(ask('locked', 'm', 'bad-secret'))).message).not.toContain('bad-secret');
    expect((await failure(ask('locked'))).message).toMatch(/wants a key .*set OPENAI_API_KEY/);
  });
  test('without a list of models is taken, because the first request decides', async () => {
    expect(await ask('none')).toEqual([]);
    expect(await ask('broken')).toEqual([]);
    expect((await ask('busy'))[0]).toMatch(/answered 503/);
  });
  test('that is not there says which setting to correct', async () => {
    const error = await failure(checkEndpoint({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', apiKey: null }));
    expect(error).toBeInstanceOf(MissingError);
    expect(error.message).toMatch(/cannot be reached .*OPENAI_BASE_URL or --base-url/);
  });
});

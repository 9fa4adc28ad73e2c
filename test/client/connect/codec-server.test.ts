// The codec server before pages and people that must not ask it: it decrypts what the Temporal server keeps.
// Attempts: the page and the network.
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { readPayloadKeys } from '../../../activities/payloads/keys.ts';
import { payloadsWith } from '../../../activities/payloads/payloads.ts';
import { openCodecServer } from '../../../client/connect/codec-server.ts';
import { resolveHome } from '../../../deploy/host/home.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-codec-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const place = {
  home: resolveHome({ EVOLVE_HOME: root }),
  env: { EVOLVE_PAYLOAD_KEYS: `k1:${randomBytes(32).toString('base64')}` },
};
const UI = 'http://127.0.0.1:8233';
const TOKEN = 'a token that only the UI has';

const opened = async (more: { readonly host?: string; readonly tokenFile?: string } = {}) => {
  const server = await openCodecServer(place, { port: '0', host: '127.0.0.1', origin: [UI], ...more });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (headers: Record<string, string>, body = '{"payloads":[]}', path = '/decode'): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.once('error', reject);
      sent.end(body);
    });
};

it('answers no page whose name was made to mean this machine, be its origin left out or its own', async () => {
  const ask = await opened();
  expect(await ask({ origin: UI })).toBe(200);
  expect(await ask({ host: 'localhost:8234' })).toBe(200);
  for (const host of ['evil.example', 'evil.example:8234', 'localhost.evil.example', '127.0.0.1.evil.example', '@'])
    expect(await ask({ host })).toBe(403);
  expect(await ask({ host: 'evil.example', origin: 'http://evil.example' })).toBe(403);
  for (const origin of ['null', 'http://127.0.0.1:8233.evil.example', 'http://127.0.0.1:9000'])
    expect(await ask({ origin })).toBe(403);
});

it('takes what the Temporal UI sends, with its options behind the path', async () => {
  const ask = await opened();
  for (const path of ['/decode', '/decode/', '/decode?preserveStorageRefs=true', '/encode?x'])
    expect([path, await ask({ origin: UI }, '{"payloads":[]}', path)]).toEqual([path, 200]);
  for (const path of ['/', '/decoded', '/decode/more', '/?/decode'])
    expect([path, await ask({ origin: UI }, '{"payloads":[]}', path)]).toEqual([path, 404]);
});

it('answers a browser that asks for the Temporal UI whether it may ask, and then what it asks', async () => {
  const tokenFile = join(root, 'token-of-ui');
  writeFileSync(tokenFile, TOKEN);
  const server = await openCodecServer(place, { port: '0', host: '127.0.0.1', origin: [UI], tokenFile });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  // The UI's page names the namespace and sends JSON, so its browser asks first, and without the token.
  const ask = (method: string, headers: Record<string, string>, body?: string) =>
    fetch(`http://127.0.0.1:${port}/decode?preserveStorageRefs=true`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const wanted = 'authorization,content-type,x-namespace';
  const before = (origin: string) =>
    ask('OPTIONS', { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted });
  const may = await before(UI);
  expect([may.status, await may.text()]).toEqual([204, '']);
  expect(may.headers.get('access-control-allow-origin')).toBe(UI);
  expect(may.headers.get('access-control-allow-methods')).toContain('POST');
  expect(may.headers.get('access-control-allow-headers')).toBe(wanted);
  const other = await before('http://127.0.0.1:9999');
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);

  const { codec } = payloadsWith(readPayloadKeys(place.env, place.home.root)!, async () => false);
  const [secret] = await codec.encode([defaultPayloadConverter.toPayload({ hint: 'hexagons' })]);
  const Payloads = proto.temporal.api.common.v1.Payloads;
  const body = JSON.stringify(Payloads.toObject(Payloads.create({ payloads: [secret!] }), { bytes: String }));
  expect(body).not.toContain(Buffer.from('hexagons').toString('base64').slice(0, 8));
  const sent = { origin: UI, 'content-type': 'application/json', 'x-namespace': 'default' };
  const told = await ask('POST', { ...sent, authorization: `Bearer ${TOKEN}` }, body);
  expect([told.status, told.headers.get('access-control-allow-origin')]).toEqual([200, UI]);
  const { payloads } = Payloads.fromObject((await told.json()) as Record<string, unknown>);
  expect(payloads.map((one) => defaultPayloadConverter.fromPayload(one as never))).toEqual([{ hint: 'hexagons' }]);
  // The page can read why it was refused.
  const refused = await ask('POST', sent, body);
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, UI]);
});

it('asks for its token before it reads anything, and listens for others with one alone', async () => {
  await expect(opened({ host: '0.0.0.0' })).rejects.toThrow('--host 0.0.0.0: others reach this address');
  const tokenFile = join(root, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
  const ask = await opened({ tokenFile });
  expect(await ask({ host: 'codec.example', authorization: `Bearer ${TOKEN}` })).toBe(200);
  for (const authorization of ['', TOKEN, `Bearer ${TOKEN} `.repeat(2), 'Bearer ', `bearer ${TOKEN}`])
    expect(await ask({ authorization }, 'no JSON')).toBe(401);
});

it('refuses what is no list of payloads in words', async () => {
  const ask = await opened();
  for (const body of ['', 'null', '7', '{"payloads":[7]}', '{"payloads":{"a":1}}', '['.repeat(1e5)])
    expect(await ask({}, body)).toBeLessThan(500);
  for (const path of ['/decode/../keys', '/../payload-keys', '//decode', '/keys?/decode'])
    expect(await ask({}, '{"payloads":[]}', path)).toBe(404);
});

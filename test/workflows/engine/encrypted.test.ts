// A run whose payloads are encrypted, on a server of the test's own: what the server keeps, what the codec server makes
// of it, and what becomes of a workflow while its worker lacks the key.
import type { PayloadCodec } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parsePayloadKeys } from '../../../activities/payloads/keys.ts';
import { payloadsWith } from '../../../activities/payloads/payloads.ts';
import { openCodecServer } from '../../../client/connect/codec-server.ts';
import { readExecution } from '../../../client/temporal/execution.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

const KEY = `k1:${randomBytes(32).toString('base64')}`;
const OTHER = `k2:${randomBytes(32).toString('base64')}`;
const with_ = (entries: string) => payloadsWith(parsePayloadKeys(entries, 'the keys'), async () => true);

/** The codec of client and workers, which a test changes while they run. */
let present = with_(KEY);
const codec: PayloadCodec = {
  encode: (payloads) => present.codec.encode(payloads),
  decode: (payloads) => present.codec.decode(payloads),
};
const { ofClient, ofWorker } = with_(KEY);
const world = conductorWorld({
  payloads: {
    codec,
    ofClient: { ...ofClient, payloadCodecs: [codec] },
    ofWorker: { ...ofWorker, payloadCodecs: [codec] },
  },
});

/** All texts of a history, those in base64 as what they stand for. */
const textOf = (history: string): string =>
  history +
  [...history.matchAll(/"([A-Za-z0-9+/=]{16,})"/g)].map(([, text]) => Buffer.from(text!, 'base64')).join('\n');

const PLANTED = 'nobody else reads this';

it('the server keeps no plain text of messages and failures, and a person with the key reads them', async () => {
  const cast = world.cast(
    'sealed',
    {},
    {
      generate: () => {
        throw refusal(PLANTED);
      },
    },
  );
  const handle = await world.step(cast);
  const engine = { client: world.client, namespace: 'default' };
  await cast.asked('generate');
  await until('the step to park', 60_000, async () =>
    (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails?.includes(PLANTED),
  );
  const history = await world.history(handle);
  expect(textOf(history)).not.toContain(PLANTED);
  expect(textOf(history)).toContain('Encoded failure');
  expect((await readExecution(engine, stepWorkflowId('sealed', 1)))?.state).toBe('RUNNING');

  const home = mkdtempSync(join(tmpdir(), 'codec-'));
  const server = await openCodecServer(
    { home: resolveHome({ EVOLVE_HOME: home }), env: { EVOLVE_PAYLOAD_KEYS: KEY } },
    { port: '0', host: '127.0.0.1', origin: ['http://127.0.0.1:8233'] },
  );
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = (path: string, origin: string | null, body: unknown, method = 'POST') =>
      fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(origin === null ? {} : { origin }) },
        ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
      });
    const payloads = sealedIn(history);
    expect(payloads.length).toBeGreaterThan(5);
    const decoded = await ask('/decode', 'http://127.0.0.1:8233', { payloads });
    expect(decoded.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:8233');
    const clear = (await decoded.json()) as { payloads: { data: string }[] };
    const texts = clear.payloads.map(({ data }) => Buffer.from(data, 'base64').toString());
    expect(texts.join('\n')).toContain(PLANTED);
    const again = await ask('/encode', null, clear);
    expect(sealedIn(JSON.stringify(await again.json()))).toHaveLength(payloads.length);
    expect((await ask('/decode', 'http://127.0.0.1:8233', null, 'OPTIONS')).status).toBe(204);
    expect((await ask('/decode', 'https://elsewhere.example', { payloads })).status).toBe(403);
    expect((await ask('/decode', null, { payloads: 7 })).status).toBe(400);
    expect((await ask('/other', null, {})).status).toBe(404);
  } finally {
    server.close();
    rmSync(home, { recursive: true });
  }
});

it('a worker that lacks the key fails no workflow: its task is tried again until the key is there', async () => {
  const cast = world.cast('rotated');
  const open = cast.hold('planStep');
  const handle = await world.step(cast);
  await cast.asked('planStep');
  // The answer of this activity will be encrypted with a key that the next workflow task does not find.
  present = with_(`${OTHER}\n${KEY}`);
  const older = with_(KEY);
  const newer = present;
  const encode = newer.codec.encode;
  let lacking = 0;
  present = {
    ...newer,
    codec: {
      encode: (payloads) => encode(payloads),
      decode: async (payloads) => {
        try {
          return await (lacking < 0 ? newer : older).codec.decode(payloads);
        } catch (error) {
          lacking += 1;
          throw error;
        }
      },
    },
  };
  open();
  await until('the worker to miss the key', 60_000, async () => lacking > 0);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  lacking = Number.NEGATIVE_INFINITY;
  expect(await handle.result()).toMatchObject({ step: 1 });
  present = with_(KEY);
});

type Sealed = { readonly metadata: { readonly encoding: string }; readonly data: string };

/** Payloads as they are in a history's JSON. */
const sealedIn = (history: string): readonly Sealed[] => {
  const found: Sealed[] = [];
  JSON.parse(history, (_key, value: unknown) => {
    const { metadata, data } = (value ?? {}) as Partial<Sealed>;
    if (metadata?.encoding === Buffer.from('binary/encrypted').toString('base64') && data !== undefined)
      found.push(value as Sealed);
    return value;
  });
  return found;
};

// A Temporal server that is reached by TLS alone, with a certificate of the client and an API key, as a profile names
// them: workers, commands and `evolve up` come through the same door, and are told what is wrong with their settings.
import { Client } from '@temporalio/client';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { resolveHome } from '../../../deploy/host/home.ts';
import { externalTemporal, temporalOptions } from '../../../deploy/servers/external-servers.ts';
import { temporalEnvironment } from '../../../deploy/supervisor/children.ts';
import { connectEngine, registerSearchAttributes } from '../../../workers/process/connect.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';
import { startTlsProxy, tlsFile, type TlsProxy } from '../../support/machine/tls-proxy.ts';

const KEY = 'key-of-a-test';
let server: TemporalServer;
let proxy: TlsProxy;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evolve-tls-'));
  server = await startTemporal(['--namespace', 'lab']);
  proxy = await startTlsProxy(server.address, KEY);
});
afterAll(async () => {
  await proxy?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The environment of a shell whose profile `lab` is this. */
const profile = (changed: { readonly [name: string]: string | null } = {}): NodeJS.ProcessEnv => {
  const tls = {
    server_name: 'temporal.example',
    server_ca_cert_path: tlsFile('authority.pem'),
    client_cert_path: tlsFile('client.pem'),
    client_key_path: tlsFile('client-key.pem'),
  };
  const top = { address: proxy.address, namespace: 'lab', api_key: KEY };
  const lines = (settings: object): string =>
    Object.entries({ ...settings, ...Object.fromEntries(Object.entries(changed).filter(([name]) => name in settings)) })
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
      .join('');
  const file = join(folder, 'temporal.toml');
  writeFileSync(file, `[profile.lab]\n${lines(top)}[profile.lab.tls]\n${lines(tls)}`);
  return { TEMPORAL_PROFILE: 'lab', TEMPORAL_CONFIG_FILE: file };
};

const NAMES = ['TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_ADDRESS'];
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
afterEach(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

it('workers, commands and `evolve up` go through it with the profile of the shell', async () => {
  const env = profile();
  const temporal = await externalTemporal(env);
  expect(temporal).toMatchObject({ address: proxy.address, namespace: 'lab', external: true });

  // What the supervisor hands on is all that a worker knows.
  Object.assign(process.env, temporalEnvironment(temporal, env));
  const engine = await connectEngine();
  try {
    expect(engine.namespace).toBe('lab');
    await registerSearchAttributes(engine.connection, engine.namespace);
    // The native connection is the one that workers poll with.
    for (const connection of [engine.native, engine.connection])
      expect((await new Client({ connection, namespace: 'lab' }).workflow.count()).count).toBe(0);
  } finally {
    await engine.connection.close();
    await engine.native.close();
  }
  expect(await temporalOptions(resolveHome({ EVOLVE_HOME: folder }), temporal, env)).toMatchObject({
    address: proxy.address,
    apiKey: KEY,
    tls: { serverNameOverride: 'temporal.example' },
  });
  expect([...proxy.namespaces]).toEqual(['lab']);
});

it.each([
  ['no authority', { server_ca_cert_path: null }, /its certificate is not accepted: name the certificate/],
  ['another name', { server_name: 'other.example' }, /its certificate is not accepted: .*TEMPORAL_TLS_SERVER_NAME/],
  [
    'no certificate of the client',
    { client_cert_path: null, client_key_path: null },
    /does not accept the certificate of this client, or wants one: .*TEMPORAL_TLS_CLIENT_CERT_PATH/,
  ],
  ['another key', { api_key: 'revoked' }, /does not accept the API key: .*TEMPORAL_API_KEY/],
  ['no key', { api_key: null }, /does not accept the API key: .*TEMPORAL_API_KEY/],
])('%s is told with what to change', async (_name, changed, message) => {
  await expect(externalTemporal(profile(changed))).rejects.toThrow(message);
});

// Servers of the user's own that are there and cannot be used: each is told with what to do, and nothing is written.
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlain, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { checkEndpoint } from '../../../client/runs/preflight.ts';
import {
  checkExternalDatabase,
  checkTemporal,
  externalTemporal,
  patienceWith,
} from '../../../deploy/servers/external-servers.ts';
import { hostAndPort } from '../../../deploy/servers/server-faults.ts';
import { grpcServer } from '../../support/engine/grpc-server.ts';
import { type Answers, playDatabase } from '../../support/machine/played-database.ts';
import { tlsFile } from '../../support/machine/tls-proxy.ts';

/** Selecting a server ends after this time; the driver looks again meanwhile. */
const PATIENCE_MS = 1_500;

const playing = async (answers: (port: number) => Answers): Promise<number> => {
  const database = await playDatabase(answers);
  onTestFinished(() => database.stop());
  return database.port;
};
const WIRE = { minWireVersion: 0, maxWireVersion: 21, ok: 1 };
const ping = { ok: 1 };

test('a replica set without a primary, and a member of it that is asked directly', async () => {
  const port = await playing((own) => ({
    hello: { ...WIRE, isWritablePrimary: false, secondary: true, setName: 'rs', hosts: [`127.0.0.1:${own}`] },
    ping,
  }));
  await expect(
    checkExternalDatabase(`mongodb://127.0.0.1:${port}/?replicaSet=rs`, { timeoutMs: PATIENCE_MS }),
  ).rejects.toThrow(/the replica set rs has no primary that answers: start the members that are down/);
  await expect(
    checkExternalDatabase(`mongodb://127.0.0.1:${port}/?directConnection=true`, { timeoutMs: PATIENCE_MS }),
  ).rejects.toThrow(/takes no writes: it is a member of the replica set rs and not its primary; .*replicaSet=rs/);
});

test('a namespace that is not there, and one of which nothing may be asked', async () => {
  let answer = { code: 5, message: 'Namespace lab is not found.' };
  const { address } = await grpcServer((method) => (method === 'DescribeNamespace' ? answer : null));
  const named = () => externalTemporal({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'lab' });
  await expect(named()).rejects.toThrow(
    /has no namespace lab: make it \(temporal operator namespace create --namespace lab --retention 720h\), or name another one in TEMPORAL_NAMESPACE or the profile/,
  );
  answer = { code: 7, message: 'Request unauthorized.' };
  expect(await named()).toMatchObject({ address, namespace: 'lab' });
});

test('a database that is read-only, and a user who may only read', async () => {
  const hello = { ...WIRE, isWritablePrimary: true };
  const status = (actions: readonly string[], db = '') => ({
    authInfo: {
      authenticatedUsers: [{ user: 'reader' }],
      authenticatedUserPrivileges: [{ resource: { db, collection: '' }, actions }],
    },
    ok: 1,
  });
  const check = async (answers: Answers): Promise<void> =>
    checkExternalDatabase(`mongodb://127.0.0.1:${await playing(() => answers)}/`);
  await expect(check({ hello: { ...hello, readOnly: true }, ping })).rejects.toThrow(
    /takes no writes: it is read-only/,
  );
  await expect(check({ hello, ping, connectionStatus: status(['find']) })).rejects.toThrow(
    /takes no writes of user reader: it may only read; give it the role readWrite/,
  );
  await expect(check({ hello, ping, connectionStatus: status(['find', 'insert'], 'evolve') })).rejects.toThrow(
    /takes no writes of user reader in durable_evolve: .*give it the role readWrite on the database durable_evolve/,
  );
  await check({ hello, ping, connectionStatus: status(['find', 'insert'], 'durable_evolve') });
  await check({ hello, ping, connectionStatus: status(['find', 'insert']) });
  // A server that does not know the command.
  await check({ hello, ping });
});

test('a database that wants another password, or one at all', async () => {
  const hello = { ...WIRE, isWritablePrimary: true };
  const refused = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
  const port = await playing(() => ({ hello, ping, saslStart: refused }));
  await expect(checkExternalDatabase(`mongodb://ann:geheim@127.0.0.1:${port}/`)).rejects.toThrow(
    /Authentication failed.*it does not accept this user and password: correct them in MONGODB_URI .*runs wait meanwhile/,
  );
  // Such a server tells anybody who it is, and nothing of what it keeps.
  const unknown = { authInfo: { authenticatedUsers: [], authenticatedUserPrivileges: [] }, ok: 1 };
  const find = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'command find requires authentication' };
  const closed = await playing(() => ({ hello, ping, connectionStatus: unknown, find }));
  await expect(checkExternalDatabase(`mongodb://127.0.0.1:${closed}/`)).rejects.toThrow(
    /asks for a user and password: name one in MONGODB_URI that has the role readWrite on the database durable_evolve/,
  );
});

test('a certificate that nobody trusts, of a Temporal server and of a database', async () => {
  const { tls: port } = await doors();
  await expect(checkTemporal({ address: `127.0.0.1:${port}`, tls: {} }, 'or not')).rejects.toThrow(
    /its certificate is not accepted: .*TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  );
  await expect(
    checkExternalDatabase(`mongodb://127.0.0.1:${port}/?tls=true`, { timeoutMs: PATIENCE_MS }),
  ).rejects.toThrow(/its certificate is not accepted: .*tlsCAFile/);
});

/** A port that speaks TLS, and two that do not: one says something else, one ends the connection. */
const doors = async (host = '127.0.0.1') => {
  const pem = { key: readFileSync(tlsFile('key.pem')), cert: readFileSync(tlsFile('cert.pem')) };
  const open = async (server: Server): Promise<number> => {
    server.on('tlsClientError', () => undefined).listen(0, host);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  };
  const answering = (answer: string) =>
    open(createPlain((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer))));
  return {
    tls: await open(
      createServer({ ...pem, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => socket.on('error', () => undefined)),
    ),
    plain: [await answering('HTTP/1.1 400 Bad Request\r\n\r\n'), await answering('')],
  };
};

test('TLS on the port without it, and none on the port with it: the setting is named', async () => {
  const { tls, plain } = await doors();
  const temporal = (port: number, withTls: boolean) =>
    checkTemporal({ address: `127.0.0.1:${port}`, ...(withTls ? { tls: true } : {}) }, 'or not', PATIENCE_MS);
  const database = (port: number, query: string) =>
    checkExternalDatabase(`mongodb://127.0.0.1:${port}/${query}`, { timeoutMs: PATIENCE_MS });
  await expect(temporal(tls, false)).rejects.toThrow(/it speaks TLS there: set TEMPORAL_TLS=true/);
  await expect(database(tls, '')).rejects.toThrow(/it speaks TLS there: add tls=true to MONGODB_URI/);
  for (const port of plain) {
    await expect(temporal(port, true)).rejects.toThrow(/it does not speak TLS there: leave TLS out .*TEMPORAL_TLS/);
    await expect(database(port, '?tls=true')).rejects.toThrow(/it does not speak TLS there: leave tls=true out/);
  }
});

test('TLS at an endpoint: the scheme that fits is named, and whose certificate is not known', async () => {
  const { tls, plain } = await doors();
  const asked = (baseUrl: string) => checkEndpoint({ baseUrl, model: 'm', apiKey: null, timeoutMs: PATIENCE_MS });
  await expect(asked(`http://127.0.0.1:${tls}/v1`)).rejects.toThrow(/: it speaks TLS: write https:\/\/ for http:/);
  for (const port of plain)
    await expect(asked(`https://127.0.0.1:${port}/v1`)).rejects.toThrow(
      /: it does not speak TLS: write http:\/\/ for https:/,
    );
  await expect(asked(`https://127.0.0.1:${tls}/v1`)).rejects.toThrow(
    /signed by nobody whom this process knows: name the file of its authority in NODE_EXTRA_CA_CERTS, and run `evolve up`/,
  );
});

test('an address of IPv6 stands in brackets, and its server is asked', async () => {
  for (const [address, host, port] of [
    ['[::1]:7233', '::1', 7233],
    ['[fe80::1]', 'fe80::1', 7233],
    ['temporal:1', 'temporal', 1],
    [':99', 'localhost', 99],
    ['temporal', 'temporal', 7233],
  ] as const)
    expect(hostAndPort(address)).toEqual({ host, port });
  const { plain } = await doors('::1');
  expect(await patienceWith(`[::1]:${plain[0]}`)).toBe(30_000);
  expect(await patienceWith('[::1]:1')).toBe(5_000);
  await expect(checkTemporal({ address: `[::1]:${plain[0]}`, tls: true }, 'or not', PATIENCE_MS)).rejects.toThrow(
    /it does not speak TLS there/,
  );
});

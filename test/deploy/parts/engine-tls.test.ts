// A Docker engine on another machine is asked by TLS, with the certificate that Docker's own variables name: whoever
// reaches an engine without it has that machine.
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectDocker } from '../../../activities/sandbox/launchers/docker-connection.ts';
import { connectEngine } from '../../../deploy/images/evaluator/engine.ts';
import {
  canAsk,
  dockerEnvironment,
  engineAnswers,
  engineSilence,
} from '../../../deploy/parts/docker/engine-address.ts';
import { tlsFile } from '../../support/machine/tls-proxy.ts';

test('an engine behind TLS is asked with our certificate, and a missing one is named', async () => {
  const [cert, key] = [readFileSync(tlsFile('engine.pem')), readFileSync(tlsFile('engine-key.pem'))];
  const server = createServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true }, (_, response) =>
    response.setHeader('content-type', 'application/json').end('{"NCPU":3}'),
  );
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'evolve-engine-tls-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    server.closeAllConnections();
    server.close();
  });
  copyFileSync(tlsFile('engine.pem'), join(folder, 'ca.pem'));
  copyFileSync(tlsFile('engine.pem'), join(folder, 'cert.pem'));
  const host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { DOCKER_HOST: host, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
  // What a worker is told is all that it needs.
  const told = dockerEnvironment(host, { ...env, OTHER: 'x' });
  expect(told).toEqual(env);
  expect(dockerEnvironment(null, env)).toEqual({});
  for (const [name, value] of Object.entries(told)) vi.stubEnv(name, value);

  expect(canAsk(host)).toBe(true);
  expect(await engineSilence(host)).toBe(
    'DOCKER_CERT_PATH: expected a folder with ca.pem, cert.pem and key.pem, got ENOENT at key.pem',
  );
  copyFileSync(tlsFile('engine-key.pem'), join(folder, 'key.pem'));
  expect(await engineAnswers(host)).toBe(true);
  for (const docker of [connectDocker(host), connectEngine(host)]) expect(await docker.info()).toEqual({ NCPU: 3 });
  // Nobody is let in without it.
  vi.stubEnv('DOCKER_CERT_PATH', '');
  expect(await engineAnswers(host)).toBe(false);
});

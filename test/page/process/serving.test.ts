// The process of the page itself, over a home in which nothing is up.
// Attempts: the page and the network.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { answeringPage, pageText, servedPage } from '../../../client/connect/page-address.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { pageTokenFile } from '../../../deploy/host/page-token.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { isHealthy, reportedPort } from '../../../deploy/supervisor/health.ts';
import { diagnose } from '../../../deploy/stack/diagnose.ts';
import { pageChild, pageProcess } from '../../../deploy/supervisor/page-child.ts';
import { type Parts, refOf } from '../../../deploy/supervisor/plan.ts';
import { serverOf } from '../../../page/server/serve.ts';
import { until } from '../../support/machine/home.ts';

const TOKEN = 'a token of many characters';
const OURS = { 'x-evolve-page': '1' };

const started = async (more: NodeJS.ProcessEnv = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-serving-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const { file, args, env } = pageProcess(
    { port: '0', tokenFile },
    {
      ...{ PATH, EVOLVE_HOME: folder, EVOLVE_PAGE_JSON: '1' },
      ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
      ...more,
    },
  );
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, ...(JSON.parse(line) as { url: string; pid: number }) };
  throw new Error('the page ended before it was ready');
};

/** What a server answers to bytes that no client of HTTP would send. */
const raw = (url: string, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => (said += text));
    socket.on('end', () => resolve(said)).on('error', reject);
  });

it('answers as a browser expects it, and stays small', async () => {
  const { url, pid } = await started();
  const stranger = await fetch(`${url}/api/v1/site`, { headers: OURS });
  expect([stranger.status, stranger.headers.get('content-type')]).toEqual([401, 'application/json']);
  expect(stranger.headers.get('content-security-policy')).toContain("default-src 'none'");

  const bearer = { ...OURS, authorization: `Bearer ${TOKEN}` };
  const session = await fetch(`${url}/api/v1/session`, { method: 'POST', headers: bearer });
  const known = ((await session.json()) as { session: string }).session;
  const site = await fetch(`${url}/api/v1/site`, { headers: { ...OURS, authorization: `Bearer ${known}` } });
  expect(site.headers.get('cache-control')).toBe('no-store');
  expect(await site.json()).toMatchObject({ readOnly: null, exported: null });

  const away = await fetch(`${url}/api/v1/overview`, { headers: bearer });
  expect(away.status).toBe(503);
  expect(await away.json()).toMatchObject({ error: { kind: 'away' } });

  const json = { ...bearer, 'content-type': 'application/json' };
  const act = (init: RequestInit): Promise<Response> =>
    fetch(`${url}/api/v1/runs/demo/pause`, { method: 'POST', headers: json, ...init });
  expect(await (await act({ body: '{' })).json()).toMatchObject({
    error: { message: 'expected one JSON object as the body' },
  });
  expect((await act({ body: `"${'x'.repeat(12 * 2 ** 20)}"` }).catch(() => ({ status: 413 }))).status).toBe(413);
  const unknownLength =
    'POST /api/v1/runs/demo/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(await raw(url, unknownLength)).toContain(' 411 ');
  expect(await raw(url, 'GET http://elsewhere/api/site HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')).toContain(' 400 ');
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/api/v1/live`, { method: 'HEAD', headers: bearer })).status).toBe(405);

  // Whoever follows gets the first bytes at once, although nothing happens.
  const live = await fetch(`${url}/api/v1/live`, { headers: bearer });
  const reader = live.body!.getReader();
  expect(live.headers.get('content-type')).toBe('text/event-stream');
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('retry: ');
  await reader.cancel();

  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
  expect(resident).toBeLessThan(160);
});

it('lets nobody keep a connection whose answers are not read', async () => {
  const app = new Hono();
  app.get('/large', (c) => c.body(new Uint8Array(32 * 2 ** 20)));
  app.get('/slow', async (c) => {
    await sleep(1_500);
    return c.text('late');
  });
  const server = serverOf(app, { patience: { headers: 10_000, request: 60_000, unread: 500 } });
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const stalled = connect(port, '127.0.0.1', () => stalled.write('GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
  stalled.on('error', () => undefined);
  onTestFinished(() => void stalled.destroy());
  const held = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  await until('the connection to be there', 10_000, async () => (await held()) === 1);
  await until('the connection to be ended', 30_000, async () => (await held()) === 0);
  // An answer that takes its time is no such thing.
  expect(await (await fetch(`http://127.0.0.1:${port}/slow`)).text()).toBe('late');
});

it('asks for its token where `evolve up` starts it with one, and counts as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-of-up-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  const home = resolveHome({ EVOLVE_HOME: folder, EVOLVE_PARTS: resolveHome(process.env).parts });
  const taken = (await findFreePort())!;
  const parts: Parts = {
    temporal: { address: '127.0.0.1:1', namespace: 'default', ui: null, external: false },
    database: { uri: 'mongodb://127.0.0.1:1', kind: 'secantusdb', version: null, external: false },
    ...{ docker: { host: null, kind: 'none', level: 'docker' }, image: { id: null } },
    page: { tokenFile: pageTokenFile({ EVOLVE_PAGE_TOKEN_FILE: tokenFile })! },
  };
  const planned = () => pageChild({ home, parts, ports: { page: taken }, env: process.env });
  const { file, args, env, cwd, health, role } = planned();
  // Somebody took the port since it was chosen.
  const stranger = createServer((_, response) => response.end('{"home":{"id":"another"}}'));
  await new Promise<void>((go) => stranger.listen(taken, '127.0.0.1', go));
  const log = join(folder, 'log');
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', openSync(log, 'a'), 'ignore'] });
  onTestFinished(() => {
    stranger.close();
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await until('the page to be well', 60_000, () => isHealthy(health, { pid: child.pid!, log }));
  const port = reportedPort({ pid: child.pid!, log })!;
  expect([port > 0, port === taken]).toEqual([true, false]);
  const site = (headers: object) => fetch(`http://127.0.0.1:${port}/api/v1/site`, { headers: { ...OURS, ...headers } });
  expect((await site({})).status).toBe(401);
  expect((await site({ authorization: `Bearer ${TOKEN}` })).status).toBe(200);

  // Commands say where it is, and not the token.
  const { pid, identity } = refOf(child.pid!);
  const page = { name: 'page', pid, identity, port, log: '', role, healthy: true, restarts: 0, optional: true };
  const up = { ...parts, home: folder, startedAt: '', plan: '', supervisor: {}, processes: [page] };
  writeFileSync(home.upFile, JSON.stringify(up));
  expect(pageText(servedPage({ home })!)).toBe(
    `http://127.0.0.1:${port} (with #token=<what is in ${tokenFile}> behind it)`,
  );
  // An address counts where this home's page answers, and not a stranger's.
  expect(await answeringPage({ home }, 0)).toMatchObject({ url: `http://127.0.0.1:${port}` });
  writeFileSync(home.upFile, JSON.stringify({ ...up, processes: [{ ...page, port: taken }] }));
  expect(await answeringPage({ home }, 0)).toBeNull();
  const doctor = (await diagnose(home)).find(({ part }) => part === 'page')!;
  expect([doctor.ok, doctor.detail]).toEqual([false, expect.stringContaining('does not answer as the page of')]);

  // Another token is another page, which the next `up` starts.
  expect(planned().role).toBe(role);
  writeFileSync(tokenFile, `${TOKEN}, another one`);
  expect(planned().role).not.toBe(role);
});

it('a file for a token that others can read, or that holds none, is refused before anything starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string, text: string, mode: number): NodeJS.ProcessEnv => {
    writeFileSync(join(folder, name), text, { mode });
    return { EVOLVE_PAGE_TOKEN_FILE: join(folder, name) };
  };
  expect(() => pageTokenFile(at('open', TOKEN, 0o644))).toThrow(
    /^EVOLVE_PAGE_TOKEN_FILE: expected a file that nobody but you can read, got \S+ with mode 644: chmod 600/,
  );
  expect(() => pageTokenFile(at('short', 'short', 0o600))).toThrow(/expected at least 16 characters in \S+, got 5$/);
  expect(() => pageTokenFile({ EVOLVE_PAGE_TOKEN_FILE: folder })).toThrow(/cannot be read \(it is no regular file\)/);
  expect(() => pageTokenFile({ EVOLVE_PAGE_TOKEN_FILE: join(folder, 'none') })).toThrow(/cannot be read \(ENOENT/);
  expect(pageTokenFile({})).toBeNull();
});

// The process of the page itself, over a home in which nothing is up: what it sends without Node's own Request and
// Response, and that it stays small.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { pageProcess } from '../../../deploy/supervisor/page-child.ts';

const TOKEN = 'a token of many characters';
const OURS = { 'x-evolve-page': '1' };

const started = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-serving-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const { file, args, env } = pageProcess(
    { port: '0', tokenFile },
    { PATH, EVOLVE_HOME: folder, EVOLVE_PAGE_JSON: '1', ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) },
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
  const stranger = await fetch(`${url}/api/site`, { headers: OURS });
  expect([stranger.status, stranger.headers.get('content-type')]).toEqual([401, 'application/json']);
  expect(stranger.headers.get('content-security-policy')).toContain("default-src 'none'");

  const bearer = { ...OURS, authorization: `Bearer ${TOKEN}` };
  const session = await fetch(`${url}/api/session`, { method: 'POST', headers: bearer });
  expect(session.status).toBe(204);
  const cookie = session.headers.getSetCookie()[0]!.split(';')[0]!;
  const site = await fetch(`${url}/api/site`, { headers: { ...OURS, cookie } });
  expect(site.headers.get('cache-control')).toBe('no-store');
  expect(await site.json()).toMatchObject({ readOnly: null, exported: null });

  const away = await fetch(`${url}/api/overview`, { headers: bearer });
  expect(away.status).toBe(503);
  expect(await away.json()).toMatchObject({ error: { kind: 'away' } });

  const json = { ...bearer, 'content-type': 'application/json' };
  const act = (init: RequestInit): Promise<Response> =>
    fetch(`${url}/api/actions/pause`, { method: 'POST', headers: json, ...init });
  expect(await (await act({ body: '{' })).json()).toMatchObject({
    error: { message: 'expected one JSON object as the body' },
  });
  expect((await act({ body: `"${'x'.repeat(12 * 2 ** 20)}"` }).catch(() => ({ status: 413 }))).status).toBe(413);
  const unknownLength = 'POST /api/actions/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(await raw(url, unknownLength)).toContain(' 411 ');
  expect(await raw(url, 'GET http://elsewhere/api/site HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')).toContain(' 400 ');
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/api/live`, { method: 'HEAD', headers: bearer })).status).toBe(405);

  // Whoever follows gets the first bytes at once, although nothing happens.
  const live = await fetch(`${url}/api/live`, { headers: bearer });
  const reader = live.body!.getReader();
  expect(live.headers.get('content-type')).toBe('text/event-stream');
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('retry: ');
  await reader.cancel();

  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
  expect(resident).toBeLessThan(110);
});

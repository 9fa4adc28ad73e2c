// Notices of runs: told once, whichever of several workers looks, over failures and restarts, and signed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Notice } from '../../../activities/store/documents/installation-documents.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import { noticesState } from '../../../client/doctor/diagnose-parts.ts';
import { readDestination, secretsOfDestination } from '../../../deploy/host/notify.ts';
import { Notifier } from '../../../workers/notices/notifier.ts';
import { send, webhookHeaders } from '../../../workers/notices/send.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const SECRET = Buffer.alloc(24, 7);
const folder = mkdtempSync(join(tmpdir(), 'evolve-notices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const START = Date.parse('2026-11-23T10:00:00Z');
const DESTINATION = { kind: 'webhook', url: 'https://pager.example/hook', secret: null } as const;

/** A store with open runs, and workers that share it. */
const world = async (runs: readonly string[], events: readonly ('attention' | 'ended')[] = ['attention', 'ended']) => {
  const collections = memoryCollections();
  const store = storeOver(collections);
  const { config } = runDocument();
  for (const run of runs)
    await store.createRun({
      ...{ run, config: { ...config, notify: { events: [...events] } }, taskDigest: 't', evaluatorDigest: 'e' },
      ...{ createdAt: new Date(START), offlineModel: true },
    });
  const sent: Notice[] = [];
  const fails = { now: false };
  const worker = () =>
    new Notifier({
      ...{ store, destination: () => DESTINATION, ui: () => null },
      redact: (text) => text.replaceAll('sk-secret', '[key removed]'),
      sending: async (_to, notice) => {
        if (fails.now) throw new Error('no answer (ECONNREFUSED) sk-secret');
        sent.push(notice);
      },
    });
  return { store, collections, sent, fails, worker };
};
const at = (seconds: number): number => START + 1000 * seconds;
const park = (store: Store, run: string, seconds: number, next: string | null) =>
  store.setStatus(run, 'needs attention', {
    reason: 'generate: Refused: the key sk-secret is not known',
    parked: { since: new Date(START + 1000 * seconds).toISOString(), tries: 1, next, trying: false },
  });
const end = (store: Store, run: string, seconds: number) =>
  store.setStatus(run, 'finished', { stopReason: 'steps reached', endedAt: new Date(START + 1000 * seconds) });

describe('notices of runs', () => {
  it('are sent once, by whichever worker looks, and hold no key', async () => {
    const { store, sent, worker } = await world(['old', 'a', 'b']);
    await end(store, 'old', -10);
    const workers = [worker(), worker()];
    const look = (seconds: number) => Promise.all(workers.map((one) => one.look(at(seconds))));
    await look(0);
    await park(store, 'a', 5, null);
    await park(store, 'b', 5, new Date(START + 35_000).toISOString());
    await look(6);
    expect(sent.map(({ name, event }) => `${name} ${event}`)).toEqual(['a attention']);
    expect(sent[0]!.text).toMatch(/^Run a needs attention: .*\[key removed\].*Parked since .*waits for a person/);
    // A phase that tries again by itself is told of only when a minute has not helped.
    await look(66);
    // Other phases that were parked meanwhile are told already.
    await park(store, 'b', 40, null);
    await look(70);
    await end(store, 'a', 80);
    await look(85);
    workers.push(worker());
    await look(90);
    expect(sent.slice(1).map(({ name, event }) => `${name} ${event}`)).toEqual(['b attention', 'a ended']);
    await park(store, 'b', 100, null);
    await look(101);
    expect(sent.at(-1)).toMatchObject({ name: 'b', event: 'attention', kind: 'run', task: expect.any(String) });
    expect(sent).toHaveLength(4);
  });

  it('are of the events that the run names', async () => {
    const { store, sent, worker } = await world(['a'], ['ended']);
    const one = worker();
    await one.look(at(0));
    await park(store, 'a', 1, null);
    await one.look(at(2));
    await end(store, 'a', 3);
    await one.look(at(4));
    expect(sent.map(({ event }) => event)).toEqual(['ended']);
  });

  it('are tried again after a failure, with pauses, by another worker where the first is gone', async () => {
    const { store, sent, fails, worker } = await world(['a']);
    const [first, second] = [worker(), worker()];
    await first.look(at(0));
    await end(store, 'a', 1);
    fails.now = true;
    await first.look(at(2));
    const [open] = await store.listNotices({ state: 'open' });
    expect(open).toMatchObject({ error: 'webhook: no answer (ECONNREFUSED) [key removed]', attempts: 1 });
    writeFileSync(join(folder, 'notify.json'), JSON.stringify({ webhook: { url: DESTINATION.url } }));
    const place = { home: { root: folder }, env: {} } as Parameters<typeof noticesState>[0];
    expect(await noticesState(place, () => store.listNotices({}))).toMatchObject({
      ok: false,
      detail:
        'webhook at pager.example, without a signature; 0 sent, 1 not; the last one: webhook: no answer (ECONNREFUSED) [key removed]',
    });
    await second.look(at(3));
    await first.look(at(10));
    expect((await store.listNotices({}))[0]!.attempts).toBe(1);
    fails.now = false;
    // The first is gone.
    await second.look(at(20));
    await second.look(at(200));
    expect(sent.map(({ id }) => id)).toEqual([open!._id]);
    expect((await store.listNotices({}))[0]).toMatchObject({ state: 'sent', attempts: 2, error: null });
  });

  // Attempt: the page and the network.
  it('call nobody and draw no link in a chat, whatever an endpoint says', async () => {
    const { store, sent, worker } = await world(['a', 'b']);
    const one = worker();
    await one.look(at(0));
    const reason =
      'Refused: <!channel> <https://evil.example|your page> [log in](https://evil.example)\u202e @everyone';
    for (const [run, said] of [
      ['a', reason],
      ['b', 'wake @here'],
    ] as const)
      await store.setStatus(run, 'stopped', { stopReason: said, endedAt: new Date(START + 1000) });
    await one.look(at(2));
    const [first, second] = sent.map(({ text }) => text).sort();
    // What stands in code is drawn as it is, and angle brackets are what services read even there.
    expect(first).toMatch(/\(stopped: `[^`<>\u202e]*@everyone`\)/);
    expect(second).toMatch(/\(stopped: `wake @here`\)/);
    expect(sent.find(({ name }) => name === 'a')).toMatchObject({ reason });
  });

  // Attempt: the page and the network.
  it('of others are sent where one run cannot be read, which is said', async () => {
    const { store, collections, sent, worker } = await world(['a', 'b', 'c']);
    const one = worker();
    await one.look(at(0));
    await store.setStatus('a', 'stopped', { endedAt: new Date(START + 1000) });
    await collections.runs.update('a', {}, { $set: { stopReason: 7 as never } });
    await end(store, 'b', 1);
    await store.setStatus('c', 'needs attention', {
      reason: 'x',
      parked: { since: 'yesterday', tries: 1, next: null, trying: false },
    });
    await expect(one.look(at(2))).rejects.toThrow(/^run a cannot be read \(/);
    expect(sent.map(({ name }) => name)).toEqual(['b']);
  });

  it('of a sweep are one when it ends, and none of its runs', async () => {
    const { store, sent, worker } = await world([]);
    const { config } = runDocument();
    await store.createRun({
      ...{ run: 's-1', config, taskDigest: 't', evaluatorDigest: 'e', createdAt: new Date(START) },
      ...{ offlineModel: true, sweep: 's' },
    });
    await store.putSweep({
      ...{ _id: 's', run: 's', spec: {}, groups: [{}], status: 'running', stopReason: null, decisions: [] },
      ...{ runs: [{ run: 's-1', group: 0, seed: 1, repetition: 0 }], createdAt: new Date(START), endedAt: null },
    } as unknown as Parameters<Store['putSweep']>[0]);
    const one = worker();
    await one.look(at(0));
    await end(store, 's-1', 1);
    await store.setSweep('s', { status: 'finished', endedAt: new Date(START + 2000) });
    await one.look(at(3));
    expect(sent.map(({ text }) => text)).toEqual([
      'Sweep s has ended (finished) with 1 runs. What came of it: npx evolve sweep report s',
    ]);
  });
});

describe('where notices go', () => {
  const notice: Notice = { id: 'n', event: 'ended', kind: 'run', name: 'a', at: 'x', text: 'Run a has ended' };

  it('is a webhook that checks the signature, and a program that reads JSON', async () => {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.writeHead(request.url === '/gone' ? 410 : 204).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await send({ kind: 'webhook', url: `${base}/in`, secret: SECRET }, notice);
      const { headers, body } = got[0]!;
      expect(JSON.parse(body)).toEqual(notice);
      expect(headers).toMatchObject(webhookHeaders('n', body, SECRET, Number(headers['webhook-timestamp'])));
      expect(headers).toMatchObject({ 'idempotency-key': 'n', 'webhook-id': 'n' });
      await expect(send({ kind: 'webhook', url: `${base}/gone`, secret: null }, notice)).rejects.toThrow(
        'expected an answer from 200 to 299, got 410',
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
    const to = join(folder, 'told');
    const program =
      'require("fs").writeFileSync(process.argv[1], require("fs").readFileSync(0, "utf8") + Object.keys(process.env))';
    await send({ kind: 'command', command: [process.execPath, '-e', program, to] }, notice);
    const [line, environment] = readFileSync(to, 'utf8').split('\n');
    expect(JSON.parse(line!)).toEqual(notice);
    expect(environment!.split(',')).not.toContain('EVOLVE_HOME');
    expect(environment).toContain('EVOLVE_NOTICE');
    await expect(
      send({ kind: 'command', command: [process.execPath, '-e', 'console.error("no line"); process.exit(3)'] }, notice),
    ).rejects.toThrow('the program ended with code 3: no line');
  });

  it('is signed as the example of Standard Webhooks is', () => {
    const body = '{"event_type":"ping","data":{"success":true}}';
    const secret = Buffer.from('plJ3nmyCDGBKInavdOK15jsl', 'base64');
    expect(webhookHeaders('msg_loFOjxBNrRLzqYUf', body, secret, 1_731_705_121)['webhook-signature']).toBe(
      'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    );
  });

  it('is read with one clear error, which holds no secret', () => {
    const file = join(folder, 'given.json');
    const read = (content: unknown) => {
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return readDestination(folder, { EVOLVE_NOTIFY_FILE: file });
    };
    const secret = SECRET.toString('base64');
    expect(read({ webhook: { url: 'https://a.b/c', secret: `whsec_${secret}` } })).toEqual({
      ...{ kind: 'webhook', url: 'https://a.b/c', secret: SECRET },
    });
    const hook = 'https://hooks.example/T0123456789/B0123456789abcdefgh';
    read({ webhook: { url: hook, secret } });
    expect(secretsOfDestination(folder, { EVOLVE_NOTIFY_FILE: file })).toEqual(
      expect.arrayContaining([hook, secret, 'B0123456789abcdefgh']),
    );
    for (const [content, error] of [
      ['{"webhook": sk-1', 'expected JSON, got a text that is none'],
      [{}, 'expected webhook or command, got neither'],
      [{ webhook: { url: 'https://a' }, command: ['/bin/true'] }, 'expected webhook or command, got both'],
      [{ webhok: {} }, 'expected the keys webhook, command, got "webhok"'],
      [{ webhook: { url: 'ftp://a' } }, 'webhook.url: expected an address that begins with https:// or http://'],
      [{ webhook: { url: 'https://me:hunter-2@a' } }, /webhook\.url: expected an address without user (?!.*hunter)/],
      [{ webhook: { url: 'https://a', secret: 'c2hvcnQ=' } }, 'webhook.secret: expected at least 16 bytes in base64'],
      [{ command: ['notify-me'] }, 'command: expected a list that begins with the absolute path of a program'],
    ] as const)
      expect(() => read(content)).toThrow(error);
    expect(() => readDestination(folder, { EVOLVE_NOTIFY_FILE: join(folder, 'none') })).toThrow('got none');
    expect(readDestination(join(folder, 'empty'), {})).toBeNull();
  });
});

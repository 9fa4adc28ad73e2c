// What one visitor may take of the page's server, and that the others go on: guesses of the token, searches, pages that
// follow, connections.
// Attempts: the page and the network.
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FairLimit } from '../../../page/server/access/fair-limit.ts';
import { type Connected, networkOf } from '../../../page/server/access/visitor.ts';
import { WrongTokens } from '../../../page/server/access/wrong-tokens.ts';
import { savedPages, type Write } from '../../../page/server/routes/saved-page.ts';
import { createApp } from '../../../page/server/app.ts';
import { serverOf } from '../../../page/server/serve.ts';
import { pageFolder } from '../../../page/server/rows/row-files.ts';
import { readInTurns } from '../../../page/server/site/site.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { until } from '../../support/machine/home.ts';
import { answersOver, grown, ownSite } from '../../support/page/in-tests.ts';

const TOKEN = 'a token of many characters';

/** Asks as somebody at this address does. */
const asker = async (token: string | null) => {
  const app = createApp(ownSite(await grown(1)), {}, { token, readOnly: null });
  return (path: string, from: { address: string; bearer?: string; forwarded?: string }, init: RequestInit = {}) => {
    const headers = {
      ...{ 'x-evolve-page': '1', host: '127.0.0.1:8235' },
      ...(from.bearer === undefined ? {} : { authorization: `Bearer ${from.bearer}` }),
      ...(from.forwarded === undefined ? {} : { 'x-forwarded-for': from.forwarded }),
    };
    return app.request(`/api/v1/${path}`, { ...init, headers }, { address: from.address });
  };
};

describe('wrong tokens', () => {
  const world = async () => {
    const ask = await asker(TOKEN);
    return async (from: Parameters<typeof ask>[1]) => (await ask('session', from, { method: 'POST' })).status;
  };

  test('are slowed for the address that they come from, and for no other', async () => {
    const show = await world();
    const [stranger, other] = ['203.0.113.7', '203.0.113.8'];
    for (let n = 0; n < 10; n += 1) expect(await show({ address: stranger, bearer: `guess ${n}` })).toBe(401);
    expect(await show({ address: stranger, bearer: 'guess 10' })).toBe(429);
    // Else the guesses would go on: what is refused is not looked at.
    expect(await show({ address: stranger, bearer: TOKEN })).toBe(429);
    expect(await show({ address: other, bearer: TOKEN })).toBe(200);
  });

  test('keep nobody out who is known already, nor count pages whose session has ended', async () => {
    const ask = await asker(TOKEN);
    const address = '203.0.113.7';
    const opened = await ask('session', { address, bearer: TOKEN }, { method: 'POST' });
    const { session } = (await opened.json()) as { session: string };
    const ended = `${Date.now() - 1}.${'0'.repeat(64)}`;
    for (let n = 0; n < 30; n += 1) expect((await ask('site', { address, bearer: ended })).status).toBe(401);
    for (let n = 0; n < 30; n += 1) expect((await ask('site', { address })).status).toBe(401);
    expect((await ask('site', { address, bearer: TOKEN })).status).toBe(200);
    for (let n = 0; n < 10; n += 1) await ask('site', { address, bearer: `guess ${n}` });
    const refused = await ask('site', { address, bearer: 'another guess' });
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringMatching(/try again in \d+ s/)]);
    expect((await ask('site', { address, bearer: session })).status).toBe(200);
  });

  test('count for the address that a proxy on this machine names, where only the last name is believed', async () => {
    const show = await world();
    const through = (forwarded: string, bearer: string) => show({ address: '127.0.0.1', forwarded, bearer });
    for (let n = 0; n < 10; n += 1) await through(`198.51.100.${n}, 203.0.113.7`, `guess ${n}`);
    expect(await through('203.0.113.7', TOKEN)).toBe(429);
    expect(await through('203.0.113.8', TOKEN)).toBe(200);
    // Nobody else is believed.
    for (let n = 0; n < 10; n += 1) await show({ address: '203.0.113.9', forwarded: `203.0.113.${n}`, bearer: 'x' });
    expect(await show({ address: '203.0.113.9', forwarded: '203.0.113.1', bearer: TOKEN })).toBe(429);
    // Whoever invents addresses behind a proxy that passes them on is slowed down all the same.
    const invented = [];
    for (let n = 0; n < 100; n += 1) invented.push(await through(`198.51.100.${n}`, `guess ${n}`));
    expect(invented).toContain(429);
  });

  test('are counted by the address of the connection', async () => {
    const server = serverOf(createApp(ownSite(memoryStore()), {}, { token: TOKEN, readOnly: null })).listen(
      0,
      '0.0.0.0',
    );
    await once(server, 'listening');
    onTestFinished(() => void (server.closeAllConnections(), server.close()));
    const { port } = server.address() as AddressInfo;
    const show = async (localAddress: string, bearer: string): Promise<number> => {
      const headers = { 'x-evolve-page': '1', authorization: `Bearer ${bearer}` };
      const asked = request({
        port,
        host: '127.0.0.1',
        localAddress,
        path: '/api/v1/session',
        method: 'POST',
        headers,
      });
      const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode!;
    };
    for (let n = 0; n < 10; n += 1) expect(await show('127.0.0.2', `guess ${n}`)).toBe(401);
    expect(await show('127.0.0.2', TOKEN)).toBe(429);
    expect(await show('127.0.0.3', TOKEN)).toBe(200);
  });

  test('are forgotten with time, and addresses without end take no memory without end', () => {
    let nowMs = 0;
    const wrong = new WrongTokens(() => nowMs);
    const visitor = { peer: '203.0.113.7', address: '203.0.113.7' };
    for (let n = 0; n < 10; n += 1) wrong.note(visitor);
    expect(wrong.waitSeconds(visitor)).toBe(10);
    nowMs = 9_000;
    expect(wrong.waitSeconds(visitor)).toBe(1);
    nowMs = 10_000;
    expect(wrong.waitSeconds(visitor)).toBe(0);
    wrong.note(visitor);
    expect(wrong.waitSeconds(visitor)).toBe(10);
    for (let n = 0; n < 20_000; n += 1) wrong.note({ peer: `address ${n}`, address: `address ${n}` });
    // The oldest had to go.
    expect(wrong.waitSeconds(visitor)).toBe(0);
  });

  test('of one customer count together, whatever address of his network he takes', () => {
    expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(networkOf('::1')).toBe('127.0.0.1');
    expect(networkOf('2001:db8:0:7::1')).toBe(networkOf('2001:db8::7:1:2:3:4'));
    expect(networkOf('2001:db8:0:7::1')).not.toBe(networkOf('2001:db8:0:8::1'));
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0');
    expect(networkOf('::')).toBe('0:0:0:0');
  });
});

describe('what all share', () => {
  const holder = (address: string, session = '') => ({ address, session });

  test('goes from whoever has the most to whoever comes with less, the oldest first', () => {
    const limit = new FairLimit(3);
    const givenUp: string[] = [];
    const take = (name: string, ...who: Parameters<typeof holder>) =>
      limit.take(holder(...who), () => givenUp.push(name));
    const first = take('first', 'a');
    for (const name of ['second', 'third']) expect(take(name, 'a')).not.toBeNull();
    expect(take('fourth', 'a')).toBeNull();
    expect(take('of b', 'b')).not.toBeNull();
    expect(givenUp).toEqual(['first']);
    // Now a has two and b has one: b would have more with another one.
    expect(take('second of b', 'b')).toBeNull();
    expect(take('of c', 'c')).not.toBeNull();
    expect(take('of d', 'd')).toBeNull();
    expect(givenUp).toEqual(['first', 'second']);
    // What was given up is no longer there to be given back.
    first!();
    expect(take('of d', 'd')).toBeNull();
  });

  test('goes from session to session in the same way where all have one address', () => {
    const limit = new FairLimit(3);
    const givenUp: string[] = [];
    for (const name of ['first', 'second', 'third']) limit.take(holder('proxy', 'greedy'), () => givenUp.push(name));
    expect(limit.take(holder('proxy', 'modest'), () => undefined)).not.toBeNull();
    expect(limit.take(holder('proxy', 'greedy'), () => undefined)).toBeNull();
    expect(givenUp).toEqual(['first']);
  });

  test('are pages that follow: 200 of one visitor keep no other one from following', async () => {
    const ask = await asker(null);
    const follow = (address: string) => ask('live', { address });
    const open = [];
    for (let n = 0; n < 200; n += 1) open.push(await follow('203.0.113.7'));
    expect((await follow('203.0.113.7')).status).toBe(403);
    const other = await follow('203.0.113.8');
    expect(other.status).toBe(200);
    // The oldest of the many has ended.
    const reader = open[0]!.body!.getReader();
    await expect(reader.read()).rejects.toThrow(/others asked/);
    await Promise.all([...open.slice(1), other].map(({ body }) => body!.cancel()));
    expect((await follow('203.0.113.7')).status).toBe(200);
  });

  test('are searches: 16 of one visitor that nobody reads keep no other one from searching', async () => {
    const ask = await asker(null);
    const search = (address: string) => ask('runs/demo/search?q=x', { address });
    for (let n = 0; n < 16; n += 1) expect((await search('203.0.113.7')).status).toBe(200);
    expect((await search('203.0.113.7')).status).toBe(429);
    const other = await search('203.0.113.8');
    expect(other.status).toBe(200);
    expect(await other.text()).toContain('"kind":"end"');
  });

  describe('are pages that are saved:', () => {
    const world = async (write: Write) => {
      const { app, site } = answersOver(await grown(1), [savedPages(write)]);
      const left = () => readdirSync(join(pageFolder(site.place.home), 'saved'));
      const save = async (address: string, whenGone: Connected['whenGone'] = () => undefined) =>
        app.request('/runs/demo/export', {}, { address, whenGone });
      return { app, save, left };
    };
    /** Writes until it is ended, and leaves a part behind as a process that is killed does. */
    const endless =
      (begun: () => void, ended: () => void): Write =>
      (_, { file, signal }) =>
        new Promise((_resolve, reject) => {
          writeFileSync(`${file}.part`, 'a part');
          signal.addEventListener('abort', () => {
            ended();
            reject(new Error('ended'));
          });
          begun();
        });

    test('two of one visitor, which may take half an hour, keep no other one from saving', async () => {
      let begun = 0;
      const { save, left } = await world(async (place, order) => {
        begun += 1;
        if (begun === 3) return writeFileSync(order.file, 'a page');
        return endless(
          () => undefined,
          () => undefined,
        )(place, order);
      });
      const first = save('203.0.113.7');
      await until('the first one', 10_000, () => begun === 1);
      let gone: () => void = () => undefined;
      const second = save('203.0.113.7', (then) => (gone = then));
      await until('the second one', 10_000, () => begun === 2);
      expect((await save('203.0.113.7')).status).toBe(429);
      expect(await (await save('203.0.113.8')).text()).toBe('a page');
      expect((await first).status).toBe(429);
      gone();
      expect((await second).status).toBe(500);
      expect(left()).toEqual([]);
    });

    test('says how far it is as long as it is written, to whoever knows its ticket', async () => {
      let end: () => void = () => undefined;
      let begun = false;
      const { app } = await world(async (_, { file, tell }) => {
        tell({ done: 3, of: 20 });
        begun = true;
        await new Promise<void>((go) => (end = go));
        writeFileSync(file, 'a page');
      });
      const far = async (ticket: string): Promise<unknown> => (await app.request(`/runs/demo/export/${ticket}`)).json();
      const saved = app.request('/runs/demo/export?ticket=0123456789ab');
      await until('the writing', 10_000, () => begun);
      expect([await far('0123456789ab'), await far('another')]).toEqual([{ done: 3, of: 20 }, null]);
      end();
      expect(await (await saved).text()).toBe('a page');
      expect(await far('0123456789ab')).toBeNull();
      expect((await app.request('/runs/demo/export?ticket=__proto__')).status).toBe(400);
    });

    test('whoever goes away ends it, and nothing of it stays on the disk', async () => {
      let [begun, ended] = [0, 0];
      const { app, left } = await world(
        endless(
          () => (begun += 1),
          () => (ended += 1),
        ),
      );
      const server = serverOf(app).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const asked = request({ port, host: '127.0.0.1', path: '/runs/demo/export' }).end();
      asked.on('error', () => undefined);
      await until('the writing', 10_000, () => begun === 1);
      asked.destroy();
      await until('its end', 10_000, () => ended === 1 && left().length === 0);
    });
  });

  test('is the memory of threads that read large runs: two are read at once, however many are asked for', async () => {
    let [now, most, read] = [0, 0, 0];
    const one = readInTurns(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((done) => setImmediate(done));
      now -= 1;
      read += 1;
      if (read === 3) throw new Error('a thread that failed');
    });
    const asked = Array.from({ length: 40 }, (_, run) => one(`run-${run}`, 'base', () => undefined));
    const failed = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
    expect([most, read, failed.length]).toEqual([2, 40, 1]);
  });

  test('are connections: whoever opens all of them keeps out nobody at another address', async () => {
    const app = new Hono();
    app.get('/', (c) => c.text('here'));
    const patience = { headers: 60_000, request: 60_000, unread: 60_000 };
    const server = serverOf(app, { patience, mostConnections: 20 });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    onTestFinished(() => void (server.closeAllConnections(), server.close()));
    const { port } = server.address() as AddressInfo;
    const open = (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    for (let n = 0; n < 20; n += 1) await once(open('127.0.0.1'), 'connect');
    const other = open('127.0.0.2');
    other.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    const [said] = (await once(other, 'data')) as [Buffer];
    expect(said.toString()).toContain('200 OK');
  });
});

test('the papers of more runs than anybody compares are refused before one is read', async () => {
  const ask = await asker(null);
  const names = Array.from({ length: 61 }, (_, n) => `run-${n}`).join(',');
  const refused = await ask(`papers?runs=${names}`, { address: '203.0.113.7' });
  expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('at most 60 runs')]);
});

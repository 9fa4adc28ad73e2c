// Who may ask the page's server, what is refused, and what those are told who follow a run.
// Attempts: the page and the network.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { LiveEvent } from '../../../page/api/site/live.ts';
import type { Access } from '../../../page/server/access/gate.ts';
import { listeningOf } from '../../../page/server/access/options.ts';
import { commitOf, grow } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { asPage, eventsIn, OURS, ownFolder } from '../../support/page/in-tests.ts';

const TOKEN = 'a token of many characters';

const world = (access: Access = { token: null, readOnly: null }) => {
  const collections = memoryCollections();
  const store = storeOver(collections);
  const ask = asPage(store, access);
  const said = async (...asked: Parameters<typeof ask>) => {
    const response = await ask(...asked);
    return [
      response.status,
      ((await response.json()) as { error?: { message: string } }).error?.message ?? '',
    ] as const;
  };
  return { ask, said, store, collections };
};

/** Reads events until `enough`; fails with the test's own time limit. */
const listen = async (response: Response, enough: (events: readonly LiveEvent[]) => boolean) => {
  const events: LiveEvent[] = [];
  for await (const event of eventsIn(response)) {
    events.push(event);
    if (enough(events)) break;
  }
  return events;
};
const has =
  (...kinds: readonly LiveEvent['kind'][]) =>
  (events: readonly LiveEvent[]): boolean =>
    kinds.every((kind) => events.some((event) => event.kind === kind));

it('answers no page whose name was made to mean this machine, and none of another origin', async () => {
  const { said, ask } = world();
  expect((await said('/api/v1/site', { ...OURS, host: 'evil.example' }))[0]).toBe(403);
  expect(await said('/api/v1/site', { host: OURS.host })).toEqual([
    403,
    'expected the header x-evolve-page, with any value',
  ]);
  expect((await said('/api/v1/site', { ...OURS, origin: 'http://evil.example' }))[0]).toBe(403);
  expect((await said('/api/v1/live', { ...OURS, 'sec-fetch-site': 'cross-site' }))[0]).toBe(403);
  expect((await said('/api/v1/live', { host: OURS.host }))[0]).toBe(403);
  const answer = await ask('/api/v1/site', {
    ...OURS,
    origin: 'http://127.0.0.1:8235',
    'sec-fetch-site': 'same-origin',
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it('is framed by pages of this machine, and of the site that is named', async () => {
  const framedBy = async (env: NodeJS.ProcessEnv): Promise<string | undefined> =>
    (await world(listeningOf(env)).ask('/api/v1/site', OURS)).headers
      .get('content-security-policy')
      ?.split('frame-ancestors ')[1];
  expect(await framedBy({})).toBe('http://127.0.0.1:* http://localhost:*');
  const named = await framedBy({ EVOLVE_PAGE_FRAME: 'https://lab.example' });
  expect(named).toBe('http://127.0.0.1:* http://localhost:* https://lab.example');
  for (const wrong of ['lab.example', 'https://lab.example/', '*', "https://a.example; script-src 'self'"])
    expect(() => listeningOf({ EVOLVE_PAGE_FRAME: wrong })).toThrow(
      /^--frame: expected an origin such as https:\/\/lab\.example, got "/,
    );
});

it('knows its own origin behind a proxy that leaves out the port, and no other name or port', async () => {
  const { said } = world({ token: TOKEN, readOnly: null });
  const from = async (host: string, origin: string, more: object = {}): Promise<number> =>
    (await said('/api/v1/site', { ...OURS, authorization: `Bearer ${TOKEN}`, host, origin, ...more }))[0];
  expect(await from('lab.example', 'https://lab.example:8443')).toBe(200);
  expect(await from('lab.example', 'https://evil.example:8443')).toBe(403);
  expect(await from('lab.example', 'https://evil-lab.example')).toBe(403);
  expect(await from('lab.example', 'null')).toBe(403);
  expect(await from('lab.example:8235', 'https://lab.example:8443')).toBe(403);
  expect(await from('lab.example', 'https://lab.example:8443', { 'sec-fetch-site': 'same-site' })).toBe(403);
  // Whoever is on another port of this name knows no session.
  const stranger = { host: 'lab.example', origin: 'https://lab.example:9999' };
  expect((await said('/api/v1/site', { ...OURS, ...stranger }))[0]).toBe(401);
  // Without a token every port of this machine counts.
  const own = world();
  const other = { ...OURS, host: '127.0.0.1', origin: 'http://127.0.0.1:9999' };
  expect((await own.said('/api/v1/site', other))[0]).toBe(403);
});

it('asks for its token once, and then knows the page for a week by what tells nobody the token', async () => {
  const { said, ask } = world({ token: TOKEN, readOnly: 'only to look at' });
  const elsewhere = { ...OURS, host: 'lab.example:8235' };
  const wanted = expect.stringMatching(/ Authorization: Bearer <token>$/);
  expect(await said('/api/v1/site', elsewhere)).toEqual([401, wanted]);
  expect(await said('/api/v1/site', { host: OURS.host })).toEqual([403, wanted]);
  expect((await said(`/api/v1/site?token=${TOKEN}`, elsewhere))[0]).toBe(401);
  const wrong = await said('/api/v1/session', { ...elsewhere, authorization: 'Bearer another' }, { method: 'POST' });
  expect(wrong[0]).toBe(401);
  const given = await ask('/api/v1/session', { ...elsewhere, authorization: `Bearer ${TOKEN}` }, { method: 'POST' });
  // Browsers would send a cookie to every port of this host.
  expect(given.headers.get('set-cookie')).toBeNull();
  const { session } = (await given.json()) as { session: string };
  expect(session).not.toContain(TOKEN);
  const known = async (text: string): Promise<boolean> =>
    (await ask('/api/v1/site', { ...elsewhere, authorization: `Bearer ${text}` })).status === 200;
  expect(await known(session)).toBe(true);
  const [end, seal] = session.split('.') as [string, string];
  expect(await known(`${Number(end) + 1}.${seal}`)).toBe(false);
  vi.useFakeTimers({ now: Number(end) + 1, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await known(session)).toBe(false);
  expect(
    await said('/api/v1/runs/demo/pause', { ...elsewhere, authorization: `Bearer ${TOKEN}` }, { method: 'POST' }),
  ).toEqual([403, 'only to look at']);
});

it('listens where others reach it only with a token, and then shows only, unless it is told otherwise', () => {
  const file = join(ownFolder(), 'token');
  writeFileSync(file, TOKEN);
  expect(listeningOf({})).toEqual({ host: '127.0.0.1', port: null, token: null, readOnly: null });
  expect(() => listeningOf({ EVOLVE_PAGE_HOST: '0.0.0.0' })).toThrow(/--token-file/);
  const reached = { EVOLVE_PAGE_HOST: '0.0.0.0', EVOLVE_PAGE_TOKEN_FILE: file };
  expect(listeningOf(reached)).toMatchObject({ token: TOKEN, readOnly: expect.stringContaining('only shows') });
  expect(listeningOf({ ...reached, EVOLVE_PAGE_ALLOW_ACTIONS: '1' }).readOnly).toBeNull();
  expect(listeningOf({ EVOLVE_PAGE_READ_ONLY: '1' }).readOnly).not.toBeNull();
  chmodSync(file, 0o644);
  expect(() => listeningOf(reached, { ownOnly: true })).toThrow(/nobody but you can read/);
  writeFileSync(file, 'short');
  expect(() => listeningOf(reached)).toThrow(/at least 16 characters/);
  expect(() => listeningOf({ EVOLVE_PAGE_PORT: '70000' })).toThrow(/0 to 65535/);
});

it('refuses with a sentence what it does not know', async () => {
  const { said, store } = world();
  await grow(store, 'demo', 1);
  expect(await said('/api/v1/runs/A%20b/columns')).toEqual([400, expect.stringContaining('id of a run')]);
  expect(await said('/api/v1/runs/demo/columns?page=1')).toEqual([400, 'expected set, from or lineage, got page']);
  expect(await said('/api/v1/runs/demo/columns?set=all')).toEqual([
    400,
    'set: expected base, features, paid, evaluated, got all',
  ]);
  expect(await said('/api/v1/runs/demo/columns?from=-1')).toEqual([400, 'from: expected the number of a row, got -1']);
  expect((await said('/api/v1/runs/demos/columns'))[0]).toBe(404);
  expect((await said('/api/v1/live?run=demos'))[0]).toBe(404);
  expect(await said('/api/v1/runs/demo/export?programs=best')).toEqual([
    400,
    'programs: expected all, none or best:<n> such as best:100, got best',
  ]);
  expect(await said('/api/v1/runs/demo/export?to=/tmp')).toEqual([400, 'expected programs or ticket, got to']);
  expect((await said('/api/v1/runs/demos/export'))[0]).toBe(404);
  expect((await said('/api/v1/site', OURS, { method: 'DELETE' }))[0]).toBe(405);
});

it('tells of commits, of a rewind, and of a database that is away and back', async () => {
  const { ask, store, collections } = world();
  await grow(store, 'demo', 1);
  const follow = () => ask('/api/v1/live?run=demo');
  const first = listen(await follow(), (events) => events.some((event) => event.kind === 'rows' && event.rows > 5));
  // The first look has been told of when the run is named.
  await listen(await follow(), has('run'));
  await store.commit(commitOf('demo', 2, await store.openStep('demo', 2, 'w')));
  expect(await first).toContainEqual({ kind: 'rows', run: 'demo', rows: 9, lineage: expect.any(String) });

  const rewound = listen(await follow(), has('run', 'again'));
  await listen(await follow(), has('run'));
  await store.openStep('demo', 1, 'rewind');
  expect((await rewound).filter(({ kind }) => kind === 'again')).toHaveLength(1);

  const get = collections.runs.get.bind(collections.runs);
  const away = listen(await follow(), has('run', 'away'));
  await listen(await follow(), has('run'));
  collections.runs.get = () => Promise.reject(Object.assign(new Error('no server'), { name: 'MongoNetworkError' }));
  expect(await away).toContainEqual({ kind: 'away', why: expect.stringContaining('The database does not answer.') });
  const back = listen(await ((collections.runs.get = get), follow()), has('run'));
  expect((await back).length).toBeGreaterThan(0);
});

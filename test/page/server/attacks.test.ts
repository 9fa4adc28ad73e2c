// Attacks on the page's server: other pages of the browser, other people on the machine, and whoever sends too much. Each
// was tried against it, and stays refused.
// Attempts: the page and the network.
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import { createPageFile } from '../../../page/export/page-file.ts';
import { exportPage } from '../../../page/export/export-page.ts';
import { sharedAnswers } from '../../../page/server/access/shared-answers.ts';
import { createActor } from '../../../page/server/actions/actor.ts';
import { searchAnswers } from '../../../page/server/routes/search.ts';
import { timeAnswers } from '../../../page/server/routes/time.ts';
import { createApp } from '../../../page/server/app.ts';
import { refusalOf } from '../../../page/server/site/site.ts';
import { config, newRun } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { answersOver, asPage, grown, HOST, OURS, ownFolder, ownSite } from '../../support/page/in-tests.ts';

describe('another page of the browser', () => {
  test.each([
    ['a name that begins like this machine', { host: '127.0.0.1.evil.example:8235' }],
    ['a name that ends like this machine', { host: 'evil.localhost:8235' }],
    ['the address of all interfaces', { host: '0.0.0.0:8235' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:9999' }],
    ['another port, without an origin', { 'sec-fetch-site': 'same-site' }],
    ['an origin that cannot be read', { origin: '::' }],
    ['a proxy on this machine, which passes on what others ask', { 'x-forwarded-for': '203.0.113.7' }],
  ])('is refused: %s', async (_, headers) => {
    const ask = asPage(memoryStore());
    for (const path of ['/api/v1/site', '/api/v1/live', '/api/v1/overview'])
      expect([path, (await ask(path, { ...OURS, ...headers })).status]).toEqual([path, 403]);
    const action = { ...OURS, 'content-type': 'application/json', ...headers };
    expect((await ask('/api/v1/runs/demo/pause', action, { method: 'POST', body: '{}' })).status).toBe(403);
  });
});

test.each([
  '/api/v1/runs/..%2f..%2fetc%2fpasswd/overview',
  '/api/v1/runs/demo%00/overview',
  `/api/v1/runs/${'a'.repeat(10_000)}/overview`,
  '/api/v1/runs/demo/columns?set=__proto__',
  '/api/v1/runs/demo/programs/__proto__',
  `/api/v1/runs/demo/programs/${'1'.repeat(10_000)}`,
  ...'/api/v1/runs/demo/told/1e9 /api/v1/sweeps/__proto__ /api/v1/../../etc/passwd /__proto__ /page.js%00'.split(' '),
])('an address that is none is refused in words: %s', async (path) => {
  const response = await asPage(await grown(1))(path);
  expect([400, 404]).toContain(response.status);
  expect(((await response.json()) as { error: { message: string } }).error.message).not.toBe('');
});

test('asking for no more than the head of an event stream keeps nobody else from following', async () => {
  const ask = asPage(await grown(1));
  for (let one = 0; one < 201; one += 1)
    expect((await ask('/api/v1/live?run=demo', OURS, { method: 'HEAD' })).status).toBe(405);
  const followed = await ask('/api/v1/live?run=demo');
  expect(followed.status).toBe(200);
  await followed.body?.cancel();
});

test('settings that are nested without end are refused before anything reads them', async () => {
  const deep = 100_000;
  const body = `{"request":"12345678","settings":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`;
  const headers = { ...OURS, 'content-type': 'application/json' };
  const response = await asPage(memoryStore())('/api/v1/runs', headers, { method: 'POST', body });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('at most 40 levels deep');
});

test('what this installation offers is made once, however many ask', async () => {
  let orders = 0;
  let end: (value: unknown) => void = () => undefined;
  const actor = createActor(ownSite(memoryStore()).place, () => {
    orders += 1;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const asked = Array.from({ length: 50 }, () => actor.form('place'));
  end('the answer');
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['the answer']));
  expect(orders).toBe(1);
  void actor.form('place');
  expect(orders).toBe(2);
});

test('searches that nobody reads are limited, and one that is given up makes room', async () => {
  const { get } = answersOver(await grown(1), [searchAnswers]);
  const search = () => get('search?q=x');
  const open = [];
  for (let one = 0; one < 16; one += 1) open.push(await search());
  const refused = await search();
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('at most 16 searches');
  await open[0]!.body!.cancel();
  const next = await search();
  expect(next.status).toBe(200);
  expect(await next.text()).toContain('"kind":"end"');
  expect((await search()).status).toBe(200);
});

test('the times of more steps than anybody looks at wait in no endless queue', async () => {
  const run = { ...(await (await grown(1)).readRun('demo'))!, committedStep: 100 };
  let fail: (error: Error) => void = () => undefined;
  const held = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const store: Partial<Store> = {
    readRun: async () => run,
    eachStep: () => ({ [Symbol.asyncIterator]: () => ({ next: () => held }) }),
  };
  const { get } = answersOver(store as Store, [timeAnswers]);
  const asked = Array.from({ length: 25 }, async (_, step) => get(`time/${step}`));
  const last = await asked.at(-1)!;
  expect(last.status).toBe(429);
  fail(new Error('the step is gone'));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toEqual([...Array<number>(20).fill(500), ...Array<number>(5).fill(429)]);
});

test('an answer that breaks off while it is made leaves nobody who asks the same waiting', async () => {
  const app = new Hono();
  app.onError((error, c) => c.json(...refusalOf(error)));
  app.use(sharedAnswers());
  app.get('/torn', (c) => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('torn')) });
    return c.body(body, 200, { 'Content-Type': 'application/json' });
  });
  expect((await app.request('/torn')).status).toBe(500);
  expect((await app.request('/torn')).status).toBe(500);
});

const KEY = 'sk-a1b2c3d4e5f6a7b8c9d0';

test('a key in an address of an old run is in no answer about it', async () => {
  const store = memoryStore();
  const model = { ...config().model, kind: 'openai' as const, name: 'm' };
  const addresses = [`https://me:${KEY}@host/v1`, `https://host/v1?api_key=${KEY}`, `https://host/${KEY}/v1`];
  await store.createRun({
    ...newRun('demo'),
    config: {
      ...config(),
      model: { ...model, baseUrl: addresses[0]! },
      models: addresses.map((baseUrl, index) => ({ ...model, name: `m${index}`, baseUrl })),
    } as ReturnType<typeof config>,
  });
  const site = ownSite(store);
  const app = createApp(site, {});
  const routes = app.routes.flatMap(({ method, path }) =>
    method === 'GET' && path.startsWith('/api/v1/') && !/live|search|forms|watch/.test(path)
      ? [path.replace(':run', 'demo').replace(/:\w+/, '0')]
      : [],
  );
  expect(routes.length).toBeGreaterThan(20);
  for (const path of new Set(routes)) {
    const response = await app.request(`http://${HOST}${path}`, { headers: OURS });
    expect([path, (await response.text()).includes(KEY.slice(3))]).toEqual([path, false]);
  }
});

describe('an exported page', () => {
  const FILES = Object.fromEntries(
    ['/page.js', '/page.css'].map((path) => [path, { type: 'text/plain', bytes: new TextEncoder().encode('') }]),
  );

  test('names no machine of whoever exported it', async () => {
    const site = ownSite(await grown(1));
    const up = {
      ...{ home: site.place.home.root, startedAt: '', plan: '', processes: [] },
      supervisor: { pid: 0, identity: '', revision: '' },
      temporal: {
        address: 'inner-host.example:7233',
        namespace: 'default',
        ui: 'http://inner-host.example',
        external: true,
      },
      database: { uri: 'mongodb://u:p@inner-host.example', kind: 'external', version: null, external: true },
      ...{ docker: { host: null, kind: 'none' }, image: { id: null } },
    };
    writeFileSync(site.place.home.upFile, JSON.stringify(up));
    const served = await createApp(site, {}).request(`http://${HOST}/api/v1/runs/demo`, { headers: OURS });
    expect(await served.text()).toContain('inner-host');
    const file = join(ownFolder(), 'page.html');
    const told: number[] = [];
    await exportPage(site, FILES, 'demo', file, 'all', ({ done, of }) => told.push(done / of));
    expect([told[0], told.at(-1), told.toSorted((a, b) => a - b)]).toEqual([0, 1, told]);
    const packs = [...readFileSync(file, 'latin1').matchAll(/<script type="text\/plain" id="[^"]+">([^<]+)</g)];
    const texts = packs.map(([, text]) => gunzipSync(Buffer.from(text!, 'base64')).toString());
    expect(texts.join('')).toContain('"demo"');
    expect(texts.filter((text) => text.includes('inner-host'))).toEqual([]);
  });

  test('has a script that ends no tag and holds no control character, and still means the same', async () => {
    const file = join(ownFolder(), 'page.html');
    const script = 'globalThis.told = "\u0001\u001b[2J</script><!--";';
    const files = { ...FILES, '/page.js': { type: 'text/plain', bytes: new TextEncoder().encode(script) } };
    const page = await createPageFile(file, files, 'title');
    const site = { version: 'x', readOnly: null, docs: false, exported: null };
    await page.end({ site, answers: {}, texts: [], left: null });
    const written = /<script type="module">(.*)<\/script>/.exec(readFileSync(file, 'utf8'))![1]!;
    expect(written).toMatch(/^[ -~]*$/);
    const world: { told?: string } = {};
    runInNewContext(written, { globalThis: world });
    expect(world.told).toBe('\u0001\u001b[2J</script><!--');
  });

  test('is for its owner alone, whatever the umask', async () => {
    const file = join(ownFolder(), 'page.html');
    const before = process.umask(0o000);
    onTestFinished(() => void process.umask(before));
    const page = await createPageFile(file, FILES, 'title');
    await page.end({
      site: { version: 'x', readOnly: null, docs: false, exported: null },
      ...{ answers: {}, texts: [], left: null },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is written through no link that somebody put in its place', async () => {
    const folder = ownFolder();
    const [file, other] = [join(folder, 'page.html'), join(folder, 'precious')];
    writeFileSync(other, 'precious');
    symlinkSync(other, `${file}.${process.pid}.part`);
    const page = await createPageFile(file, FILES, 'title');
    await page.cancel();
    expect(readFileSync(other, 'utf8')).toBe('precious');
    expect(existsSync(file)).toBe(false);
  });
});

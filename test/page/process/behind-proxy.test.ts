// The page under a path of another server: its files, its questions, its news and its actions, from a browser too.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../../page/server/app.ts';
import { serverOf } from '../../../page/server/serve.ts';
import { grow } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { holds, LOOKS, launch, noBrowser, openPage } from '../../support/page/browser.ts';
import { PROXIES, type StartProxy, UNDER } from '../../support/page/proxies.ts';
import { pageFiles, siteOver } from '../../support/page/serve.ts';

const TOKEN = 'a token of many characters';

/** A page with a run, which asks for its token unless there is none. */
const served = async (start: StartProxy, token: string | null) => {
  const store = memoryStore();
  await grow(store, 'demo', 2);
  const site = siteOver(store);
  const server = serverOf(createApp(site, await pageFiles(), { token, readOnly: null }));
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  const proxy = await start((server.address() as AddressInfo).port);
  onTestFinished(async () => {
    await proxy.stop();
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await site.close();
  });
  return { origin: proxy.url, url: `${proxy.url}${UNDER}` };
};

describe.each(PROXIES)('behind %s', (_, start) => {
  test('a page asks, follows and acts', async () => {
    const { origin, url } = await served(start, TOKEN);
    const bare = await fetch(url.slice(0, -1), { redirect: 'manual' });
    expect([301, 302]).toContain(bare.status);
    const page = await (await fetch(url)).text();
    for (const [, file] of page.matchAll(/(?:src|href)="([^":]+)"/g))
      expect([file, (await fetch(new URL(file!, url))).status]).toEqual([file, 200]);
    const headers = { 'x-evolve-page': '1', authorization: `Bearer ${TOKEN}`, origin };
    const post = (path: string, more: object = {}, body = '{}'): Promise<Response> =>
      fetch(`${url}api/v1/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body,
      });
    expect((await post('session')).status).toBe(200);
    const action = await post('runs/demo/pause', {}, '{"request":"1"}');
    expect([action.status, await action.text()]).toEqual([400, expect.stringContaining('request')]);
    expect((await post('session', { origin: 'http://evil.example' })).status).toBe(403);
    const live = await fetch(`${url}api/v1/live?run=demo`, { headers });
    const reader = live.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('retry: ');
    await reader.cancel();
  });

  test('a page without a token refuses in words that a browser shows', async () => {
    const { url } = await served(start, null);
    const refused = await fetch(url, { headers: { accept: 'text/html,*/*' } });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect(await refused.text()).toContain('need a --token-file');
    const asked = await fetch(`${url}api/v1/site`, { headers: { accept: 'text/html,*/*', 'x-evolve-page': '1' } });
    expect(asked.headers.get('content-type')).toContain('application/json');
  });
});

describe.skipIf(noBrowser() !== null)('in a browser', () => {
  let browser: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(PROXIES)('the runs are shown behind %s, and their programs in order', async (_, start) => {
    const { origin, url } = await served(start, TOKEN);
    const { page, problems, close } = await openPage(browser, origin, LOOKS[0]!);
    await page.goto(`${url}#token=${encodeURIComponent(TOKEN)}`);
    await holds(page, `document.querySelector('main')?.textContent.includes('demo')`);
    // The order of the table is the work of the page's worker, which is a file of its own.
    await page.goto(`${url}#/run/demo/programs`);
    await holds(page, `document.querySelectorAll('.grid-body a').length > 1`);
    expect(problems()).toEqual([]);
    await close();
  });
});

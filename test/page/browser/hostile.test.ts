// Texts of models, candidates and people that attack the page: every view of it, served and exported, shows them as text.
// Nothing of them runs, asks for an address or becomes an element, and the page stays usable.
// Attempts: the page and the network.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportPage } from '../../../page/export/export-page.ts';
import { findings, goTo, LOOKS, noBrowser, openPage, viewsOf, type Watched } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { hostileDocuments } from '../../support/page/hostile-run.ts';
import { RECORDED, storeOf } from '../../support/page/recorded.ts';
import { pageFiles, type Served, servePage } from '../../support/page/serve.ts';

describe.skipIf(noBrowser() !== null)('a hostile run', () => {
  const browser = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'evolve-hostile-'));
  const file = join(folder, 'page.html');
  let served: Served;
  let programs: readonly string[];
  beforeAll(async () => {
    const { store } = await storeOf(hostileDocuments());
    served = await servePage(store);
    const all: string[] = [];
    for await (const { _id } of store.eachProgram(RECORDED)) all.push(_id);
    programs = [all[0]!, all[1]!, all[60]!, all.at(-1)!];
    await exportPage(served.site, await pageFiles(), RECORDED, file, 'all');
  });
  afterAll(async () => {
    await served?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What got into the page that the page does not make itself. */
  const injected = async (page: Page): Promise<readonly string[]> =>
    page.evaluate(`[
      ...(globalThis.attacked === undefined ? [] : ['a script ran: ' + globalThis.attacked]),
      ...[...document.querySelectorAll('main :is(script, iframe, object, embed, form[action], link, meta, base, style)')].map(({ outerHTML }) => 'an element: ' + outerHTML.slice(0, 200)),
      ...[...document.querySelectorAll('main *')].flatMap(({ attributes }) => [...attributes]).filter(({ name }) => name.startsWith('on')).map(({ name, value }) => name + '=' + value),
      ...[...document.querySelectorAll('main a[href]')].filter(({ href, protocol, hash, origin }) => !(hash !== '' || protocol === 'blob:') && origin !== location.origin).map(({ href }) => 'a link: ' + href),
      ...[...document.querySelectorAll('main img')].filter(({ src }) => !/^(blob|data):/.test(src)).map(({ src }) => 'a picture: ' + src),
      ...(/[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.exec(document.querySelector('main').innerText) ?? []).map((char) => 'a hidden character is drawn: U+' + char.codePointAt(0).toString(16)),
    ]`);

  const everyView = async (watched: Watched, url: string): Promise<readonly string[]> => {
    const { page } = watched;
    await goTo(page, url, `#/run/${RECORDED}`);
    const views = [
      ...(await viewsOf(page)),
      ...programs.map((program) => `#/run/${RECORDED}/program/${encodeURIComponent(program)}`),
      `#/run/${RECORDED}/programs?q=${encodeURIComponent('<script>')}&in=code,deltas`,
    ];
    const found: string[] = [];
    for (const hash of views) {
      await goTo(page, url, hash);
      found.push(...(await findings(watched, hash)));
      found.push(...(await injected(page)).map((text) => `${hash}: ${text}`));
    }
    return found;
  };

  test('served, nothing of it runs or becomes an element', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    expect(await everyView(watched, `${served.url}/`)).toEqual([]);
    await watched.close();
  });

  test('exported, no text ends its tag, and nothing runs', async () => {
    expect(readFileSync(file, 'latin1').match(/<script/gi)!.length).toBe(
      readFileSync(file, 'latin1').match(/<\/script>/gi)!.length,
    );
    const watched = await openPage(browser(), null, LOOKS[1]!);
    expect(await everyView(watched, pathToFileURL(file).href)).toEqual([]);
    await watched.close();
  });
});

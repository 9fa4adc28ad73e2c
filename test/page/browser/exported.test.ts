// A page that was exported to a file: it opens from disk, asks nobody for anything, and shows what the page of the
// server shows.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportPage } from '../../../page/export/export-page.ts';
import { RECORDED, recordedStore } from '../../support/page/recorded.ts';
import { findings, goTo, LOOKS, noBrowser, openPage, viewsOf } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { pageFiles, siteOver } from '../../support/page/serve.ts';
import { FULL } from '../../support/sizes.ts';

describe.skipIf(noBrowser() !== null)('an exported page', () => {
  const browser = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'evolve-exported-'));
  const file = join(folder, 'page.html');
  const url = pathToFileURL(file).href;
  let best: string;
  let written: Awaited<ReturnType<typeof exportPage>>;
  beforeAll(async () => {
    const { store } = await recordedStore();
    best = (await store.readRun(RECORDED))!.best!.program;
    const site = siteOver(store);
    written = await exportPage(site, await pageFiles(), RECORDED, file, { best: 20 });
    await site.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('says how large it is, and of how many programs it has the texts', () => {
    expect(written.bytes).toBe(statSync(file).size);
    expect(written.whole).toBeGreaterThanOrEqual(20);
    expect(written.whole).toBeLessThan(written.programs);
  });

  test.each(FULL ? LOOKS.slice(0, 2) : LOOKS.slice(1, 2))(
    'every view opens from disk at $size in $theme',
    async (look) => {
      const watched = await openPage(browser(), null, look);
      const { page } = watched;
      await goTo(page, url, `#/run/${RECORDED}`);
      const found: string[] = [];
      for (const hash of [...(await viewsOf(page)), `#/run/${RECORDED}/program/${encodeURIComponent(best)}`]) {
        await goTo(page, url, hash);
        found.push(...(await findings(watched, hash)));
        found.push(...(await page.locator('main .error').allTextContents()).map((text) => `${hash}: ${text}`));
      }
      expect(found).toEqual([]);
      await watched.close();
    },
  );

  test('a program that was left out is not there, and the page says why', async () => {
    const watched = await openPage(browser(), null, LOOKS[0]!);
    await goTo(watched.page, url, `#/run/${RECORDED}/program/${encodeURIComponent(`${RECORDED}:000001:0:999999`)}`);
    await expect.poll(() => watched.page.locator('main').textContent()).toContain('is not in the exported file');
    expect(await findings(watched, 'a program that was left out')).toEqual([]);
    await watched.close();
  });
});

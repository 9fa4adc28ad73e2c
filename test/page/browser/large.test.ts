// A big run: the table of all of them, sorted, filtered and walked through by keyboard. How fast that is,
// is measured by `npm run bench -- page`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findings, goTo, holds, LOOKS, noBrowser, openPage } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { FULL } from '../../support/sizes.ts';
import { LARGE, largeStore } from '../../support/page/large-run.ts';
import { recordedDocuments } from '../../support/page/recorded.ts';
import { type Served, servePage } from '../../support/page/serve.ts';

/** So many in a full run; the bench has them all the time. */
const PROGRAMS = FULL ? 100_000 : 20_000;

describe.skipIf(noBrowser() !== null)('over a big run', () => {
  const browser = useBrowser();
  let served: Served;
  beforeAll(async () => {
    served = await servePage(await largeStore(recordedDocuments(), PROGRAMS));
  });
  afterAll(() => served?.stop());

  test('the table has all of them, and draws those that are seen', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    const { page } = watched;
    const count = `Number(document.querySelector('.shown-count b').textContent.replaceAll(',', ''))`;
    await goTo(page, `${served.url}/`, `#/run/${LARGE}/programs`);
    // They come piece by piece.
    await holds(page, `${count} === ${PROGRAMS + 1}`);
    expect(await page.evaluate(`document.querySelectorAll('.grid-body .grid-row').length`)).toBeLessThan(200);

    await goTo(page, `${served.url}/`, `#/run/${LARGE}/programs?sort=score&order=desc`);
    await holds(page, `document.querySelector('[aria-sort=descending]') !== null`);
    await goTo(page, `${served.url}/`, `#/run/${LARGE}/programs?outcome=invalid&island=3`);
    await holds(page, `${count} > 0 && ${count} < ${PROGRAMS / 5}`);

    await goTo(page, `${served.url}/`, `#/run/${LARGE}/programs?sort=id&order=asc`);
    await holds(page, `${count} === ${PROGRAMS + 1}`);
    await page.locator('.grid').focus();
    await page.keyboard.press('End');
    await holds(
      page,
      `document.querySelector('.grid-row.active')?.getAttribute('aria-rowindex') === '${PROGRAMS + 2}'`,
    );
    await page.keyboard.press('Enter');
    await holds(page, `location.hash.startsWith('#/run/${LARGE}/program/')`);
    expect(await findings(watched, 'the table')).toEqual([]);
    await watched.close();
  });
});

// Every view of the page over a recorded run of thousands of programs, in Chromium: at both widths and in both themes,
// with nothing in the console, no request to another host, nothing that axe finds, and no sideways scrolling. A new view
// is tested because the page names it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEARNED, learnedStore, RECORDED, recordedStore } from '../../support/page/recorded.ts';
import { findings, goTo, holds, LOOKS, noBrowser, openPage, viewsOf } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { type Served, servePage } from '../../support/page/serve.ts';
import { FULL } from '../../support/sizes.ts';

const why = noBrowser();
if (why !== null) console.log(why);

/** The first two are each width and each theme once. */
const LOOKED = FULL ? LOOKS : LOOKS.slice(0, 2);

describe.skipIf(why !== null)('over a recorded run', () => {
  const browser = useBrowser();
  let served: Served;
  let learned: Served;
  let best: string;
  beforeAll(async () => {
    const { store } = await recordedStore();
    served = await servePage(store);
    learned = await servePage((await learnedStore()).store);
    best = (await store.readRun(RECORDED))!.best!.program;
  });
  afterAll(() => Promise.all([served?.stop(), learned?.stop()]));

  /** Views that no tab names. */
  const others = (): readonly string[] => [
    `#/run/${RECORDED}/program/${encodeURIComponent(best)}`,
    `#/run/${RECORDED}/programs?outcome=invalid&sort=score&order=desc`,
  ];

  test.each(LOOKED)('every view at $size in $theme', async (look) => {
    const watched = await openPage(browser(), served.url, look);
    const { page } = watched;
    await goTo(page, `${served.url}/`, `#/run/${RECORDED}`);
    const views = [...(await viewsOf(page)), ...others()];
    expect(views.length).toBeGreaterThan(3);
    const found: string[] = [];
    for (const hash of views) {
      await goTo(page, `${served.url}/`, hash);
      found.push(...(await findings(watched, hash, true)));
    }
    expect(found).toEqual([]);
    await watched.close();
  });

  test.each(LOOKED)('policies of a run that learned at $size in $theme', async (look) => {
    const watched = await openPage(browser(), learned.url, look);
    await goTo(watched.page, `${learned.url}/`, `#/run/${LEARNED}/policies`);
    await holds(watched.page, `document.querySelectorAll('.plot canvas').length === 6`);
    expect(await findings(watched, 'policies', true)).toEqual([]);
    await watched.close();
  });

  test('nothing jumps while a run at a glance is read', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    const { page } = watched;
    await page.addInitScript(`
      globalThis.jumped = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.jumped += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    await goTo(page, `${served.url}/`, `#/run/${RECORDED}`);
    await holds(page, `document.querySelectorAll('.overview .plot canvas').length === 3`);
    // The share of the screen that moved, times how far: a browser's makers call less than this good.
    expect(await page.evaluate('globalThis.jumped')).toBeLessThan(0.1);
    const height = async (card: string): Promise<number | undefined> =>
      (await page.getByRole('region', { name: card, exact: true }).boundingBox())?.height;
    expect(await height('What made it better'), 'cards of a row end together').toBe(await height('Best so far'));
    // Each band of the plot of outcomes is named beside it.
    expect(await page.locator('[aria-labelledby=outcomes-heading] .legend li').allTextContents()).toEqual([
      ...['valid', 'invalid', 'no solution'],
    ]);
    await watched.close();
  });

  test('the keyboard reaches every view, in the order in which it is read', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${served.url}/`, `#/run/${RECORDED}`);
    const tabs = await page.locator('nav.tabs a').allTextContents();
    const reached: string[] = [];
    for (let presses = 0; presses < 60 && reached.at(-1) !== tabs.at(-1); presses += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate('document.activeElement.textContent'));
    }
    expect(reached[0], 'the first stop leads past the navigation').toBe('Skip to the content');
    expect(reached.filter((text) => tabs.includes(text))).toEqual(tabs);
    await page.keyboard.press('Enter');
    await holds(
      page,
      `document.querySelector('nav.tabs [aria-current=page]')?.textContent === ${JSON.stringify(tabs.at(-1))}`,
    );
    // The new view has the keyboard, a frame after it is drawn.
    await holds(page, `document.activeElement.id === 'main'`);
    expect(await findings(watched, 'after the keyboard')).toEqual([]);
    await watched.close();
  });
});

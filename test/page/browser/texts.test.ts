// What the eye meets in every view: no two texts lie on each other and none is cut without a sign, at three widths and in
// both themes, with long names of runs, models and reasons. Then what is saved of a plot.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goTo, holds, noBrowser, openPage, SIZES } from '../../support/page/browser.ts';
import { LONG_RUN, longNamedStore, longNamedViews } from '../../support/page/long-names.ts';
import { LEARNED, learnedStore } from '../../support/page/recorded.ts';
import { type Served, servePage } from '../../support/page/serve.ts';
import { measureLook, measureViews, TEXT_LOOKS, WATCH_CANVASES } from '../../support/page/texts.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { FULL } from '../../support/sizes.ts';

/** The narrowest one. */
const LOOKED = FULL ? TEXT_LOOKS : [TEXT_LOOKS[5]!];

describe.skipIf(noBrowser() !== null)('the texts of all views', () => {
  const browser = useBrowser();
  let served: Served;
  let learned: Served;
  let views: readonly string[];
  beforeAll(async () => {
    const made = await longNamedStore();
    served = await servePage(made.store);
    learned = await servePage((await learnedStore()).store);
    views = await longNamedViews(made);
  });
  afterAll(() => Promise.all([served?.stop(), learned?.stop()]));

  test.each(LOOKED)('at $size in $theme', async (look) => {
    const none = { overlaps: [], cutTexts: [] };
    expect(await measureLook(browser(), served.url, look, { run: LONG_RUN, more: views })).toEqual(none);
    const more = [`#/run/${LEARNED}/policies`];
    expect(await measureLook(browser(), learned.url, look, { run: LEARNED, more })).toEqual(none);
  });

  test('the measure sees texts on each other, cut ones, and those of canvases', async () => {
    const { page, close } = await openPage(browser(), served.url, TEXT_LOOKS[0]!);
    await page.addInitScript(WATCH_CANVASES);
    await goTo(page, `${served.url}/`, '#/start');
    // The page's policy lets no style come in markup.
    await page.evaluate(`{
      document.querySelector('main').insertAdjacentHTML('beforeend', '<p><b>one text</b><i>on another</i></p><p>a text that is cut</p><canvas id="drawn" width="60" height="40"></canvas>');
      const [both, cut] = [...document.querySelectorAll('main > p')].slice(-2);
      both.style.position = 'relative';
      for (const [index, one] of [...both.children].entries()) Object.assign(one.style, { position: 'absolute', left: 9 * index + 'px' });
      Object.assign(cut.style, { width: '40px', overflow: 'hidden', whiteSpace: 'nowrap' });
      const context = document.getElementById('drawn').getContext('2d');
      context.fillText('drawn', 5, 20); context.fillText('twice', 8, 20); context.fillText('beyond the edge', 30, 38);
    }`);
    const found = await measureViews(page, `${served.url}/`, ['#/start']);
    expect(found.overlaps.map((text) => text.slice(9))).toEqual([
      '"one text" in b and "on another" in i',
      '"drawn" in canvas and "twice" in canvas',
    ]);
    expect(found.cutTexts.map((text) => text.slice(9))).toEqual([
      '"a text that is cut" in p, cut by p',
      '"beyond the edge" on a canvas',
    ]);
    await close();
  });

  test('a plot and a lineage are saved as SVG, PNG and CSV from the keyboard', async () => {
    const { page, problems, close } = await openPage(browser(), served.url, { size: 'phone', theme: 'dark' });
    const saved = async (menu: string, kind: string): Promise<Buffer> => {
      await page.getByLabel(menu, { exact: true }).press('Enter');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page
          .locator('details[open]')
          .getByRole('button', { name: `as ${kind}` })
          .press('Enter'),
      ]);
      expect(file.suggestedFilename()).toMatch(new RegExp(`^[\\w.-]+\\.${kind.toLowerCase()}$`));
      return readFileSync(await file.path());
    };
    for (const [hash, menu, drawn] of [
      ['', 'Save: Best sum_radii so far', '.plot canvas'],
      ['/lineage', `Save: Lineage of ${LONG_RUN}`, '.tree canvas'],
    ] as const) {
      await goTo(page, `${served.url}/`, `#/run/${LONG_RUN}${hash}`);
      await holds(page, `document.querySelector('${drawn}') !== null`);
      expect((await saved(menu, 'SVG')).toString('utf8')).toMatch(/^<svg xmlns="[^"]+" viewBox="[^"]+".*<\/svg>$/s);
      const png = await saved(menu, 'PNG');
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect(png.readUInt32BE(16)).toBeGreaterThan(SIZES.phone.width);
      expect((await saved(menu, 'CSV')).toString('utf8').split('\r\n').length).toBeGreaterThan(10);
    }
    expect(problems()).toEqual([]);
    await close();
  });
});

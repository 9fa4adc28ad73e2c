// What the eye meets in every view: no two texts lie on each other and none is cut without a sign, at three widths and in
// both themes, with long names of runs, models and reasons. Then what is saved of a plot.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goTo, holds, type Look, noBrowser, openPage, SIZES, viewsOf } from '../../support/page/browser.ts';
import { LONG_RUN, longNamedStore, OTHER_RUN } from '../../support/page/long-names.ts';
import { LEARNED, learnedStore } from '../../support/page/recorded.ts';
import { type Served, servePage } from '../../support/page/serve.ts';
import { measureViews, WATCH_CANVASES } from '../../support/page/texts.ts';
import { useBrowser } from '../../support/page/use-browser.ts';
import { FULL } from '../../support/sizes.ts';

const LOOKS: readonly Look[] = (['desk', 'tablet', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((theme) => ({ size, theme })),
);
/** The narrowest and the middle one, each with a theme. */
const LOOKED = FULL ? LOOKS : [LOOKS[2]!, LOOKS[5]!];

describe.skipIf(noBrowser() !== null)('the texts of all views', () => {
  const browser = useBrowser();
  let served: Served;
  let learned: Served;
  let views: readonly string[];
  beforeAll(async () => {
    const { store } = await longNamedStore();
    served = await servePage(store);
    learned = await servePage((await learnedStore()).store);
    const { program } = (await store.readRun(LONG_RUN))!.best!;
    views = [
      `#/run/${LONG_RUN}/program/${encodeURIComponent(program)}`,
      `#/run/${LONG_RUN}/programs?q=radii`,
      `#/run/${LONG_RUN}/map?show=programs`,
      `#/run/${LONG_RUN}/settings?change=1`,
      `#/compare?runs=${LONG_RUN},${OTHER_RUN}`,
    ];
  });
  afterAll(() => Promise.all([served?.stop(), learned?.stop()]));

  test.each(LOOKED)('at $size in $theme', async (look) => {
    const { page, close } = await openPage(browser(), served.url, look);
    await page.addInitScript(WATCH_CANVASES);
    await goTo(page, `${served.url}/`, `#/run/${LONG_RUN}`);
    const all = [...(await viewsOf(page)), ...views];
    expect(all.length).toBeGreaterThan(12);
    expect(await measureViews(page, `${served.url}/`, all)).toEqual({ overlaps: [], cutTexts: [] });
    await close();
    const other = await openPage(browser(), learned.url, look);
    await other.page.addInitScript(WATCH_CANVASES);
    const policies = [`#/run/${LEARNED}/policies`];
    expect(await measureViews(other.page, `${learned.url}/`, policies)).toEqual({ overlaps: [], cutTexts: [] });
    await other.close();
  });

  test('the measure sees texts on each other, cut ones, and those of canvases', async () => {
    const { page, close } = await openPage(browser(), served.url, LOOKS[0]!);
    await page.addInitScript(WATCH_CANVASES);
    await goTo(page, `${served.url}/`, '#/start');
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<p style="position: relative"><b style="position: absolute; left: 0">one text</b><i style="position: absolute; left: 9px">on another</i></p>' +
      '<p style="width: 40px; overflow: hidden; white-space: nowrap">a text that is cut</p><canvas id="drawn" width="60" height="40"></canvas>');
      const context = document.getElementById('drawn').getContext('2d');
      context.fillText('drawn', 5, 20); context.fillText('twice', 8, 20); context.fillText('beyond the edge', 30, 38);`);
    const found = await measureViews(page, `${served.url}/`, ['#/start']);
    expect(found.overlaps.length).toBe(2);
    expect(found.cutTexts.length).toBe(2);
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

// Takes the pictures of docs/images/page: every view of the page over the recorded run, wide in light and dark, and some
// on a phone. Usage: node test/support/page/screenshots.ts [folder] [part of a view's name]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goTo, launch, type Look, openPage, settled, viewsOf } from './browser.ts';
import { LEARNED, learnedStore, RECORDED, recordedStore } from './recorded.ts';
import { servePage } from './serve.ts';
import { smallPng } from './small-png.ts';

const [folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'images', 'page'), wanted = ''] =
  process.argv.slice(2);
const LOOKS: readonly Look[] = [
  { size: 'wide', theme: 'light' },
  { size: 'wide', theme: 'dark' },
  { size: 'phone', theme: 'light' },
];

const ON_PHONE = ['runs', 'run-overview', 'run-programs', 'run-program', 'run-lineage'];

mkdirSync(folder, { recursive: true });
const { store } = await recordedStore();
const best = (await store.readRun(RECORDED))!.best!.program;
const served = await servePage(store);
const learned = await servePage((await learnedStore()).store);
const browser = await launch();
try {
  for (const look of LOOKS) {
    const { page, problems, close } = await openPage(browser, served.url, look);
    await goTo(page, `${served.url}/`, `#/run/${RECORDED}`);
    const own = ['policies', `program/${encodeURIComponent(best)}`].map((view) => `#/run/${RECORDED}/${view}`);
    const views = [...(await viewsOf(page)), ...own];
    for (const hash of views) {
      const parts = hash.replace(/^#\//, '').split('?')[0]!.split('/');
      const name = parts[0] === 'run' ? `run-${parts[2] ?? 'overview'}` : parts[0]!;
      if (!name.includes(wanted) || (look.size === 'phone' && !ON_PHONE.includes(name))) continue;
      // Policies are shown of the run that has some.
      if (name === 'run-policies') await page.goto(`${learned.url}/#/run/${LEARNED}/policies`);
      await (name === 'run-policies' ? settled(page) : goTo(page, `${served.url}/`, hash));
      // Plots are drawn in the frame after their data came.
      await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
      const picture = smallPng(await page.screenshot());
      const file = join(folder, `${name}-${look.size}-${look.theme}.png`);
      writeFileSync(file, picture);
      const wrong = problems().filter((text) => !text.includes(learned.url));
      console.log(`${file}: ${Math.round(picture.length / 1024)} KiB ${wrong.join('; ')}`);
    }
    await close();
  }
} finally {
  await browser.close();
  await Promise.all([served.stop(), learned.stop()]);
}

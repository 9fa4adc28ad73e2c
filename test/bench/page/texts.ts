// The texts of all views, with long names, at all widths and in both themes: how many lie on each other, and how many are
// cut without a sign.
import type { Browser } from 'playwright-core';
import { LONG_RUN, longNamedStore, longNamedViews } from '../../support/page/long-names.ts';
import { servePage } from '../../support/page/serve.ts';
import { measureLook, TEXT_LOOKS } from '../../support/page/texts.ts';

export const measureTexts = async (browser: Browser, say: (line: string) => void) => {
  const made = await longNamedStore();
  const served = await servePage(made.store);
  const more = await longNamedViews(made);
  try {
    let [overlaps, cutTexts] = [0, 0];
    for (const look of TEXT_LOOKS) {
      const found = await measureLook(browser, served.url, look, { run: LONG_RUN, more });
      overlaps += found.overlaps.length;
      cutTexts += found.cutTexts.length;
      for (const text of found.overlaps) say(`  ${look.size} ${look.theme}: on each other: ${text}`);
      for (const text of found.cutTexts) say(`  ${look.size} ${look.theme}: cut: ${text}`);
    }
    return { overlaps, cutTexts };
  } finally {
    await served.stop();
  }
};

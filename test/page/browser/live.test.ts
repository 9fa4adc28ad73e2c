// The page that `evolve up` serves, over a run that goes on: what is committed appears by itself, and a rewind is told.
import { describe, expect, test } from 'vitest';
import { findings, goTo, holds, LOOKS, noBrowser, openPage, viewsOf } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { pageOfHome } from '../../support/page/serve.ts';

const RUN = 'page-live';

describe.skipIf(noBrowser() !== null)('over a live run', () => {
  const live = sharedHome();
  const browser = useBrowser();

  test('programs appear while one looks, and after a rewind the page has what is stored', async () => {
    const { url } = await pageOfHome(live.home);
    await live.must(
      ...['run', '--run', RUN, '--seed', '1', '--batch', '2', '--responses', '2', '--steps', '4'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    );
    const watched = await openPage(browser(), url, LOOKS[0]!);
    const { page } = watched;
    const shows = (programs: number): Promise<void> =>
      holds(page, `(document.querySelector('.shown-count')?.textContent ?? '').includes(' of ${programs} ')`);
    await goTo(page, `${url}/`, `#/run/${RUN}/programs`);
    // Nobody loads the page again: the initial program and four steps of four.
    await shows(17);
    await live.must('rewind', RUN, '--to-step', '3', '--resample');
    // What the rewind set aside is gone, and what was made anew is there.
    await holds(page, `document.querySelector('.grid-body a[href*="000004%3A1%3A"]') !== null`);
    await shows(17);
    const found: string[] = [];
    for (const hash of await viewsOf(page)) {
      await goTo(page, `${url}/`, hash);
      found.push(...(await findings(watched, hash)));
    }
    expect(found).toEqual([]);
    await watched.close();
  });
});

// The table of all programs of a run, as a person uses it: how soon it is there and how much that sends, and how it
// answers when one sorts, filters and scrolls.
import type { Browser, Page } from 'playwright-core';
import { goTo, holds, openPage } from '../../support/page/browser.ts';
import { median, meterOf, rounded } from './looking.ts';

const ROUNDS = 5;
const SCROLL_MS = 3_000;
const MOST_MS = 20_000;

const SHOWN = `document.querySelector('.shown-count b') !== null && document.querySelectorAll('.grid-body .grid-row').length > 0`;
const COUNT = `document.querySelector('.shown-count b').textContent`;
/** The row that is drawn at the top. */
const FIRST_ROW = `document.querySelector('.grid-body [aria-rowindex="2"]')?.textContent`;

/**
 * When all rows were first drawn, in milliseconds after the navigation began, as the page itself sees it frame by frame.
 * Whoever asks from outside looks after 20, 70, 170, 270, 770 and 1,270 ms, and would report these.
 */
const watchDrawn = (all: string): string => `{
  const look = () => {
    if (!(${SHOWN} && ${all})) return requestAnimationFrame(look);
    requestAnimationFrame(() => { globalThis.drawnMs = performance.now(); });
  };
  requestAnimationFrame(look);
}`;

/** Milliseconds from an act in the page until the table shows `done`, as the page itself sees it. */
const timed = (page: Page, act: string, done: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    const began = performance.now();
    const look = () => {
      const ms = performance.now() - began;
      if (${done}) resolve(ms);
      else if (ms > ${MOST_MS}) reject(new Error('not shown in time: ' + ${JSON.stringify(act)}));
      else requestAnimationFrame(look);
    };
    ${act};
    look();
  })`);

export const measureTable = async (
  { browser, url, say }: { readonly browser: Browser; readonly url: string; readonly say: (line: string) => void },
  run: string,
  programs: number,
) => {
  const table = `#/run/${run}/programs`;
  const all = `${COUNT}?.replaceAll(',', '') === '${programs}'`;
  const foreign: string[] = [];
  const look = async () => {
    const watched = await openPage(browser, url, { size: 'wide', theme: 'light' });
    return { ...watched, meter: await meterOf(watched.page) };
  };
  const leave = async ({ problems, close }: Awaited<ReturnType<typeof look>>): Promise<void> => {
    foreign.push(...problems().filter((text) => text.startsWith('foreign')));
    await close();
  };
  // The first visit of all makes the server read the database; it keeps what it read.
  const reading = performance.now();
  const first = await look();
  await goTo(first.page, `${url}/`, table);
  await holds(first.page, `${SHOWN} && ${all}`, 600_000);
  const readSeconds = rounded((performance.now() - reading) / 1000, 1);
  say(`  the first look at all, which reads the database: ${readSeconds} s`);
  await leave(first);
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await look();
    await one.page.addInitScript(watchDrawn(all));
    await one.page.goto(`${url}/${table}`, { waitUntil: 'commit' });
    await holds(one.page, `globalThis.drawnMs !== undefined`);
    seconds.push((await one.page.evaluate<number>('drawnMs')) / 1000);
    megabytes.push(one.meter.wireBytes() / 1e6);
    await leave(one);
  }
  const open = await look();
  const { page, meter } = open;
  await goTo(page, `${url}/`, `${table}?sort=id&order=asc`);
  await holds(page, `${SHOWN} && ${all}`);
  const sorts: number[] = [];
  const filters: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const column of ['score', 'length', 'island'])
      sorts.push(
        await timed(
          page,
          `const sorted = () => document.querySelector('.grid [role=columnheader][aria-sort]:not([aria-sort=none])')?.textContent; const before = sorted() + ${FIRST_ROW}; [...document.querySelectorAll('.grid [role=columnheader] button')].find((one) => one.textContent.startsWith('${column}')).click()`,
          `sorted() + ${FIRST_ROW} !== before && sorted()?.startsWith('${column}')`,
        ),
      );
    filters.push(
      await timed(
        page,
        `const before = ${COUNT}; location.hash = '${table}?outcome=invalid&island=3'`,
        `${COUNT} !== before`,
      ),
    );
    filters.push(
      await timed(page, `const before = ${COUNT}; location.hash = '${table}?sort=id&order=asc'`, `${COUNT} !== before`),
    );
  }
  const scrollFps = await page.evaluate<number>(`new Promise((resolve) => {
    const grid = document.querySelector('.grid');
    const began = performance.now();
    let frames = 0;
    const frame = (now) => {
      grid.scrollTop += 120;
      frames += 1;
      if (now - began < ${SCROLL_MS}) requestAnimationFrame(frame);
      else resolve((1000 * frames) / (now - began));
    };
    requestAnimationFrame(frame);
  })`);
  const heapMB = rounded(await meter.memoryMB(), 1);
  await leave(open);
  return {
    foreign,
    figures: {
      firstViewSeconds: rounded(median(seconds)),
      firstViewMB: rounded(median(megabytes)),
      sortMs: rounded(median(sorts), 0),
      filterMs: rounded(median(filters), 0),
      scrollFps: rounded(scrollFps, 1),
      heapMB,
    },
    detail: {
      readSeconds,
      worstSortMs: rounded(Math.max(...sorts), 0),
      worstFilterMs: rounded(Math.max(...filters), 0),
    },
  };
};

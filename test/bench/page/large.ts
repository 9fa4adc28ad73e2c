// A run of 100,000 programs in a real database and on the real server: how soon the table of all of them is there, how
// much that sends, and how it answers when one sorts, filters and scrolls.
import { type BSON, MongoClient } from 'mongodb';
import type { Browser, Page } from 'playwright-core';
import { openStore } from '../../../client/connection.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { bundle } from '../../../page/bundle.ts';
import { LARGE, largeRun } from '../../support/page/large-run.ts';
import { goTo, holds, openPage } from '../../support/page/browser.ts';
import { blobsOf, recordedDocuments } from '../../support/page/recorded.ts';
import type { TestHome } from '../../support/home.ts';
import { median, meterOf, rounded } from './looking.ts';

const ROUNDS = 5;
const SCROLL_MS = 3_000;
const DOCUMENTS_PER_WRITE = 1_000;

type Given = {
  readonly home: TestHome;
  readonly browser: Browser;
  readonly url: string;
  readonly programs: number;
  readonly say: (line: string) => void;
};

/** Puts the run into the home's database, as the engine would have written it. */
const fill = async ({ home, programs, say }: Given): Promise<number> => {
  const recorded = recordedDocuments();
  const large = largeRun(recorded, programs);
  // Makes the collections with their indexes.
  const store = await openStore({ home: resolveHome(home.env), env: home.env });
  const client = new MongoClient(home.up().database.uri as string);
  const began = performance.now();
  try {
    const database = client.db('durable_evolve');
    const put = async (name: string, documents: readonly object[]): Promise<void> => {
      for (let at = 0; at < documents.length; at += DOCUMENTS_PER_WRITE)
        await database
          .collection(name)
          .insertMany(documents.slice(at, at + DOCUMENTS_PER_WRITE) as BSON.Document[], { ordered: false });
    };
    await put('blobs', blobsOf(recorded));
    await put('tasks', recorded.get('tasks') ?? []);
    let waiting: { programs: object[]; rollouts: object[]; steps: object[] } = {
      programs: [],
      rollouts: [],
      steps: [],
    };
    const flush = async (): Promise<void> => {
      const now = waiting;
      waiting = { programs: [], rollouts: [], steps: [] };
      for (const [name, documents] of Object.entries(now)) await put(name, documents);
    };
    for (let at = 0; at <= large.lastStep; at += 1) {
      const { step, programs: made, rollouts } = large.stepOf(at);
      waiting.steps.push(step);
      waiting.programs.push(...made);
      waiting.rollouts.push(...rollouts);
      if (waiting.programs.length >= 5_000) await flush();
    }
    await flush();
    await put('runs', [large.run]);
    say(`  ${large.programs} programs are in the database after ${((performance.now() - began) / 1000).toFixed(0)} s`);
    return large.programs;
  } finally {
    await client.close();
    await store.close();
  }
};

const TABLE = `#/run/${LARGE}/programs`;
const SHOWN = `document.querySelector('.shown-count b') !== null && document.querySelectorAll('.grid-body .grid-row').length > 0`;

/** Milliseconds from an act in the page until the table shows `done`, as the page itself sees it. */
const timed = (page: Page, act: string, done: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const began = performance.now();
    const look = () => ((${done}) ? resolve(performance.now() - began) : requestAnimationFrame(look));
    ${act};
    look();
  })`);

const FIRST_ROW = `document.querySelector('.grid-body .grid-row')?.textContent`;
const COUNT = `document.querySelector('.shown-count b').textContent`;

export const measureLarge = async (given: Given) => {
  const { browser, url, home, say } = given;
  const { '/page.js': script, '/worker.js': worker } = await bundle(`${home.dir}/bench-page`);
  const scriptGzipKiB = rounded(((script!.gzip?.length ?? 0) + (worker!.gzip?.length ?? 0)) / 1024, 1);
  const programs = await fill(given);
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
  await goTo(first.page, `${url}/`, TABLE);
  await holds(first.page, SHOWN);
  const readSeconds = rounded((performance.now() - reading) / 1000, 1);
  say(`  the first look at all, which reads the database: ${readSeconds} s`);
  await leave(first);
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await look();
    const began = performance.now();
    await one.page.goto(`${url}/${TABLE}`, { waitUntil: 'commit' });
    await one.page.locator('.grid-body .grid-row').first().waitFor();
    seconds.push((performance.now() - began) / 1000);
    await holds(one.page, SHOWN);
    megabytes.push(one.meter.wireBytes() / 1e6);
    await leave(one);
  }
  const open = await look();
  const { page, meter } = open;
  await goTo(page, `${url}/`, TABLE);
  await holds(page, SHOWN);
  const sorts: number[] = [];
  const filters: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const column of ['score', 'length', 'step'])
      sorts.push(
        await timed(
          page,
          `const before = ${FIRST_ROW}; [...document.querySelectorAll('.grid [role=columnheader] button')].find((one) => one.textContent.startsWith('${column}')).click()`,
          `${FIRST_ROW} !== before`,
        ),
      );
    filters.push(
      await timed(
        page,
        `const before = ${COUNT}; location.hash = '${TABLE}?outcome=invalid&island=3'`,
        `${COUNT} !== before`,
      ),
    );
    filters.push(await timed(page, `const before = ${COUNT}; location.hash = '${TABLE}'`, `${COUNT} !== before`));
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
    programs,
    foreign,
    figures: {
      scriptGzipKiB,
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

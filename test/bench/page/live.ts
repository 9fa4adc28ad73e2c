// Ten viewers of a live run on the real server: how soon a committed program is on their pages, and what the server of
// the page needs for them.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Browser } from 'playwright-core';
import { goTo, holds, openPage } from '../../support/page/browser.ts';
import { startModel, type TestHome, until } from '../../support/machine/home.ts';
import { parseStat } from '../processes.ts';
import { median, rounded } from './looking.ts';

const RUN = 'live';
const VIEWERS = 10;
const WATCHED_MS = 40_000;

type Given = {
  readonly home: TestHome;
  readonly browser: Browser;
  readonly url: string;
  readonly pid: number;
  readonly say: (line: string) => void;
};

const statOf = (pid: number) => parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** The count that the table shows, with the time of each change. */
const WATCH = `
  globalThis.seen = [];
  setInterval(() => {
    const text = document.querySelector('.shown-count')?.textContent ?? '';
    const count = Number(/of ([\\d,]+)/.exec(text)?.[1].replaceAll(',', '') ?? 0);
    if (seen.at(-1)?.count !== count) seen.push({ count, atMs: Date.now() });
  }, 20)`;

const PAIRS = 5;

/** The times of actions as a person meets them: the dialog was open for a moment. */
const timeActions = async (url: string): Promise<readonly number[]> => {
  const headers = { 'x-evolve-page': '1', 'content-type': 'application/json' };
  await fetch(`${url}/api/v1/ready`, { headers });
  const times: number[] = [];
  for (const [index, verb] of Array.from({ length: PAIRS }, () => ['pause', 'resume'])
    .flat()
    .entries()) {
    const began = performance.now();
    const body = JSON.stringify({ request: `timed-${index}-${began}`.replace('.', '-') });
    const answer = await fetch(`${url}/api/v1/runs/${RUN}/${verb}`, { method: 'POST', headers, body });
    times.push(performance.now() - began);
    if (!answer.ok) throw new Error(`${verb}: ${await answer.text()}`);
  }
  return times;
};

export const measureLive = async ({ home, browser, url, pid, say }: Given) => {
  const model = await startModel('--latency-ms', '1500');
  const client = new MongoClient(home.up().database.uri as string);
  try {
    await home.evolve([
      ...['run', '--run', RUN, '--seed', '1', '--batch', '4', '--responses', '4', '--steps', '500'],
      ...['--base-url', model.url, '--model', 'offline-gp', '--set', 'evaluation.sandbox=noop', '--detach'],
    ]);
    const runs = client.db('durable_evolve').collection<{ _id: string; committedStep: number }>('runs');
    await until(
      'the live run to commit',
      300_000,
      async () => ((await runs.findOne({ _id: RUN }))?.committedStep ?? 0) > 1,
    );
    const pages = await Promise.all(
      Array.from({ length: VIEWERS }, () => openPage(browser, url, { size: 'wide', theme: 'light' })),
    );
    // Half of them look at the table, half at the run's first view.
    for (const [index, { page }] of pages.entries())
      await goTo(page, `${url}/`, index % 2 === 0 ? `#/run/${RUN}/programs` : `#/run/${RUN}`);
    const [{ page }] = pages as [(typeof pages)[0]];
    await holds(page, `document.querySelector('.shown-count') !== null`);
    await page.evaluate(WATCH);
    const before = statOf(pid);
    const began = performance.now();
    let most = before.residentBytes;
    while (performance.now() - began < WATCHED_MS) {
      await sleep(1_000);
      most = Math.max(most, statOf(pid).residentBytes);
    }
    const after = statOf(pid);
    const wallSeconds = (performance.now() - began) / 1000;
    const actions = await timeActions(url);
    const seen = await page.evaluate<readonly { count: number; atMs: number }[]>('seen');
    await home.evolve(['stop', RUN, '--now']);
    const markers = await client
      .db('durable_evolve')
      .collection<{ _id: string; run: string; at: Date; totals: { programs: number } }>('steps')
      .find({ run: RUN })
      .toArray();
    const late = markers.flatMap(({ at, totals }) => {
      const shown = seen.find(({ count }) => count > totals.programs);
      return shown === undefined || at.getTime() < seen[0]!.atMs ? [] : [shown.atMs - at.getTime()];
    });
    const foreign = pages.flatMap(({ problems }) => problems().filter((text) => text.startsWith('foreign')));
    for (const { close } of pages) await close();
    say(`  ${VIEWERS} viewers for ${wallSeconds.toFixed(0)} s, in which ${late.length} steps were committed`);
    return {
      foreign,
      figures: {
        freshMs: rounded(median(late), 0),
        actionMs: rounded(median(actions), 0),
        serverMB: rounded(most / 1e6, 1),
        serverCpuShare: rounded((after.cpuSeconds - before.cpuSeconds) / wallSeconds, 4),
      },
      detail: { viewers: VIEWERS, steps: late.length, worstFreshMs: late.length === 0 ? null : Math.max(...late) },
    };
  } finally {
    await client.close();
    await model.stop();
  }
};

// What happens while somebody looks: the page's server is killed, the database stands still and is killed, a run is
// forked; the page says so and goes on by itself. Then a page that asks for a token, and one that was started by hand.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findings, goTo, holds, LOOKS, noBrowser, openPage } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { type Endpoint, startEndpoint } from '../../support/models/endpoint.ts';
import { liveHome } from '../../support/machine/live.ts';
import { pageOfHome } from '../../support/page/serve.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const RUN = 'looked-at';
const TOKEN = 'a token of many characters & signs';

describe.skipIf(noBrowser() !== null)('while one looks', () => {
  const live = liveHome('looking', async () => ({ EVOLVE_PAGE: 'on' }));
  const browser = useBrowser();
  const started: ChildProcess[] = [];
  let endpoint: Endpoint;

  beforeAll(async () => {
    endpoint = await startEndpoint({ latencyMs: 1_200 });
    await live.engine.start(RUN, {
      batch: 1,
      responses: 1,
      limits: { steps: 100_000 },
      evaluation: { sandbox: 'noop' },
      model: { name: 'small', baseUrl: endpoint.url },
    });
    await live.engine.seen(RUN, 'its first steps', ({ committedStep }) => committedStep >= 3);
  });
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await endpoint?.stop();
  });

  /** The line with which a command that stays in the foreground says that it is ready. */
  const foreground = async (args: readonly string[], env: NodeJS.ProcessEnv, said: RegExp): Promise<string> => {
    const child = spawn(NODE, [join(ROOT, 'cli', 'main.ts'), ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    for await (const line of createInterface({ input: child.stdout })) if (said.test(line)) return line;
    throw new Error(`evolve ${args.join(' ')} ended before it was ready`);
  };
  const says = (page: Page, words: string): Promise<void> =>
    holds(page, `(document.querySelector('.away')?.textContent ?? '').includes(${JSON.stringify(words)})`);
  const saysNothing = (page: Page): Promise<void> => holds(page, `document.querySelector('.away') === null`);
  const shows = (page: Page, programs: number): Promise<void> =>
    holds(
      page,
      `Number(/ of ([\\d,]+) /.exec(document.querySelector('.shown-count')?.textContent ?? '')?.[1].replaceAll(',', '')) >= ${programs}`,
    );
  /** Waits until so many programs more are committed; how many there are then. */
  const moreThan = async (programs: number): Promise<number> =>
    (await live.engine.seen(RUN, 'more programs', ({ totals }) => totals.programs >= programs + 3)).totals.programs;
  const programsNow = async (): Promise<number> => (await live.engine.document(RUN)).totals.programs;

  test('the server of the page and the database are killed, and it goes on by itself with what was committed', async () => {
    const { url, pid } = await pageOfHome(live.home);
    const entry = live.home.up().processes.find(({ name }) => name === 'page')!;
    expect(await live.home.json(['ui'])).toEqual({ url: `http://127.0.0.1:${entry.port}`, pid: entry.pid });
    expect({ url, pid }).toEqual({ url: `http://127.0.0.1:${entry.port}`, pid: entry.pid });

    const watched = await openPage(browser(), url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${url}/`, `#/run/${RUN}/programs`);
    // A page that is loaded anew has forgotten it.
    await page.evaluate('globalThis.neverLoadedAgain = true');
    await shows(page, await programsNow());

    process.kill(pid, 'SIGKILL');
    await says(page, 'The server of this page does not answer.');
    await shows(page, await moreThan(await programsNow()));
    await saysNothing(page);
    const again = await live.home.json(['ui']);
    expect(again.url).toBe(url);
    expect(again.pid).not.toBe(pid);

    const database = live.home.pid('database');
    process.kill(database, 'SIGSTOP');
    try {
      await says(page, 'The database does not answer.');
    } finally {
      process.kill(database, 'SIGCONT');
    }
    await saysNothing(page);
    await shows(page, await moreThan(await programsNow()));

    // It is started again at once, so that the page may not have missed it.
    process.kill(database, 'SIGKILL');
    await shows(page, await moreThan(await programsNow()));
    await saysNothing(page);
    expect(await page.evaluate('globalThis.neverLoadedAgain')).toBe(true);
    // An address is printed where this home's page answers.
    expect((await live.home.json(['up'])).page).toBe(url);
    // What was asked meanwhile was answered with what is wrong, and nothing else went wrong.
    expect(watched.problems().filter((text) => !/^50[03]: /.test(text))).toEqual([]);
    await watched.close();
  });

  test('a fork appears in the list of runs, and its lineage has what it inherited', async () => {
    const { url } = await pageOfHome(live.home);
    const watched = await openPage(browser(), url, LOOKS[1]!);
    const { page } = watched;
    await goTo(page, `${url}/`, '#/runs');
    expect(await page.locator('.card a[href="#/run/looked-fork"]').count()).toBe(0);
    await live.must('fork', RUN, '--at-step', '2', '--run', 'looked-fork', '--detach');
    await page.locator('.card a[href="#/run/looked-fork"]').first().waitFor();
    await live.engine.seen('looked-fork', 'a step of its own', ({ committedStep }) => committedStep >= 3);
    await goTo(page, `${url}/`, '#/run/looked-fork/events');
    await holds(page, `document.querySelector('main').textContent.includes('forked off ${RUN} after step 2')`);
    await goTo(page, `${url}/`, '#/run/looked-fork/lineage');
    await holds(page, `document.querySelector('.trunk a[href*="/program/${RUN}%3A000000"]') !== null`);
    expect(await findings(watched, 'a fork')).toEqual([]);
    await live.must('stop', 'looked-fork');
    await watched.close();
  });

  test('a page that others reach asks for its token, refuses a wrong one, and takes it out of the address', async () => {
    const file = join(live.home.dir, 'token');
    writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
    const args = ['ui', '--host', '0.0.0.0', '--port', '0', '--token-file', file, '--json'];
    const said = JSON.parse(await foreground(args, live.home.env, /^\{/)) as { url: string; pid: number };
    expect(said).toEqual({ url: expect.stringMatching(/^http:\/\/0\.0\.0\.0:\d+$/), pid: started.at(-1)!.pid });
    const url = said.url.replace('0.0.0.0', '127.0.0.1');

    const watched = await openPage(browser(), url, LOOKS[1]!);
    const { page } = watched;
    await page.goto(`${url}/`);
    await page.getByLabel('Token').fill('another one of many characters');
    expect(await findings(watched, 'asked for a token', true)).toEqual([
      expect.stringMatching(/401: .*\/api\/v1\/site$/) as string,
    ]);
    await page.getByLabel('Token').press('Enter');
    await page.getByText('This is not the token of this server.').waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByLabel('Token').press('Enter');
    await page.locator('.card').first().waitFor();
    expect(page.url()).not.toContain('token');
    await watched.close();

    const other = await openPage(browser(), url, LOOKS[0]!);
    await other.page.goto(`${url}/#token=${encodeURIComponent(TOKEN)}`);
    await other.page.locator('table.runs tbody tr').first().waitFor();
    expect(other.page.url()).not.toContain('token');
    // The browser is known from now on, and whoever looks from elsewhere only looks.
    await goTo(other.page, `${url}/`, `#/run/${RUN}`);
    await other.page.reload();
    await other.page.getByText('This page only shows').first().waitFor();
    expect(await other.page.locator('.acts button').allTextContents()).toEqual(['Save the page']);
    expect(await findings(other, 'with a token')).toEqual([]);
    await other.close();

    // Behind whose address somebody guesses has to wait, and is told so where he gave the token.
    const guess = { method: 'POST', headers: { 'x-evolve-page': '1', authorization: 'Bearer a guess' } };
    for (let n = 0; n < 10; n += 1) await fetch(`${url}/api/v1/session`, guess);
    const late = await openPage(browser(), url, LOOKS[1]!);
    await late.page.goto(`${url}/#token=${encodeURIComponent(TOKEN)}`);
    await late.page.getByText(/too many wrong tokens came from your address: try again in \d+ s/).waitFor();
    await late.page.getByLabel('Token').waitFor();
    await late.close();
  });

  test('`evolve worker page` shows the runs where nothing is up, and knows the two addresses alone', async () => {
    const folder = join(live.home.dir, 'elsewhere');
    mkdirSync(folder, { recursive: true });
    const { temporal, database } = live.home.up();
    const env = { ...live.home.env, EVOLVE_HOME: folder, EVOLVE_PAGE: 'off' };
    const addresses = { TEMPORAL_ADDRESS: temporal.address, MONGODB_URI: database.uri };
    const ready = /^ready: the page on (http:\/\/127\.0\.0\.1:\d+) \(pid \d+\)$/;
    const line = await foreground(['worker', 'page', '--port', '0'], { ...env, ...addresses }, ready);
    const url = ready.exec(line)![1]!;
    const watched = await openPage(browser(), url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${url}/`, `#/run/${RUN}/programs`);
    await shows(page, await moreThan(await programsNow()));
    expect(await findings(watched, 'by hand')).toEqual([]);
    await watched.close();
  });
});

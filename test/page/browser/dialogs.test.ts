// The dialogs and forms in a browser, by keyboard: the focus stays in a dialog and comes back, mistakes stand beside
// their fields, refusals are told in the command's words, and axe finds nothing.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findings, goTo, holds, LOOKS, noBrowser, openPage } from '../../support/page/browser.ts';
import { commitOf, grow } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { type Served, servePage } from '../../support/page/serve.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { runWith } from '../../support/engine/steered-run.ts';

const SETTINGS = '#/run/demo/settings';

describe.skipIf(noBrowser() !== null)('a person with a keyboard', () => {
  const browser = useBrowser();
  let served: Served;
  beforeAll(async () => {
    const { store } = await runWith({ status: 'running' });
    served = await servePage(store);
  });
  afterAll(() => served?.stop());

  const focused = (page: Page): Promise<string> =>
    page.evaluate(`document.activeElement.innerText || document.activeElement.tagName`);
  const menu = (page: Page) => page.locator('.menu > summary');
  /** Answers an action in the server's place. The bodies that came. */
  const answered = async (page: Page, verb: string, wait = async (): Promise<void> => undefined) => {
    const asked: { readonly run: string }[] = [];
    await page.route(`**/api/v1/runs/*/${verb}`, async (route) => {
      const [run = ''] = route.request().url().split('/').slice(-2);
      asked.push({ ...(route.request().postDataJSON() as object), run });
      await wait();
      await route.fulfill({ json: { text: `${run}: done`, run, warnings: [], problems: [], plan: null } });
    });
    return asked;
  };

  test('opens a dialog, stays in it, leaves it with Escape, and is back where it was', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${served.url}/`, SETTINGS);
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)`,
        ),
      ).toBe(true);
    }
    expect(await findings(watched, 'pause', true)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Pause');
    await menu(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Extend');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toContain('More actions');
    await watched.close();
  });

  test('sorts the list of runs, selects some, and pauses those that run', async () => {
    const store = memoryStore();
    for (const run of ['a-run', 'b-run', 'c-run']) await grow(store, run, 2);
    await store.setStatus('c-run', 'finished', { stopReason: 'steps' });
    const list = await servePage(store);
    const watched = await openPage(browser(), list.url, LOOKS[0]!);
    const { page } = watched;
    const asked = await answered(page, 'pause');
    const rows = () => page.locator('table.runs tbody th').allInnerTexts();
    await goTo(page, `${list.url}/`, '#/runs');
    await page.getByRole('button', { name: 'run', exact: true }).press('Enter');
    expect(await rows()).toEqual(['a-run', 'b-run', 'c-run']);
    await page.getByRole('button', { name: /^run/ }).press('Enter');
    expect(await rows()).toEqual(['c-run', 'b-run', 'a-run']);
    await page.getByLabel('Select b-run').press('Space');
    await page.locator('table.runs thead input:indeterminate').waitFor();
    await page.getByLabel('Select all').press('Space');
    expect(await findings(watched, 'three selected', true)).toEqual([]);
    await page.getByRole('button', { name: 'Pause 2' }).press('Enter');
    await page.getByLabel('Reason').fill('lunch');
    expect(await page.locator('dialog').innerText()).toContain('c-run is left alone: it is finished');
    expect(await page.locator('dialog pre').textContent()).toBe('npx evolve pause b-run a-run --reason lunch');
    expect(await findings(watched, 'pause many', true)).toEqual([]);
    await page.locator('dialog button.main').press('Enter');
    await page.locator('dialog .did').waitFor();
    expect(asked).toMatchObject([
      { run: 'b-run', reason: 'lunch' },
      { run: 'a-run', reason: 'lunch' },
    ]);
    await watched.close();
    await list.stop();
  });

  test('sees why a run is parked and when it tries again, and gives it another model', async () => {
    const store = memoryStore();
    await grow(store, 'parked', 2);
    await store.setStatus('parked', 'needs attention', {
      reason: 'generate: ModelUnavailable: http://models/v1 answered 503.',
      parked: {
        since: new Date().toISOString(),
        ...{ tries: 3, next: new Date(Date.now() + 400_000).toISOString(), trying: false },
      },
    });
    const parked = await servePage(store);
    for (const look of LOOKS.slice(0, 2)) {
      const watched = await openPage(browser(), parked.url, look);
      const { page } = watched;
      const asked = await answered(page, 'set');
      await goTo(page, `${parked.url}/`, '#/run/parked');
      const next = page.getByLabel('The next step');
      const text = await next.innerText();
      expect(text).toContain('The model does not answer: http://models/v1 answered 503.');
      expect(text).toMatch(/failed 3 times\. It tries again by itself at \S+ \(in 6 min \d+ s\)/);
      expect(text).not.toMatch(/\.\.|npx|ModelUnavailable/);
      expect(await findings(watched, 'a parked run', true)).toEqual([]);
      expect(await next.getByRole('button').allInnerTexts()).toEqual(['Try again', 'Change model', 'Stop']);
      await next.getByRole('button', { name: 'Change model' }).press('Enter');
      await page.getByLabel('model.name').fill('another');
      expect(await findings(watched, 'another model', true)).toEqual([]);
      await page.locator('dialog button.main').press('Enter');
      await page.locator('dialog .did').waitFor();
      expect(asked).toMatchObject([{ run: 'parked', patch: { model: { name: 'another' } } }]);
      await watched.close();
    }
    await parked.stop();
  });

  test('is told at once that an action was sent, and for how long it is waited for', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[0]!);
    const { page } = watched;
    let answer: () => void = () => undefined;
    await answered(page, 'pause', () => new Promise((go) => (answer = go)));
    await goTo(page, `${served.url}/`, SETTINGS);
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.locator('dialog button.main').press('Enter');
    await holds(page, `/^Sent, waiting for the run, [1-9]/.test(document.querySelector('dialog .busy')?.textContent)`);
    answer();
    await page.locator('dialog .did').waitFor();
    await watched.close();
  });

  test('can do nothing while the server is away, and is told what to do', async () => {
    const own = await servePage((await runWith({ status: 'running' })).store);
    const watched = await openPage(browser(), own.url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${own.url}/`, SETTINGS);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await page.locator('.brand').innerText()).toMatch(/^DurableEvolve \S+/);
    await own.stop();
    await page.locator('.away', { hasText: 'npx evolve up' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    await watched.close();
  });

  test('is shown by an open dialog what is committed meanwhile', async () => {
    const store = memoryStore();
    await grow(store, 'demo', 3);
    const own = await servePage(store);
    const watched = await openPage(browser(), own.url, LOOKS[0]!);
    const { page } = watched;
    await goTo(page, `${own.url}/`, '#/run/demo/settings');
    await menu(page).press('Enter');
    await page.getByRole('button', { name: 'Rewind', exact: true }).press('Enter');
    await page.getByLabel('First step that is done again').fill('1');
    const behind = page.locator('dialog .warned');
    await behind.filter({ hasText: 'all up to step 3, and what the run commits until you confirm' }).waitFor();
    for (const step of [4, 5]) await store.commit(commitOf('demo', step, await store.openStep('demo', step, 'w')));
    await behind.filter({ hasText: 'all up to step 5, and' }).waitFor();
    expect(await page.locator('dialog').innerText()).toContain('(1 to 5)');
    await watched.close();
    await own.stop();
  });

  test('is told a refusal in the words of the command, and keeps what was typed', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[1]!);
    const { page } = watched;
    await goTo(page, `${served.url}/`, SETTINGS);
    for (const name of ['Extend', 'Inject a program', 'Give a hint']) {
      await menu(page).press('Enter');
      await page.getByRole('button', { name, exact: true }).press('Enter');
      await page.locator('dialog').waitFor();
      expect(await findings(watched, name, true)).toEqual([]);
      if (name !== 'Give a hint') await page.keyboard.press('Escape');
    }
    await page.getByLabel('Hint to the model').fill('<b>try</b> hexagons');
    await page.locator('dialog summary').press('Enter');
    expect(await page.locator('dialog pre').textContent()).toBe("npx evolve hint demo '<b>try</b> hexagons'");
    await page.locator('dialog button.main').press('Enter');
    expect(await page.locator('dialog [role=alert]').textContent()).toContain('nothing is up for');
    expect(watched.problems()).toEqual([expect.stringMatching(/^503: .*\/api\/v1\/runs\/demo\/hint$/)]);
    expect(await page.getByLabel('Hint to the model').inputValue()).toBe('<b>try</b> hexagons');
    await watched.close();
  });

  test('fills in the form of a run: a mistake stands beside its field, and what would be started is told', async () => {
    const watched = await openPage(browser(), served.url, LOOKS[1]!);
    const { page } = watched;
    await goTo(page, `${served.url}/`, '#/start');
    await page.locator('summary', { hasText: 'All settings' }).press('Enter');
    await page.getByLabel('Search in names and meanings').fill('parents drawn per step');
    const batch = page.getByLabel(/^batch/);
    await batch.fill('none of it');
    await batch.press('Tab');
    await page.getByRole('button', { name: 'Check' }).press('Enter');
    expect(await page.locator('.setting .error').textContent()).toBe(
      'expected a whole number from 1 to 1000000, got "none of it".',
    );
    expect(await findings(watched, 'a form with a mistake', true)).toEqual([]);
    await batch.fill('2');
    await batch.press('Tab');
    await page.locator('summary', { hasText: 'As a file' }).press('Enter');
    expect(await page.locator('textarea').inputValue()).toBe('batch: 2\n');
    await page.locator('textarea').fill('seed: 7\nlimits:\n  steps: 3\n');
    await page.getByRole('button', { name: 'Take it into the form' }).press('Enter');
    await page.locator('.did').waitFor();
    expect(await page.getByLabel(/^Steps/).inputValue()).toBe('3');
    expect(await page.locator('section[aria-label="Check and start"] li').allTextContents()).toContain(
      'It ends after 3 steps.',
    );
    // A changed field is as large as the others.
    const sizes = `[...document.querySelectorAll('.simple label')].map((one) => getComputedStyle(one).fontSize)`;
    expect(new Set(await page.evaluate<string[]>(sizes)).size).toBe(1);
    const task = page.getByLabel(/^Task/);
    expect(await task.locator('option').allTextContents()).toContain(
      'golomb-ruler-12: A short Golomb ruler with 12 marks, in JavaScript',
    );
    await task.selectOption('golomb-ruler-12');
    expect(await page.locator('textarea').inputValue()).toContain('task: golomb-ruler-12');
    await page.getByLabel('a folder on the machine of the server').check();
    expect(await task.inputValue()).toBe('golomb-ruler-12');
    expect(await findings(watched, 'a form that was checked', true)).toEqual([]);
    await watched.close();
  });
});

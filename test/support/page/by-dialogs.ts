// Actions as a person does them on the page: its buttons, dialogs and forms are found by their words, filled in and
// confirmed. What comes back is what the page says.
import type { Locator, Page } from 'playwright-core';
import { verbOf, type VerbName as SteeringVerb } from '../../../evolution/steering/verbs.ts';
import { type Body, titleOf, type VerbName } from '../../../page/api/actions/actions.ts';
import { goTo } from './browser.ts';

/** What was done, in the page's words, and the run that it offers to open. */
export type Clicked = { readonly text: string; readonly run: string | null };
export type Act = <V extends VerbName>(verb: V, body: Body<V>) => Promise<Clicked>;

type Given = { readonly [key: string]: unknown };
/** Each key of a body is entered in the field of its label. What has none is chosen by where the dialog is opened. */
const enter = async (dialog: Locator, verb: SteeringVerb, name: string, value: unknown): Promise<void> => {
  const field = verbOf(verb).fields[name];
  if (field?.label === undefined) return;
  const entry = dialog.getByLabel(field.label, { exact: field.type === 'number' });
  if (field.type === 'choice') await entry.selectOption(value as string);
  else if (field.type === 'flag') await entry.check();
  else await entry.fill(String(value));
};

/** Confirms the dialog that is open. Throws what the page says instead of being done. */
const confirmed = async (page: Page): Promise<Clicked> => {
  const dialog = page.locator('dialog');
  await dialog.locator('form button:not([type=button])').click();
  await dialog.locator('.did, [role=alert].many').first().waitFor();
  if ((await dialog.locator('[role=alert].many').count()) > 0)
    throw new Error((await dialog.locator('[role=alert].many').textContent()) ?? '');
  const text = (await dialog.locator('.did').textContent()) ?? '';
  const link = dialog.getByRole('link', { name: /^Open run/ });
  const run = (await link.count()) === 0 ? null : ((await link.textContent()) ?? '').replace('Open run ', '');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  return { text, run };
};

/** The button of an action, which may come only when the run's new state is told, and may stand in the menu. */
const press = async (page: Page, verb: VerbName): Promise<void> => {
  const name = new RegExp(`^${titleOf(verb)}$`);
  const button = page.locator('.acts button', { hasText: name });
  await button.waitFor({ state: 'attached' });
  if (!(await button.isVisible())) await page.locator('.acts .menu > summary').click();
  await button.click();
  await page.locator('dialog').waitFor();
};

/** The form takes a file, says that it can be started so, and asks for a last word. */
const begin = async (page: Page, what: 'run' | 'sweep', settings: object, id?: string): Promise<Clicked> => {
  await page.locator('summary', { hasText: 'As a file' }).click();
  await page.getByLabel('What the form says').fill(JSON.stringify(settings));
  await page.getByRole('button', { name: 'Take it into the form' }).click();
  await page.locator('section[aria-label="Check and start"] .did').waitFor();
  if (id !== undefined) {
    // What was checked is another run than one of this name.
    await page.getByLabel('Id of the run').fill(id);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.locator('section[aria-label="Check and start"] .did').waitFor();
  }
  await page.getByRole('button', { name: `Start the ${what}` }).click();
  await page.locator('dialog').waitFor();
  return confirmed(page);
};

const change = async (page: Page, patch: Given): Promise<Clicked> => {
  for (const [key, value] of Object.entries(patch)) {
    await page.getByLabel('Search in names and meanings').fill(key);
    const field = page.getByLabel(key, { exact: true });
    await field.fill(String(value));
    await field.press('Tab');
  }
  await page.getByRole('button', { name: 'Change them' }).click();
  await page.locator('dialog').waitFor();
  return confirmed(page);
};

/** `url` is that of a page whose server may act. */
export const byDialogs =
  (page: Page, url: string): Act =>
  async (verb, body) => {
    const given: Given = body;
    if (verb === 'start') {
      await goTo(page, `${url}/`, '#/start');
      return begin(page, 'run', given['settings'] as object, given['run'] as string);
    }
    if (verb === 'sweep') {
      await goTo(page, `${url}/`, '#/start?kind=sweep');
      return begin(page, 'sweep', given['spec'] as object);
    }
    if (verb === 'set') {
      await goTo(page, `${url}/`, `#/run/${String(given['run'])}/settings?change=1`);
      return change(page, given['patch'] as Given);
    }
    await goTo(
      page,
      `${url}/`,
      'sweep' in given ? `#/sweeps/${String(given['sweep'])}` : `#/run/${String(given['run'])}/events`,
    );
    await press(page, verb);
    for (const [key, value] of Object.entries(given)) await enter(page.locator('dialog'), verb, key, value);
    return confirmed(page);
  };

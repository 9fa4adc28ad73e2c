// A page in Chromium as tests look at it: whatever goes wrong while it is open is remembered, and the test fails of it.
import axe, { type AxeResults } from 'axe-core';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findOnPath } from '../../../deploy/host/run-command.ts';
import { until } from '../machine/home.ts';

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => findOnPath(name))
  .find((path) => path !== null);

/** Why tests in a browser are skipped; null where they run. */
export const noBrowser = (): string | null =>
  CHROMIUM !== undefined && existsSync(CHROMIUM)
    ? null
    : 'no Chromium: tests of the page are skipped (apt-get install chromium)';

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM!,
    headless: true,
    chromiumSandbox: false,
    handleSIGTERM: false,
    args: FLAGS,
  });

export const SIZES = {
  wide: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
} as const;
export type Look = { readonly size: keyof typeof SIZES; readonly theme: 'light' | 'dark' };
/** Every width in every theme. */
export const LOOKS: readonly Look[] = [
  { size: 'wide', theme: 'light' },
  { size: 'phone', theme: 'dark' },
  { size: 'wide', theme: 'dark' },
  { size: 'phone', theme: 'light' },
];

export type Watched = {
  readonly page: Page;
  /** What went wrong since the last call: errors, dialogs, requests to other hosts. */
  problems(): readonly string[];
  close(): Promise<void>;
};

/** `origin` is where requests may go; null where none may. */
export const openPage = async (browser: Browser, origin: string | null, { size, theme }: Look): Promise<Watched> => {
  const context: BrowserContext = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  let seen: string[] = [];
  page.on('console', (message) => {
    // What was not answered well is told below, with its address.
    if (message.text().startsWith('Failed to load resource')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      seen.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) seen.push(`${response.status()}: ${response.url()}`);
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (/^(data|blob|file):/.test(url)) return;
    if (origin === null || !url.startsWith(`${origin}/`)) seen.push(`foreign request: ${url}`);
  });
  return {
    page,
    problems() {
      const all = seen;
      seen = [];
      return all;
    },
    close: () => context.close(),
  };
};

// What is given to the page as text runs there: these files know no browser.

/** Until an expression is true. What Playwright itself offers for this is forbidden by the page's policy. */
export const holds = async (page: Page, expression: string, limitMs = 60_000): Promise<void> => {
  await until(expression, limitMs, () => page.evaluate<boolean>(expression));
};

/** Until the view of the address has drawn what it asked for. */
export const settled = async (page: Page): Promise<void> => {
  await holds(page, `document.querySelector('main h1') !== null && document.querySelector('main .busy') === null`);
};

/** `page` is at `url` or nowhere yet; `hash` begins with `#`. */
export const goTo = async (page: Page, url: string, hash: string): Promise<void> => {
  if (page.url().split('#')[0] === url) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    // The address is there at once, and the view when it is drawn. A browser on a busy machine may draw no frame at all.
    await page.evaluate(
      `new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); setTimeout(resolve, 1000); })`,
    );
  } else await page.goto(`${url}${hash}`);
  await settled(page);
};

/** What axe finds, one line each. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
      .then(({ violations }) => ({ violations: violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => ({ html: html.slice(0, 200), failureSummary })) })) }))`,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(' | ')}`,
  );
};

/** By how many pixels the page itself scrolls sideways; what is wide scrolls in its own box. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);

/** What is wrong with what the page shows now, one line each, beginning with where it is. */
export const findings = async (
  { page, problems }: Watched,
  where: string,
  withAxe = false,
): Promise<readonly string[]> => {
  const wide = await sideways(page);
  return [
    ...problems(),
    ...(wide > 0 ? [`the page itself scrolls sideways by ${wide} pixels`] : []),
    ...(withAxe ? await axeFindings(page) : []),
  ].map((text) => `${where}: ${text}`);
};

/** Addresses of all views that the page itself names: those of the whole page, and the tabs of a run. */
export const viewsOf = async (page: Page): Promise<readonly string[]> => {
  await page.locator('nav.tabs a').first().waitFor();
  return page.evaluate(
    `[...document.querySelectorAll('nav[aria-label="Views"] a, nav.tabs a')].map((link) => link.hash)`,
  );
};

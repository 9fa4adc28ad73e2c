// One browser for the tests of a file. For vitest only; benches and pictures use browser.ts alone.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch } from './browser.ts';

export const useBrowser = (): (() => Browser) => {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => browser!;
};

// What tests of the page share. For vitest only; benches and pictures use browser.ts and serve.ts alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import type { LiveEvent } from '../../../page/api/site/live.ts';
import type { Access } from '../../../page/server/access/gate.ts';
import { createApp } from '../../../page/server/app.ts';
import { type Answers, refusalOf, type Site } from '../../../page/server/site/site.ts';
import { grow } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { launch } from './browser.ts';
import { siteOver } from './serve.ts';

export const HOST = '127.0.0.1:8235';
/** What the page itself sends with each question. */
export const OURS = { 'x-evolve-page': '1', host: HOST };

/** One browser for the tests of a file. */
export const useBrowser = (): (() => Browser) => {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => browser!;
};

/** An empty folder that goes with the test. */
export const ownFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'page-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A site over the store, which goes with the test. */
export const ownSite = (store: Store): Site => {
  const site = siteOver(store);
  onTestFinished(() => site.close());
  return site;
};

/** A store with the run `demo` after this step. */
export const grown = async (lastStep: number): Promise<Store> => {
  const store = memoryStore();
  await grow(store, 'demo', lastStep);
  return store;
};

/** Asks the whole server, as the page does. */
export const asPage = (store: Store, access?: Access) => {
  const app = createApp(ownSite(store), {}, access);
  return (path: string, headers: object = OURS, init: RequestInit = {}) =>
    app.request(`http://${HOST}${path}`, { ...init, headers: { ...headers } as Record<string, string> });
};

/** The answers of these routes alone, below a path. `parts` of the site are the test's own. */
export const answersOver = (
  store: Store,
  routes: readonly Answers[],
  under = '/runs/demo/',
  parts: Partial<Site> = {},
) => {
  const site = { ...ownSite(store), ...parts };
  const app = new Hono();
  app.onError((error, c) => c.json(...refusalOf(error)));
  for (const add of routes) add(app, site);
  const get = async (path: string): Promise<Response> => app.request(`${under}${path}`);
  return {
    ...{ app, site, get },
    json: async <T>(path: string): Promise<T> => (await get(path)).json() as Promise<T>,
    status: async (path: string): Promise<number> => (await get(path)).status,
  };
};

/** The events of a stream as they come, until nobody wants more. */
export async function* eventsIn({ body }: Response, until?: AbortSignal): AsyncGenerator<LiveEvent> {
  let rest = '';
  for await (const text of body!.pipeThrough(new TextDecoderStream(), until && { signal: until })) {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('data: ')) yield JSON.parse(part.slice(6)) as LiveEvent;
  }
}

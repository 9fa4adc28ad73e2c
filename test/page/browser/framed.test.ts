// The page within another one: a notebook of this machine shows it, without anything to press, and no other site does.
// Attempts: the page and the network.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/page/browser.ts';
import { useBrowser } from '../../support/page/in-tests.ts';
import { RECORDED, recordedStore } from '../../support/page/recorded.ts';
import { type Served, servePage } from '../../support/page/serve.ts';

describe.skipIf(noBrowser() !== null)('in a frame', () => {
  const browser = useBrowser();
  let [served, notebook]: [Served, Server] = [] as never;
  beforeAll(async () => {
    served = await servePage((await recordedStore()).store);
    const frame = `<!doctype html><iframe src="${served.url}/#/run/${RECORDED}"></iframe>`;
    notebook = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(frame));
    await new Promise<void>((resolve) => notebook.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await served?.stop();
    notebook?.close();
  });
  const framedBy = async (host: string) => {
    const page = await browser().newPage();
    await page.goto(`http://${host}:${(notebook.address() as AddressInfo).port}/`);
    return page.frames()[1]!;
  };

  test('of a notebook on this machine it shows the run, and acts on nothing', async () => {
    const frame = await framedBy('localhost');
    await frame.waitForSelector('nav.tabs');
    expect(await frame.textContent('main')).toContain('This page only shows here, within another one');
    const page = frame.page();
    await page.goto(`${served.url}/#/run/${RECORDED}`);
    await page.waitForSelector('nav.tabs');
    expect(await page.textContent('main')).not.toContain('This page only shows');
  });

  test('of another site it shows nothing', async () => {
    const frame = await framedBy('other.localhost');
    expect(frame.url()).toMatch(/^chrome-error:/);
  });
});

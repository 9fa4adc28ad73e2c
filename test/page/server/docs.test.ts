// The site of the docs beside the page: its files, its scripts by their hashes, and nothing outside of its folder.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, expect, it } from 'vitest';
import { docsPages, hasDocs } from '../../../page/server/site/docs.ts';

const folder = mkdtempSync(join(tmpdir(), 'docs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const site = join(folder, 'site');
const app = new Hono();
docsPages(app, site);
const SCRIPT = 'document.title = "docs"';

it('is there when it is built', () => {
  expect(hasDocs(site)).toBe(false);
  mkdirSync(join(site, 'assets'), { recursive: true });
  writeFileSync(join(site, 'index.html'), `<script src="/docs/assets/a.js"></script><script id="a">${SCRIPT}</script>`);
  writeFileSync(join(site, 'assets', 'a.js'), 'export {}');
  writeFileSync(join(folder, 'secret.html'), 'secret');
  expect(hasDocs(site)).toBe(true);
});

it('runs the scripts that it was built with, and no others', async () => {
  const page = await app.request('/docs/');
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  expect(page.headers.get('content-security-policy')).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect((await app.request('/docs/assets/a.js')).headers.get('content-type')).toMatch(/^text\/javascript/);
});

it.each([
  '/docs/none.html',
  '/docs/../secret.html',
  '/docs/%2e%2e/secret.html',
  '/docs/..%2fsecret.html',
  '/docs//etc/passwd',
])('has nothing at %s', async (path) => {
  expect((await app.request(path)).status).toBe(404);
});

// The site of the docs beside the page, where `npm run docs` has built it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import { serveStatic } from 'hono/serve-static';

export const DOCS = fileURLToPath(new URL('../../../runs/site', import.meta.url));
export const hasDocs = (folder = DOCS): boolean => existsSync(join(folder, 'index.html'));

/** Scripts in a page of the site are named by their hashes, so that no others run. */
const policyOf = (html: string): string => {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`,
  );
  return `default-src 'none'; script-src 'self' ${scripts.join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};

export const docsPages = (app: Hono, folder = DOCS): void => {
  const files = serveStatic({
    root: folder,
    join,
    rewriteRequestPath: (path) => path.replace(/^\/docs/, '').replace(/\/$/, '/index.html'),
    getContent: async (path, c) => {
      const content = await readFile(path).catch(() => null);
      if (content !== null && path.endsWith('.html')) c.header('Content-Security-Policy', policyOf(content.toString()));
      return content;
    },
  });
  app.get('/docs', (c) => c.redirect('docs/'));
  app.get('/docs/*', files);
};

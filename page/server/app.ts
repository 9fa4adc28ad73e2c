// The answers of the page's server. Every subject has a file in answers/ and a line here.
import { Hono } from 'hono';
import type { Files } from '../bundle.ts';
import { actionAnswers } from './answers/actions.ts';
import { formAnswers } from './answers/forms.ts';
import { programAnswers } from './answers/programs.ts';
import { runAnswers } from './answers/runs.ts';
import { searchAnswers } from './answers/search.ts';
import { settingsAnswers } from './answers/settings.ts';
import { type Answers, refusalOf, type Site } from './site/site.ts';

const SUBJECTS: readonly Answers[] = [
  runAnswers,
  programAnswers,
  searchAnswers,
  actionAnswers,
  formAnswers,
  settingsAnswers,
];

/** Scripts and styles come from here alone, and nothing that is written in the page itself is run. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const createApp = (site: Site, files: Files): Hono => {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('Content-Security-Policy', POLICY);
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
    c.header('Cross-Origin-Opener-Policy', 'same-origin');
  });
  app.onError((error, c) => c.json(...refusalOf(error)));
  app.notFound((c) => c.json({ error: { kind: 'missing', message: 'there is nothing at this address' } }, 404));
  for (const [path, { type, bytes }] of Object.entries(files))
    app.get(path, (c) => c.body(bytes, 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' }));
  const api = new Hono();
  api.get('/site', (c) => c.json(site.about()));
  for (const add of SUBJECTS) add(api, site);
  app.route('/api', api);
  return app;
};

// The answers of the page's server. Every subject has a file in routes/ and a line here.
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { File, Files } from '../bundle.ts';
import { type Access, API, apiGate, hostGate, openSession } from './access/gate.ts';
import { sharedAnswers } from './access/shared-answers.ts';
import { WrongTokens } from './access/wrong-tokens.ts';
import { openApi } from './product/openapi.ts';
import { mount } from './product/route.ts';
import { ROUTES } from './product/routes.ts';
import { actionAnswers } from './routes/actions.ts';
import { columnAnswers } from './routes/columns.ts';
import { narrationAnswers } from './routes/narration.ts';
import { docsPages } from './site/docs.ts';
import { programAnswers } from './routes/programs.ts';
import { liveAnswers } from './routes/live.ts';
import { runAnswers } from './routes/runs.ts';
import { savedPages } from './routes/saved-page.ts';
import { searchAnswers } from './routes/search.ts';
import { settingsAnswers } from './routes/settings.ts';
import { compareAnswers } from './routes/compare.ts';
import { eventAnswers } from './routes/events.ts';
import { glanceAnswers } from './routes/overview.ts';
import { stepAnswers } from './routes/steps.ts';
import { modelAnswers } from './routes/models.ts';
import { timeAnswers } from './routes/time.ts';
import { type Answers, refusalOf, type Site } from './site/site.ts';

const SUBJECTS: readonly Answers[] = [
  runAnswers,
  programAnswers,
  searchAnswers,
  savedPages(),
  columnAnswers,
  liveAnswers,
  actionAnswers,
  settingsAnswers,
  narrationAnswers,
  compareAnswers,
  eventAnswers,
  glanceAnswers,
  stepAnswers,
  modelAnswers,
  timeAnswers,
];

/**
 * Scripts and styles come from here alone, and nothing that is written in the page itself is run. A notebook of this
 * machine may frame the page, and who is named too: within a frame it only shows (page/view/base/server.ts).
 */
const policy = ({ frame }: Access): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors http://127.0.0.1:* http://localhost:*${frame ? ` ${frame}` : ''}`,
  ].join('; ');
const HEADERS = {
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
/** Whoever opens an address in a browser gets a refusal as a page. */
const refused = (c: Context, [body, status]: ReturnType<typeof refusalOf>) =>
  c.req.header('accept')?.includes('text/html') && !c.req.path.startsWith('/api/')
    ? c.html(
        html`<!doctype html>
          <html lang="en">
            <meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><meta
              name="color-scheme"
              content="light dark"
            /><title>DurableEvolve</title>
            <h1>DurableEvolve shows nothing here</h1>
            <p>This server says: ${body.error.message}.</p>
            <p>docs/page.md tells how the page is opened, and how it stands behind a proxy.</p>
          </html>`,
        status,
      )
    : c.json(body, status);

const otherVersion = (version: string, path: string): string =>
  `this server (DurableEvolve ${version}) answers below ${API}, and was asked for ${path.slice(0, 100)}: reload the page, or bring this server and its client to the same version`;

const HERE: Access = { token: null, readOnly: null };

/** `files` may be a function that makes them when one is asked for. */
export const createApp = (site: Site, files: Files | (() => Promise<Files>), access: Access = HERE): Hono => {
  const app = new Hono();
  const headers = { ...HEADERS, 'Content-Security-Policy': policy(access) };
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) if (!c.res.headers.has(name)) c.header(name, value);
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  });
  app.use(hostGate(access));
  app.onError((error, c) => refused(c, refusalOf(error)));
  const missing = (c: Context) =>
    refused(c, [{ error: { kind: 'missing', message: 'there is nothing at this address' } }, 404]);
  app.notFound(missing);
  const api = new Hono();
  const wrong = new WrongTokens();
  api.use(apiGate(access, wrong));
  api.post('/session', openSession(access, wrong));
  // Apart, so that news can hold what is answered at the same time (routes/live.ts).
  const answers = new Hono();
  answers.onError((error, c) => c.json(...refusalOf(error)));
  // Before the answers that are kept for whoever asks the same.
  const streams = new Hono();
  mount(ROUTES, { answers, streams }, site);
  for (const add of SUBJECTS) add(answers, site);
  answers.get('/openapi.json', (c) => c.json(openApi(site.about().version, answers.routes)));
  api.route('/', streams);
  api.use(sharedAnswers());
  api.route('/', answers);
  app.route(API, api);
  app.all('/api/*', (c) =>
    c.req.path.startsWith(`${API}/`)
      ? missing(c)
      : refused(c, [{ error: { kind: 'missing', message: otherVersion(site.about().version, c.req.path) } }, 404]),
  );
  docsPages(app);
  app.get('/*', async (c) => {
    const all: { readonly [path: string]: File | undefined } = typeof files === 'function' ? await files() : files;
    const file = all[c.req.path];
    if (file === undefined) return missing(c);
    c.header('Cache-Control', 'no-cache');
    c.header('Vary', 'Accept-Encoding');
    c.header('Content-Type', file.type);
    const accepts = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
    if (!accepts || file.gzip === undefined) return c.body(file.bytes);
    c.header('Content-Encoding', 'gzip');
    return c.body(file.gzip);
  });
  return app;
};

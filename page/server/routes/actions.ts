// POST actions/<verb>: the one way in which the page changes anything. That it comes from the page itself, the gate has
// made sure of (access/gate.ts).
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Refused } from '../../api/site/live.ts';
import { bodyProblems, isVerb, verbs } from '../../api/actions/actions.ts';
import { ActionError, actorOf } from '../actions/actor.ts';
import type { Answers } from '../site/site.ts';

/** A program that is injected may be long. */
const MOST_BYTES = 2 * 1024 * 1024;

type Status = 400 | 403 | 404 | 413 | 415 | 500 | 503;
const refused = (c: Context, status: Status, message: string, kind: Refused['error']['kind'] = 'refused') =>
  c.json({ error: { kind, message } } satisfies Refused, status);

export const actionAnswers: Answers = (app, site) => {
  app.post(
    '/actions/:verb',
    async (c, next) => {
      const { readOnly } = site.about();
      if (readOnly !== null) return refused(c, 403, readOnly);
      if (!/^application\/json(;|$)/.test(c.req.header('content-type') ?? ''))
        return refused(c, 415, 'expected content-type application/json');
      return next();
    },
    bodyLimit({
      maxSize: MOST_BYTES,
      onError: (c) => refused(c, 413, `expected at most ${MOST_BYTES / 1024 / 1024} MB`),
    }),
    async (c) => {
      const verb = c.req.param('verb');
      if (!isVerb(verb))
        return refused(c, 404, `there is no action "${verb.slice(0, 40)}"; there are ${verbs.join(', ')}`, 'missing');
      let body: unknown;
      try {
        body = await c.req.json();
      } catch {
        return refused(c, 400, 'expected one JSON object as the body');
      }
      const problems = bodyProblems(verb, body);
      if (problems.length > 0) return refused(c, 400, `${verb}: ${problems.join('; ')}`);
      const { request, ...asked } = body as { readonly request: string };
      try {
        return c.json(await actorOf(site.place).act(verb, asked, request));
      } catch (error) {
        if (!(error instanceof ActionError)) throw error;
        return error.kind === 'refused'
          ? refused(c, 400, error.message)
          : refused(c, error.kind === 'away' ? 503 : 500, error.message, 'away');
      }
    },
  );
};

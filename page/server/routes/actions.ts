// The verbs, by which alone anything is changed (access/gate.ts says who may), and what the page's forms and dialogs are
// made of.
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Refused } from '../../api/site/live.ts';
import { bodyProblems, pathOf, type VerbName, verbs } from '../../api/actions/actions.ts';
import { ActionError, actorOf } from '../actions/actor.ts';
import { visitorOf } from '../access/visitor.ts';
import { type Answers, type Site, storedRun } from '../site/site.ts';
import { isObject } from '../../../evolution/steering/base/check.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { AfterStep } from '../../api/actions/forms.ts';

/** A program that is injected may be long. */
const MOST_BYTES = 2 * 1024 * 1024;

type Status = 400 | 403 | 404 | 413 | 415 | 500 | 503;
const refused = (c: Context, status: Status, message: string, kind: Refused['error']['kind'] = 'refused') =>
  c.json({ error: { kind, message } } satisfies Refused, status);

const guards = (site: Site): readonly [MiddlewareHandler, MiddlewareHandler] => [
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
];

const actFor = (site: Site, verb: VerbName) => async (c: Context) => {
  let body: unknown;
  try {
    body = await c.req.json();
  } catch {
    return refused(c, 400, 'expected one JSON object as the body');
  }
  const named = c.req.param() as { readonly [field: string]: string };
  const twice = isObject(body) ? Object.keys(named).find((field) => Object.hasOwn(body as object, field)) : undefined;
  if (twice !== undefined) return refused(c, 400, `${verb}: unknown key "${twice}": the path names it`);
  const whole: unknown = isObject(body) ? { ...body, ...named } : body;
  const problems = bodyProblems(verb, whole);
  if (problems.length > 0) return refused(c, 400, `${verb}: ${problems.join('; ')}`);
  const { request, ...asked } = whole as { readonly request: string };
  const { address } = visitorOf(c);
  const visitor = address.startsWith('127.') ? undefined : address;
  try {
    const done = await actorOf(site.place).act(verb, asked, request, visitor);
    site.engine.acted();
    return c.json(done);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    return error.kind === 'refused'
      ? refused(c, 400, error.message)
      : refused(c, error.kind === 'away' ? 503 : 500, error.message, 'away');
  }
};

export const actionAnswers: Answers = (app, site) => {
  const [allowed, bounded] = guards(site);
  for (const verb of verbs) app.post(pathOf(verb), allowed, bounded, actFor(site, verb));
  for (const under of ['/runs/:run/', '/sweeps/:sweep/']) {
    const names = verbs.map(pathOf).flatMap((path) => (path.startsWith(under) ? [path.slice(under.length)] : []));
    app.post(`${under}:verb`, (c) =>
      refused(
        c,
        404,
        `there is no action "${c.req.param('verb')?.slice(0, 40)}"; there are ${names.join(', ')}`,
        'missing',
      ),
    );
  }
  app.get('/ready', async (c) => c.json(site.about().readOnly === null && (await actorOf(site.place).ready())));
  for (const part of ['settings', 'place'] as const)
    app.get(`/forms/${part}`, async (c) => {
      try {
        return c.json(await actorOf(site.place).form(part));
      } catch (error) {
        if (!(error instanceof ActionError)) throw error;
        return c.json({ error: { kind: 'away', message: error.message } }, 503);
      }
    });
  afterAnswers(app, site);
};

/** What a rewind would set aside, or a fork would not have. */
const afterAnswers: Answers = (app, site) => {
  app.get('/runs/:run/after/:step', async (c) => {
    // A person decides by these numbers, so they are not of a look before.
    const { store, run } = await storedRun(site, c.req.param('run'));
    const step = /^\d{1,6}$/.test(c.req.param('step')) ? Number(c.req.param('step')) : -1;
    if (step < 0 || step > run.committedStep)
      throw new UsageError(
        run.committedStep < 0
          ? `run ${run.run} has committed no step yet`
          : `step: expected 0 to ${run.committedStep}, the last committed step of run ${run.run}, got ${c.req.param('step').slice(0, 20)}`,
      );
    for await (const one of store.eachStep(run.run, step)) {
      const [then, now] = [one.totals, run.totals];
      const answer: AfterStep = {
        ...{ step, committed: run.committedStep, steps: run.committedStep - step },
        programs: now.programs - then.programs,
        tokens: now.tokens.in + now.tokens.out - then.tokens.in - then.tokens.out,
        costUsd: now.costUsd - then.costUsd,
      };
      return c.json(answer);
    }
    throw new UsageError(`step ${step} of run ${run.run} is not stored`);
  });
};

// What forms and dialogs are made of: the settings' schema, what this installation offers, and what lies behind a step.
import { UsageError } from '../../../client/connect/errors.ts';
import type { AfterStep } from '../../api/actions/forms.ts';
import { ActionError, actorOf } from '../actions/actor.ts';
import type { Answers } from '../site/site.ts';

export const formAnswers: Answers = (app, site) => {
  for (const part of ['settings', 'place'] as const)
    app.get(`/forms/${part}`, async (c) => {
      try {
        return c.json(await actorOf(site.place).form(part));
      } catch (error) {
        if (!(error instanceof ActionError)) throw error;
        return c.json({ error: { kind: 'away', message: error.message } }, 503);
      }
    });
  app.get('/runs/:run/after/:step', async (c) => {
    const store = await site.store();
    const run = await site.looks.run(c.req.param('run'));
    const step = /^\d{1,6}$/.test(c.req.param('step')) ? Number(c.req.param('step')) : -1;
    if (step < 0 || step > run.committedStep)
      throw new UsageError(
        run.committedStep < 0
          ? `run ${run.run} has committed no step yet`
          : `step: expected 0 to ${run.committedStep}, the last committed step of run ${run.run}, got ${c.req.param('step').slice(0, 20)}`,
      );
    for await (const one of store.eachStep(run.run, step)) {
      const { totals } = one;
      const now = run.totals;
      const tokens = ({ tokens: used }: typeof totals): number => used.in + used.out;
      const answer: AfterStep = {
        step,
        committed: run.committedStep,
        steps: run.committedStep - step,
        programs: now.programs - totals.programs,
        tokens: tokens(now) - tokens(totals),
        costUsd: now.costUsd - totals.costUsd,
      };
      return c.json(answer);
    }
    throw new UsageError(`step ${step} of run ${run.run} is not stored`);
  });
};

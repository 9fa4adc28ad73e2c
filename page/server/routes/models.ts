// The models of a run as they are asked now, with the rates of their endpoints and the requests without an answer; and
// the policies of a run that learns, with all numbers that a trainer reports of an update.
import { modelId, modelPool } from '../../../evolution/models/ensemble.ts';
import { priceOf } from '../../../evolution/budget/money.ts';
import { unansweredBy } from '../../../activities/store/steps/bookings.ts';
import { taskOf } from '../../../client/connect/loaded-late.ts';
import type { AskedModel, Models } from '../../api/run/models.ts';
import { type Answers, storedRun } from '../site/site.ts';
import { policiesOf, policyLine } from '../../../client/learning/policies.ts';
import type { Policies } from '../../api/run/policies.ts';

const REASONS_TOLD = 3;
const MOST_REASON = 300;

export const modelAnswers: Answers = (app, site) => {
  app.get('/runs/:run/models', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    const direction = await taskOf(store, run).then(
      (task) => task.direction,
      () => 'maximise' as const,
    );
    const models: AskedModel[] = [];
    for (const model of modelPool(run.config)) {
      const { kind, baseUrl, roles, weight, rate } = model;
      const price = priceOf(model);
      const shared = rate === null || baseUrl === null ? null : await store.readRate(baseUrl);
      models.push({
        name: modelId(model),
        endpoint: kind === 'offline' ? 'offline' : baseUrl === null ? 'OPENAI_BASE_URL' : hostOf(baseUrl),
        ...{ roles, weight, price: price && { in: price.in, out: price.out } },
        perMinute:
          rate === null ? null : { requests: rate.requestsPerMinute ?? null, tokens: rate.tokensPerMinute ?? null },
        shares: shared === null ? null : shared.holders.map(({ share }) => share),
        pausedSeconds: Math.max(0, ...(shared?.pauses ?? []).map(({ ms }) => ms)) / 1000,
      });
    }
    const { bookings, waiting } = await store.unanswered(run.run);
    const answer: Models = {
      models,
      direction,
      scoring: run.config.evaluation.scoring,
      waiting,
      unanswered: [...unansweredBy('model', bookings)].map(([model, { requests, tokens, costUsd }]) => ({
        ...{ model, requests, costUsd, tokens: tokens.in + tokens.out },
        reasons: [
          ...new Set(
            bookings
              .toReversed()
              .flatMap((one) => (one.model === model && one.reason !== null ? [one.reason.slice(0, MOST_REASON)] : [])),
          ),
        ].slice(0, REASONS_TOLD),
      })),
      total: { tokensIn: run.totals.tokens.in, tokensOut: run.totals.tokens.out, costUsd: run.totals.costUsd },
    };
    return c.json(answer);
  });
  app.get('/runs/:run/policies', async (c) => {
    const { chain, behind } = await policiesOf(await site.store(), c.req.param('run'));
    const answer: Policies = { chain: chain.map(policyLine), behind: behind.map(policyLine) };
    return c.json(answer);
  });
};

/** The rest of an address may hold a secret. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an address that cannot be read');

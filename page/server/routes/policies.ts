// The policies of a run that learns, with all numbers that a trainer says of an update.
import type { PolicyDocument } from '../../../activities/store/documents/learning-documents.ts';
import { policiesOf } from '../../../client/learning/policies.ts';
import type { Policies, PolicyRow } from '../../api/run/policies.ts';
import type { Answers } from '../site/site.ts';

export const policyAnswers: Answers = (app, site) => {
  app.get('/runs/:run/policies', async (c) => {
    const { chain, behind, learns } = await policiesOf(await site.store(), c.req.param('run'));
    const answer: Policies = { learns, chain: chain.map(row), behind: behind.map(row) };
    return c.json(answer);
  });
};

const row = (policy: PolicyDocument): PolicyRow => {
  const { _id, version, kind, run, step, reward, zeroVariance, costUsd, trainer, servedAt } = policy;
  const { loss, gradNorm, clipFraction, isClipFraction, mismatch, used, dropped, tokens, seconds } = policy.result;
  return {
    ...{ policy: _id, version, kind, run, step, reward, loss, gradNorm, clipFraction, isClipFraction, mismatch },
    ...{ used, dropped, zeroVariance, tokens, seconds, costUsd, trainer },
    servedAt: servedAt.toISOString(),
  };
};

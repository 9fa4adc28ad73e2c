// The summary of a run that learns, for the run loop and for people.
import type { LearningBrief } from '../interface/learning.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { PolicyDocument } from '../store/documents/learning-documents.ts';
import { paidSoFar } from '../store/steps/paid.ts';
import { headOf } from '../store/steps/policy-head.ts';
import type { Store } from '../store/store.ts';

/** Null for a run that does not learn. */
export const learningBrief = async (
  store: Pick<Store, 'readPolicy' | 'owed'>,
  document: RunDocument,
): Promise<LearningBrief | null> => {
  const { learning } = document.config;
  if (learning.trainer === 'none') return null;
  const { policy, learned } = headOf(document);
  const newest = policy === null ? null : await store.readPolicy(policy.id);
  const costs = learning.price !== null || (document.training?.costUsd ?? 0) > 0;
  return {
    on: learning.on,
    version: document.configVersion,
    trainer: learning.trainer,
    lag: learning.lag,
    learned,
    policy,
    last: newest === null ? null : policyLine(newest, learned),
    ...(costs ? { paid: paidSoFar(document, await store.owed(document.run)) } : {}),
  };
};

/** `learned` is the last settled step. */
export const policyLine = (policy: PolicyDocument, learned = policy.step): string => {
  const { version, step, parent, kind, reward, result } = policy;
  const { loss, clipFraction, isClipFraction, mismatch, tokens, seconds } = result;
  const settled = learned > step ? `; step ${learned} gave nothing to learn from` : '';
  if (kind === 'start')
    return `version ${version}: ${parent === null ? 'the base model' : `begins with ${parent}`}${settled}`;
  const facts = [
    ...(reward === null ? [] : [`reward ${short(reward.mean)} (best ${short(reward.max)})`]),
    `loss ${short(loss)}`,
    ...(kind === 'policy'
      ? [
          `beyond the clip ${percent(clipFraction)}`,
          `importance weight bounded ${percent(isClipFraction)}`,
          `mismatch ${short(mismatch)} nats`,
        ]
      : []),
    `${tokens.toLocaleString('en-US')} tokens`,
    `${short(seconds)} s`,
  ];
  return `version ${version}, of step ${step}: ${facts.join(', ')}${settled}`;
};

const short = (value: number): string => String(Number(value.toPrecision(4)));
const percent = (share: number): string => `${short(100 * share)} %`;

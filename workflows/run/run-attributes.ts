// The search attributes of a run: what it is, how it stands, and how far it has come.
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { RunBrief } from '../../activities/interface/run.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { ATTRIBUTES, NO_POLICY } from '../engine/attributes.ts';
import { counted, keyword, listed, moment } from '../engine/telling.ts';

/** New settings may name another model. */
export const modelAttribute = ({ model }: RunBrief): SearchAttributeUpdatePair => ({
  key: ATTRIBUTES.model,
  value: keyword(model),
});

const policyAttribute = ({ learning }: RunBrief): SearchAttributeUpdatePair => ({
  key: ATTRIBUTES.policy,
  value: learning?.policy ? keyword(learning.policy.id) : NO_POLICY,
});

/** Attributes that an update of the policy may change. */
export const learnedOf = (brief: RunBrief): SearchAttributeUpdatePair[] => [
  policyAttribute(brief),
  { key: ATTRIBUTES.spend, value: listed(brief.paid.costUsd) },
];

/** All of them but the state. They make a row complete, whichever execution of the run it belongs to. */
export const attributesOf = (brief: RunBrief): SearchAttributeUpdatePair[] => [
  { key: ATTRIBUTES.run, value: brief.run },
  { key: ATTRIBUTES.task, value: keyword(brief.task) },
  { key: ATTRIBUTES.method, value: keyword(brief.method) },
  { key: ATTRIBUTES.seed, value: counted(brief.seed) },
  modelAttribute(brief),
  policyAttribute(brief),
  ...(brief.sweep === null ? [] : [{ key: ATTRIBUTES.sweep, value: brief.sweep }]),
  ...progressOf(brief),
];

/** Attributes that a commit may change. A value that is missing is taken away: a rewind may end there. */
export const progressOf = (brief: RunBrief): SearchAttributeUpdatePair[] => {
  const { committedStep, totals, paid, best, scoring, committedAtMs, improvedAtMs } = brief;
  return [
    { key: ATTRIBUTES.step, value: counted(committedStep) },
    { key: ATTRIBUTES.programs, value: counted(totals.programs) },
    { key: ATTRIBUTES.spend, value: listed(paid.costUsd) },
    { key: ATTRIBUTES.bestScore, value: best === null ? null : listed(rankingScore(best, scoring ?? 'tolerant')) },
    { key: ATTRIBUTES.strictScore, value: typeof best?.strictScore === 'number' ? listed(best.strictScore) : null },
    { key: ATTRIBUTES.lastCommit, value: moment(committedAtMs) },
    { key: ATTRIBUTES.lastImprovement, value: moment(improvedAtMs) },
  ];
};

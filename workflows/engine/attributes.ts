// Runs and steps are found and filtered in the Temporal UI by these search attributes. The worker registers them when
// it starts. Stores in SQL take ten keywords and three of each other type in a namespace, so there is no room for more
// whole numbers or fractions.
import { defineSearchAttributeKey } from '@temporalio/common';

export const ATTRIBUTES = {
  run: defineSearchAttributeKey('EvoRunId', 'KEYWORD'),
  sweep: defineSearchAttributeKey('EvoSweepId', 'KEYWORD'),
  task: defineSearchAttributeKey('EvoTask', 'KEYWORD'),
  method: defineSearchAttributeKey('EvoMethod', 'KEYWORD'),
  status: defineSearchAttributeKey('EvoStatus', 'KEYWORD'),
  step: defineSearchAttributeKey('EvoStep', 'INT'),
  programs: defineSearchAttributeKey('EvoEvaluations', 'INT'),
  /** The names of the models; of the offline one, that it is no language model. */
  model: defineSearchAttributeKey('EvoModel', 'KEYWORD'),
  seed: defineSearchAttributeKey('EvoSeed', 'INT'),
  /** The policy of a run that learns; NO_POLICY for all others. */
  policy: defineSearchAttributeKey('EvoPolicy', 'KEYWORD'),
  bestScore: defineSearchAttributeKey('EvoBestScore', 'DOUBLE'),
  /** The strict score of the best program, where its task has one. */
  strictScore: defineSearchAttributeKey('EvoStrictScore', 'DOUBLE'),
  /** The times at which the last step and the present best program were committed. */
  lastCommit: defineSearchAttributeKey('EvoLastCommit', 'DATETIME'),
  lastImprovement: defineSearchAttributeKey('EvoLastImprovement', 'DATETIME'),
  spend: defineSearchAttributeKey('EvoSpend', 'DOUBLE'),
  needsAttention: defineSearchAttributeKey('EvoNeedsAttention', 'BOOL'),
} as const;

export const NO_POLICY = '-';

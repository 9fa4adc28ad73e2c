// Runs and steps are found and filtered in the Temporal UI by these search attributes. The worker registers them when
// it starts.
import { defineSearchAttributeKey } from '@temporalio/common';

export const ATTRIBUTES = {
  run: defineSearchAttributeKey('EvoRunId', 'KEYWORD'),
  sweep: defineSearchAttributeKey('EvoSweepId', 'KEYWORD'),
  task: defineSearchAttributeKey('EvoTask', 'KEYWORD'),
  method: defineSearchAttributeKey('EvoMethod', 'KEYWORD'),
  status: defineSearchAttributeKey('EvoStatus', 'KEYWORD'),
  step: defineSearchAttributeKey('EvoStep', 'INT'),
  programs: defineSearchAttributeKey('EvoEvaluations', 'INT'),
  bestScore: defineSearchAttributeKey('EvoBestScore', 'DOUBLE'),
  spend: defineSearchAttributeKey('EvoSpend', 'DOUBLE'),
  needsAttention: defineSearchAttributeKey('EvoNeedsAttention', 'BOOL'),
} as const;

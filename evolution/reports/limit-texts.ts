// The limits of a run in words, each with the form of its numbers.
import type { StopReason } from '../budget/limits.ts';
import { amount, count, duration, score, dollars } from './number-text.ts';

export const LIMIT_TEXTS: { readonly [limit in StopReason]: readonly [name: string, text: (value: number) => string] } =
  {
    steps: ['steps', count],
    programs: ['programs', count],
    tokens: ['tokens', amount],
    costUsd: ['cost', dollars],
    wallSeconds: ['time', duration],
    targetScore: ['score to reach', score],
    noImprovementPrograms: ['programs without a better one', count],
    stagnantEpochs: ['steps without progress', count],
  };

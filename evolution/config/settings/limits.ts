// These settings say what ends a run (`limits`).
import { z } from 'zod';
import { whole, above, finite, flag, orNull, ANY } from './leaves.ts';

export const limits = z.strictObject({
  steps: orNull(whole(1, 999_999)).describe(
    "Steps after which the run ends; null: no limit. The preset's limit holds only where no limit on programs, tokens, cost or time is set that can end the run.",
  ),
  programs: orNull(whole(1, ANY)).describe(
    'Programs (candidates made) after which the run ends. A step that would exceed it makes only as many as are left.',
  ),
  tokens: orNull(whole(1, ANY)).describe(
    'Tokens, in and out together. A request that is likely to exceed it is not sent.',
  ),
  costUsd: orNull(above(0, 1e9)).describe(
    'US dollars; needs the price of every model. A request that is likely to exceed it is not sent. Where every price is 0 it ends nothing, and the limit on steps stays.',
  ),
  wallSeconds: orNull(above(0, 1e9)).describe('Seconds since the run began after which no further step starts.'),
  countPauses: flag().describe(
    'Whether `wallSeconds` goes on while the run is paused, and between its end and the moment at which it is opened again. What is parked counts in any case.',
  ),
  targetScore: orNull(z.union([finite(), z.literal('bar')], { error: 'a number, "bar" or null' })).describe(
    "Score that ranks (`evaluation.scoring`), in the task's direction, at which the run ends; `bar`: the best value known of the task (the reference with `best: true`), to nine digits.",
  ),
  noImprovementPrograms: orNull(whole(1, ANY)).describe(
    'Programs made since the best score last improved after which no further step starts. Not an end that is sure to come.',
  ),
  stagnantEpochs: orNull(whole(1, ANY)).describe(
    "Steps one after the other in which no island's own child became that island's best, after which no further step starts (CodeEvolve). Migrants do not count, nor steps in which islands are initialised. Not an end that is sure to come.",
  ),
});

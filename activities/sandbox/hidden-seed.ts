// What the evaluator of a `function` task draws its hidden data from: the program cannot know it, and it is the same whenever this program is
// evaluated with the same secret. Called by evaluate.ts; workers keep the secret in the data directory.
import { createHmac, randomBytes } from 'node:crypto';

/** 0 to 2^32 - 1. `redraw` gives other seeds for the same program. */
export type HiddenSeed = (evaluatorDigest: string, code: string, redraw: number) => number;

/** Without a secret: one of this process alone. */
export const hiddenSeeds = (secret: string = randomBytes(32).toString('hex')): HiddenSeed => (evaluatorDigest, code, redraw) =>
  createHmac('sha256', secret).update(JSON.stringify([evaluatorDigest, code, redraw])).digest().readUInt32BE(0);

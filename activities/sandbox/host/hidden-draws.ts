// The keys from which the evaluator of a `function` task draws its data. A program cannot know them, because they are
// made from a secret of the data directory that no container with candidate code gets, and that is never stored.
import { createHmac, randomBytes } from 'node:crypto';
import type { Task } from '../../../evolution/task/task.ts';
import type { Json } from '../../../evolution/types.ts';

/** The parts of a job on which its data depend. Left out, `draws` is the run. */
type Drawn = {
  readonly run: string;
  readonly code: string;
  readonly draws?: string;
  readonly redraw?: number;
  readonly holdout?: boolean;
};

/** Keys of the instance on the evaluator's side. */
type HiddenData = {
  /** 64 hexadecimal digits: too many to be tried, or to be prepared for. */
  readonly hidden_key: string;
  /** From 0 to 2^32 - 1. */
  readonly hidden_seed: number;
};

/**
 * In a task with `data: drawn` both are the same for all programs that have the same draws, so that no program ranks
 * higher by luck. In any other task the seed depends on the program's text, as it did before tasks could say so.
 * A second look (`redraw`) and the hidden instances (`holdout`) have draws of their own.
 */
export type HiddenDraws = (task: Pick<Task, 'data' | 'evaluatorDigest'>, job: Drawn) => HiddenData;

/** Makes the draws from a secret, or without one from a secret of this process alone. */
export const hiddenDraws = (secret: string = randomBytes(32).toString('hex')): HiddenDraws => {
  const digest = (of: Json): Buffer => createHmac('sha256', secret).update(JSON.stringify(of)).digest();
  return ({ data, evaluatorDigest }, { run, code, draws = run, redraw = 0, holdout = false }) => {
    const key = digest(['draws', draws, holdout ? 'hidden' : 'score', redraw]);
    const seed = data === 'drawn' ? key : digest([evaluatorDigest, code, redraw]);
    return { hidden_key: key.toString('hex'), hidden_seed: seed.readUInt32BE(0) };
  };
};

// With this input a run starts the workflow that updates its policy; with `training` a person trains a judge.
import type { Training } from '../../activities/interface/learning.ts';
import type { Links } from '../../activities/interface/run.ts';
import type { Internal } from '../engine/form.ts';

export type UpdateInput = Internal<{
  readonly run: string;
  /** The committed step on whose rollouts the policy is trained. */
  readonly step: number;
  /** The run's execution to which this update belongs. */
  readonly owner: string;
  /** For people who look at the update: the name of the trainer, and the policy that is trained on, where there is one. */
  readonly trainer: string;
  readonly policy: string | null;
  /** A training that belongs to no run: `run` is its name, and `step` the number of its epochs. */
  readonly training?: Training;
  readonly links?: Links;
}>;

// These messages steer a run, a step or a sweep (docs/steering.md). Each takes one JSON object, so that the Temporal
// UI's forms, the CLI and the library say the same.
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { UpdateOrder, UpdateResult } from '../../activities/interface/learning.ts';
import type { StepSummary } from '../../activities/interface/step.ts';
import type { ModelSettings } from '../../evolution/config/run-config.ts';
import type { Parked, Refusal, RunStatus } from '../../evolution/run-states.ts';
import type { Body } from '../../evolution/steering/verbs.ts';
import type { Report } from '../engine/reports.ts';
import type { InStep } from '../../evolution/reports/in-step.ts';
import type { Internal } from '../engine/form.ts';

export type { InStep } from '../../evolution/reports/in-step.ts';

export type PauseRequest = Body<'pause'>;
export type StopRequest = Body<'stop'>;
export type RetryRequest = Body<'retry'>;
export type ExtendRequest = Body<'extend'>;
/** Fields that are left out are as in the run's first model. */
export type AddModelRequest = Partial<ModelSettings> & { readonly name: string };
export type RewindRequest = Body<'rewind'>;

/** The present operation of an update. `order` is null until it is planned, and `result` until it is applied. */
export type InUpdate = {
  readonly operation: UpdateOperation;
  readonly order: UpdateOrder | null;
  readonly result: UpdateResult | null;
};
export type UpdateOperation = 'plan' | 'apply' | 'publish' | 'verify' | 'commit';
export type RunProgress = {
  readonly status: RunStatus;
  readonly step: number;
  /** The step whose workflow is at work on it; in a window, its first step. */
  readonly workflow: number;
  readonly attention: string | null;
  /** The times and tries of the parked phase; null where none is parked. */
  readonly parked: Parked | null;
  /**
   * True where a pause and a stop were taken, whatever else `status` says, and while the run is not open; the reason of
   * the last refusal.
   */
  readonly paused: boolean;
  readonly stopping: boolean;
  readonly opening: boolean;
  readonly refusal: string | null;
  /** The last messages that changed nothing, newest first, at most three. */
  readonly refusals: readonly Refusal[];
  /** True while a window finishes what it has begun and begins nothing new, for whatever reason; else left out. */
  readonly closing?: boolean;
  /** The policy from which the next step samples; null where there is none. */
  readonly policy: { readonly id: string; readonly version: number } | null;
  /**
   * The update of the policy that is under way: its step, and since when; null where none is. `at`, what it is at, is
   * known to the engine and not to the run: who asks adds it.
   */
  readonly update: { readonly step: number; readonly since: string; readonly at?: string } | null;
};

/** To a step or an update of a policy that is parked. */
export const retry = defineSignal<[RetryRequest | undefined]>('retry');
export const status = defineQuery<RunProgress>('status');

/** From a step to its run, and from the update of a policy to its run. */
export const stepReport = defineSignal<[Internal<Report>]>('stepReport');
export const updateReport = defineSignal<[Internal<Report>]>('updateReport');
/**
 * From the first step of a window to its run: the last step to which the window may come, and the result of the last
 * commit (null at first).
 */
export type WindowReport = {
  readonly step: number;
  readonly last: number;
  readonly summary: StepSummary | null;
  /**
   * From a window of a stream: null, or it asks for the next window (seam.ts), which is to have the name of this step.
   * Left out by windows of islands.
   */
  readonly next?: number | null;
};
export const windowReport = defineSignal<[Internal<WindowReport>]>('windowReport');
/**
 * From the workers to what may rest, when another version of the workflows has become the current one. It says nothing:
 * the task in which it comes knows.
 */
export const versionChanged = defineSignal<[]>('versionChanged');
/** From a run to a window: no island goes further than the foremost one is. */
export const closeWindow = defineSignal<[]>('closeWindow');
export const inStep = defineQuery<InStep>('inStep');
export const inUpdate = defineQuery<InUpdate>('inUpdate');

export type SweepProgress = {
  readonly status: RunStatus;
  /** The number of runs of the sweep, and how many of them wait, live, and are done with the present stretch. */
  readonly runs: number;
  readonly waiting: number;
  readonly alive: number;
  readonly done: number;
  /**
   * The number of programs at which the present rung of successive halving ends; null without halving, or in the last
   * stretch.
   */
  readonly rung: number | null;
  /** As in RunProgress. */
  readonly paused: boolean;
  readonly stopping: boolean;
  readonly opening: boolean;
  readonly refusal: string | null;
  readonly refusals: readonly Refusal[];
  readonly attention: string | null;
};
export const sweepProgress = defineQuery<SweepProgress>('progress');

// Messages that steer a run. Each takes one JSON object, so that the Temporal UI's forms, the CLI and a library say the same.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Limits } from '../evolution/config/run-config.ts';

export type PauseRequest = { readonly mode?: 'step' | 'now'; readonly reason?: string };
export type StopRequest = { readonly mode?: 'step' | 'now'; readonly reason?: string };
/** New limits; with `add: true` the numbers are added to the present ones. */
export type ExtendRequest = Partial<Record<keyof Limits, number>> & { readonly add?: boolean };

export type InStep = { readonly total: number; readonly responses: number; readonly applied: number; readonly evaluated: number; readonly toEvaluate: number };
export type RunProgress = {
  readonly status: 'running' | 'paused' | 'needs attention' | 'stopping';
  readonly step: number;
  readonly attention: string | null;
  readonly inStep: InStep | null;
};

export const pause = defineSignal<[PauseRequest?]>('pause');
export const resume = defineSignal<[Record<string, never>?]>('resume');
export const stop = defineSignal<[StopRequest?]>('stop');
export const retry = defineSignal<[Record<string, never>?]>('retry');
export const extend = defineUpdate<Limits, [ExtendRequest]>('extend');
export const status = defineQuery<RunProgress>('status');

/** From a step to its run: an error to attend to, or null when it is gone; and how far the step is. */
export const stepReport = defineSignal<[{ readonly step: number; readonly attention: string | null }]>('stepReport');
export const inStep = defineQuery<InStep>('inStep');

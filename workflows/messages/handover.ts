// The windows of a stream (workflows/stream/stream.ts) overlap:
// 1. the present window asks its run for the next one (windowReport with `next`), and the run begins it;
// 2. the next window says that it is there (windowReady);
// 3. the present window hands everything over (handOver), and asks for nothing more;
// 4. it reports what becomes of the requests that it waits for (streamNews), until there are none.
import { defineSignal } from '@temporalio/workflow';
import type { StepPlan, StepSummary, Unrepaired } from '../../activities/interface/step.ts';
import type { AllowanceBudget } from '../../evolution/budget/allowance.ts';
import type { Stage } from '../../evolution/stages.ts';
import type { Internal } from '../engine/form.ts';

/** A group that is planned and not asked for, with the stage that comes before its programs. */
export type ReadyGroup = { readonly group: number; readonly stage: Stage | null };

/** A group that is asked for and not committed. Counts are of slots; a slot ends when nothing more comes of it. */
export type OpenGroup = {
  readonly group: number;
  readonly answered: number;
  readonly evaluated: number;
  readonly ended: number;
  /** Slots that are not asked for, to keep a limit. */
  readonly omitted: readonly number[];
  readonly unrepaired: readonly Unrepaired[];
};

export type HandedOver = {
  readonly plan: StepPlan;
  /** The step that is committed next, and the group that is planned next. */
  readonly step: number;
  readonly planned: number;
  /** In the order in which they are asked for. */
  readonly ready: readonly ReadyGroup[];
  /** Those that are finished stand first, in the order in which they were. */
  readonly open: readonly OpenGroup[];
  readonly budget: AllowanceBudget;
  /** Programs that a limit leaves to be asked for; null without one. */
  readonly programs: number | null;
  /** The summary of the last step that was committed. */
  readonly summary: StepSummary | null;
  /** The number of answers that came lately, and how long the last evaluations took. */
  readonly arrivals: number;
  readonly evaluationMs: number;
};

export type StreamNews = {
  /** The groups that changed since the last news. */
  readonly groups: readonly OpenGroup[];
  /** Answers, tokens and cost since the window was handed over. */
  readonly responses: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** Nothing more comes. */
  readonly over: boolean;
};

export const windowReady = defineSignal<[Internal<{ readonly step: number }>]>('windowReady');
export const handOver = defineSignal<[Internal<HandedOver>]>('handOver');
export const streamNews = defineSignal<[Internal<StreamNews>]>('streamNews');

// Windows of a stream (workflows/step/stream.ts) overlap: at the seam the next window says that it is there and is
// handed everything, and then it is told what becomes of requests for which the one before still waits.
import { defineSignal } from '@temporalio/workflow';
import type { StepPlan, StepSummary, Unrepaired } from '../../activities/interface/step.ts';
import type { AllowanceBudget } from '../../evolution/budget/allowance.ts';
import type { Stage } from '../../evolution/stages.ts';
import { finite, flag, having, mapping, orNull, requireShape, type Shape, whole } from './shape.ts';

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
  /** Of the last step that was committed. */
  readonly summary: StepSummary | null;
  /** The number of answers that came lately. */
  readonly arrivals: number;
};

export type StreamNews = {
  /** What has become known of groups since the last news. */
  readonly groups: readonly OpenGroup[];
  /** What was answered and paid since the window was handed over. */
  readonly responses: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** Nothing more comes. */
  readonly over: boolean;
};

export const windowReady = defineSignal<[{ readonly step: number }]>('windowReady');
export const handOver = defineSignal<[HandedOver]>('handOver');
export const streamNews = defineSignal<[StreamNews]>('streamNews');

const listOf = (shape: Shape): Shape[string] => ({
  expected: `a list of objects with ${Object.keys(shape).join(', ')}`,
  holds: (value) => Array.isArray(value) && value.every((one) => having(shape).holds(one)),
  required: true,
});
const list = { expected: 'a list', holds: (value: unknown) => Array.isArray(value), required: true };
const numbers = {
  expected: 'a list of whole numbers',
  holds: (value: unknown) => Array.isArray(value) && value.every((one) => whole(0).holds(one)),
  required: true,
};
const COUNT = { ...whole(0), required: true };
const AMOUNT = { ...finite, required: true };
const GROUP: Shape = {
  ...{ group: COUNT, answered: COUNT, evaluated: COUNT, ended: COUNT },
  ...{ omitted: numbers, unrepaired: list },
};
const PLAN: Shape = {
  ...{ generation: COUNT, epoch: COUNT, version: COUNT, stream: { ...mapping, required: true } },
  responses: { ...whole(1), required: true },
};
const NOT_FOR_PEOPLE = 'it is a message between workflows';

/** A window hands nothing over to itself. `own` is the step in whose name it is. */
export const validateReady = (body: { readonly step: number }, own: number): void => {
  const holds = (value: unknown): boolean => whole(0).holds(value) && value !== own;
  const other = { expected: 'the step of another window', holds, required: true };
  requireShape('windowReady', body, { step: other }, `{"step": 3}; ${NOT_FOR_PEOPLE}`, 'ignored');
};

export const validateHandOver = (body: HandedOver): void =>
  requireShape(
    'handOver',
    body,
    {
      plan: { ...having(PLAN), required: true },
      step: COUNT,
      planned: COUNT,
      ready: listOf({ group: COUNT }),
      open: listOf(GROUP),
      budget: { ...having({ tokens: orNull(finite), costUsd: orNull(finite) }), required: true },
      programs: orNull(finite),
      arrivals: COUNT,
    },
    `{"plan": {}, "step": 3, "planned": 9}; ${NOT_FOR_PEOPLE}`,
    'ignored',
  );

export const validateNews = (body: StreamNews): void =>
  requireShape(
    'streamNews',
    body,
    { groups: listOf(GROUP), responses: COUNT, tokens: AMOUNT, costUsd: AMOUNT, over: { ...flag, required: true } },
    `{"groups": [], "responses": 0, "tokens": 0, "costUsd": 0, "over": false}; ${NOT_FOR_PEOPLE}`,
    'ignored',
  );

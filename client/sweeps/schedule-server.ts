// Two things that the client library's own form of a schedule cannot do: to list its times, and to change it without
// losing fields that the form does not know, such as a policy that keeps workflow ids as they are.
import type { ScheduleDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { randomUUID } from 'node:crypto';
import type { Json } from '../../evolution/types.ts';
import type { Engine } from '../connect/connection.ts';
import type { CheckedSettings } from './schedule-settings.ts';

type Raw = ScheduleDescription['raw'];
type Spec = NonNullable<NonNullable<Raw['schedule']>['spec']>;
/** 64-bit numbers are written from plain ones too. */
type Int64 = NonNullable<NonNullable<NonNullable<Raw['schedule']>['state']>['remainingActions']>;

/** The times that it starts at, from after `start` to `end`. The server tells at most 1,000. */
export const scheduledTimes = async (
  { client, namespace }: Engine,
  scheduleId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<readonly Date[]> => {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId,
    startTime: msToTs(start.getTime()),
    endTime: msToTs(end.getTime()),
  });
  return startTime.map((time) => new Date(tsToMs(time)));
};

/** Replaces the given settings, and the input where there is one. Refused where it was changed meanwhile. */
export const editSchedule = async (
  { client, namespace }: Engine,
  id: string,
  { schedule, conflictToken }: Raw,
  { spec, policies, state }: CheckedSettings,
  input: Json | null,
): Promise<void> => {
  const { overlap, catchupWindow, pauseOnFailure } = policies;
  const { remainingActions, note } = state;
  await client.workflowService.updateSchedule({
    namespace,
    scheduleId: id,
    conflictToken: conflictToken ?? null,
    requestId: randomUUID(),
    identity: 'evolve',
    schedule: {
      spec: { ...schedule?.spec, ...specOf(spec) },
      action: {
        startWorkflow: {
          ...schedule?.action?.startWorkflow,
          ...(input !== null && { input: { payloads: [defaultPayloadConverter.toPayload(input)] } }),
        },
      },
      policies: {
        ...schedule?.policies,
        ...(overlap !== undefined && {
          overlapPolicy: proto.temporal.api.enums.v1.ScheduleOverlapPolicy[`SCHEDULE_OVERLAP_POLICY_${overlap}`],
        }),
        ...(catchupWindow !== undefined && { catchupWindow: msToTs(catchupWindow) }),
        ...(pauseOnFailure !== undefined && { pauseOnFailure }),
      },
      state: {
        ...schedule?.state,
        ...(remainingActions !== undefined && {
          limitedActions: true,
          remainingActions: remainingActions as unknown as Int64,
        }),
        ...(note !== undefined && { notes: note }),
      },
    },
  });
};

const specOf = (spec: CheckedSettings['spec']): Spec => {
  const { cronExpressions, intervals, timezone, jitter, startAt, endAt } = spec;
  return {
    ...(cronExpressions !== undefined && {
      cronString: [...cronExpressions],
      calendar: [],
      structuredCalendar: [],
      interval: (intervals ?? []).map(({ every }) => ({ interval: msToTs(every) })),
    }),
    ...(timezone !== undefined && { timezoneName: timezone }),
    ...(jitter !== undefined && { jitter: msToTs(jitter) }),
    ...(startAt && { startTime: msToTs(startAt.getTime()) }),
    ...(endAt && { endTime: msToTs(endAt.getTime()) }),
  };
};

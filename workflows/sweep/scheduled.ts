// What a schedule, or a person, started: the time that it stands for, and the name that this gives a sweep.
import { workflowInfo } from '@temporalio/workflow';
import { sweepName } from '../../evolution/sweep/name.ts';
import type { Json } from '../../evolution/types.ts';

/**
 * The time that a schedule started this execution for, which in a backfill lies days before its start. Where no
 * schedule started it: its start. Continue-as-new and resets keep it.
 */
const scheduledTime = (): Date => {
  const { searchAttributes, startTime } = workflowInfo();
  const time = searchAttributes['TemporalScheduledStartTime']?.[0];
  return time instanceof Date ? time : startTime;
};

/** The sweep with its final name. One without a name stays as it is: who opens it says what is wrong. */
export const withScheduledName = (spec: Json): Json => {
  const { name } = spec as { readonly name?: unknown };
  return typeof name === 'string' ? { ...(spec as object), name: sweepName(name, scheduledTime()) } : spec;
};

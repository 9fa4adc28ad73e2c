// The activities of a step, with their times, from the history that the workflow engine keeps of it.
import { type Engine, openEngine, type Place } from '../../../client/connect/connection.ts';
import { isNotFound } from '../../../client/temporal/workflow.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { Activity, StepTime } from '../../api/run/time.ts';

const ANSWER_MS = 15_000;

type Timestamp = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;
const msOf = (time: Timestamp): number => Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);

type StepQuery = {
  readonly run: string;
  readonly step: number;
  /** The earliest step whose workflow may have done it. */
  readonly earliest: number;
};

/** Null where the engine keeps none. */
export const readHistory = async (place: Place, asked: StepQuery): Promise<StepTime['history']> => {
  const engine = await openEngine(place, ANSWER_MS);
  try {
    return await engine.connection.withDeadline(Date.now() + ANSWER_MS, () => find(engine, asked));
  } finally {
    await engine.close();
  }
};

const find = async ({ client }: Engine, { run, step, earliest }: StepQuery): Promise<StepTime['history']> => {
  for (let number = step; number >= earliest; number -= 1) {
    try {
      const { events = [] } = await client.workflow.getHandle(stepWorkflowId(run, number)).fetchHistory();
      return historyOf(events ?? [], number);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return null;
};

type History = Awaited<ReturnType<ReturnType<Engine['client']['workflow']['getHandle']>['fetchHistory']>>;
const historyOf = (events: NonNullable<History['events']>, firstStep: number): NonNullable<StepTime['history']> => {
  const activities = new Map<string, { -readonly [key in keyof Activity]: Activity[key] }>();
  let endMs: number | null = null;
  for (const event of events) {
    const atMs = msOf(event.eventTime);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      activities.set(String(event.eventId), {
        name: scheduled.activityType?.name ?? 'unknown',
        queue: scheduled.taskQueue?.name ?? 'unknown',
        ...{ scheduledMs: atMs, startedMs: null, endedMs: null, attempt: 1, failed: false },
      });
      continue;
    }
    const started = event.activityTaskStartedEventAttributes;
    const one = activities.get(String(started?.scheduledEventId ?? ''));
    if (started && one !== undefined) {
      one.startedMs = atMs;
      one.attempt = started.attempt ?? 1;
      continue;
    }
    const failed =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    const ended = activities.get(
      String((event.activityTaskCompletedEventAttributes ?? failed)?.scheduledEventId ?? ''),
    );
    if (ended !== undefined) {
      ended.endedMs = atMs;
      ended.failed = failed != null;
      continue;
    }
    if (
      event.workflowExecutionCompletedEventAttributes ??
      event.workflowExecutionFailedEventAttributes ??
      event.workflowExecutionTerminatedEventAttributes ??
      event.workflowExecutionCanceledEventAttributes
    )
      endMs = atMs;
  }
  return { activities: [...activities.values()], startMs: msOf(events[0]?.eventTime), endMs, firstStep };
};

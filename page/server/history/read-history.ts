// A process of its own that reads the history of a step from the workflow engine, prints what it did when as JSON, and
// ends: the engine's client takes more memory than the whole server of the page.
//
//   node read-history.ts <run> <step> <earliest step whose workflow may have done it>
import { resolveHome } from '../../../deploy/host/home.ts';
import { openEngine } from '../../../client/connect/connection.ts';
import { isNotFound } from '../../../client/temporal/workflow.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { Activity, StepTime } from '../../data/time.ts';

const ANSWER_MS = 15_000;

type Timestamp = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;
const msOf = (time: Timestamp): number => Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);

const [run = '', step = '', earliest = step] = process.argv.slice(2);
const engine = await openEngine({ home: resolveHome(process.env), env: process.env });
try {
  const found = await engine.connection.withDeadline(Date.now() + ANSWER_MS, () =>
    read(Number(step), Number(earliest)),
  );
  process.stdout.write(JSON.stringify(found));
} finally {
  await engine.close();
}

async function read(from: number, least: number): Promise<StepTime['history']> {
  for (let number = from; number >= least; number -= 1) {
    try {
      const { events = [] } = await engine.client.workflow.getHandle(stepWorkflowId(run, number)).fetchHistory();
      return historyOf(events ?? [], number);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return null;
}

type Events = NonNullable<
  Awaited<ReturnType<ReturnType<typeof engine.client.workflow.getHandle>['fetchHistory']>>['events']
>;

function historyOf(events: Events, firstStep: number): NonNullable<StepTime['history']> {
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
}

// The report on a schedule. It is read from the server's schedule alone, because one that was made or edited in the
// Temporal UI has nothing else.
import type { ScheduleDescription } from '@temporalio/client';
import { sweepName } from '../../evolution/sweep/name.ts';
import type { Json } from '../../evolution/types.ts';
import type { TemporalUi } from '../connect/connection.ts';
import { workflowUrl } from '../read/report.ts';
import { lengthText, overlapOf, type Overlap } from './schedule-settings.ts';
import { RUN_WORKFLOW, sweepWorkflowId } from '../../evolution/ids.ts';

export type ScheduleReport = {
  readonly id: string;
  /** `cron 0 2 * * *`, `every 6h`, or both kinds where the UI's form gave several. */
  readonly when: string;
  /** The sweep's name as it was written, such as `nightly-{date}`. Null where a run is started instead. */
  readonly sweep: string | null;
  readonly run: string | null;
  readonly paused: boolean;
  readonly note: string | null;
  readonly next: Date | null;
  /** Workflow id of the newest start. */
  readonly last: string | null;
};

export type ScheduleStart = {
  /** The time that the start stands for. In a backfill it lies before `takenAt`. */
  readonly scheduledAt: Date;
  readonly takenAt: Date;
  readonly workflow: string;
  /** The name that this time gives the sweep, and the state that is stored of it. Null where a run was started. */
  readonly sweep: string | null;
  readonly state: string | null;
  /** The sweep or the run in the Temporal UI. */
  readonly temporalUrl: string | null;
};

export type ScheduleDetails = ScheduleReport & {
  /** Workflow type and queue, and the input: the sweep file, or the run's start object. */
  readonly workflow: string;
  readonly queue: string;
  readonly file: Json;
  readonly timezone: string;
  readonly jitter: string;
  readonly from: Date | null;
  readonly until: Date | null;
  /** The number of starts that are left. Null where there is no limit. */
  readonly occurrences: number | null;
  readonly overlap: Overlap;
  readonly catchup: string;
  readonly pauseOnFailure: boolean;
  /** The server's words on why it cannot work out the times. */
  readonly problem: string | null;
  readonly starts: {
    readonly taken: number;
    readonly skipped: number;
    readonly missed: number;
    /** The number that waits until the sweep before has ended. */
    readonly waiting: number;
  };
  readonly running: readonly string[];
  readonly recent: readonly ScheduleStart[];
  readonly upcoming: readonly Date[];
  readonly temporalUrl: string | null;
};

/** A schedule in the server's own form, because the client library refuses all of one whose input it cannot read. */
export type Described = { readonly id: string; readonly raw: ScheduleDescription['raw'] };

export const scheduleReport = ({ id, raw: { schedule, info } }: Described): ScheduleReport => {
  const isRun = schedule?.action?.startWorkflow?.workflowType?.name === RUN_WORKFLOW;
  return {
    id,
    when: whenText(schedule?.spec),
    sweep: isRun ? null : textIn(inputOf(schedule), 'name'),
    run: isRun ? textIn(inputOf(schedule), 'run') : null,
    paused: schedule?.state?.paused ?? false,
    note: schedule?.state?.notes || null,
    next: dateOf(info?.futureActionTimes?.[0]),
    last: info?.recentActions?.at(-1)?.startWorkflowResult?.workflowId ?? null,
  };
};

/** `stateOf` is what is stored of a sweep. */
export const scheduleDetails = async (
  described: Described,
  ui: TemporalUi | null,
  stateOf: (sweep: string) => Promise<string | null>,
): Promise<ScheduleDetails> => {
  const { schedule, info } = described.raw;
  const { spec, policies, state } = schedule ?? {};
  const { startWorkflow } = schedule?.action ?? {};
  const report = scheduleReport(described);
  return {
    ...report,
    workflow: startWorkflow?.workflowType?.name ?? '',
    queue: startWorkflow?.taskQueue?.name ?? '',
    file: inputOf(schedule),
    timezone: spec?.timezoneName || 'UTC',
    jitter: lengthText(msOf(spec?.jitter)),
    from: firstTime(described),
    until: dateOf(spec?.endTime),
    occurrences: state?.limitedActions ? Number(state.remainingActions ?? 0) : null,
    overlap: overlapOf(policies?.overlapPolicy),
    catchup: lengthText(msOf(policies?.catchupWindow)),
    pauseOnFailure: policies?.pauseOnFailure ?? false,
    problem: info?.invalidScheduleError || null,
    starts: {
      taken: Number(info?.actionCount ?? 0),
      skipped: Number(info?.overlapSkipped ?? 0),
      missed: Number(info?.missedCatchupWindow ?? 0),
      waiting: Number(info?.bufferSize ?? 0),
    },
    running: (info?.runningWorkflows ?? []).map(({ workflowId }) => workflowId ?? ''),
    recent: await Promise.all(
      (info?.recentActions ?? []).toReversed().map(async ({ scheduleTime, actualTime, startWorkflowResult }) => {
        const workflow = startWorkflowResult?.workflowId ?? '';
        const nominal = nominalTime(workflow) ?? new Date(msOf(scheduleTime));
        const sweep = report.sweep === null ? null : sweepName(report.sweep, nominal);
        return {
          scheduledAt: nominal,
          takenAt: new Date(msOf(actualTime)),
          workflow,
          sweep,
          state: sweep === null ? null : await stateOf(sweep),
          temporalUrl: workflowUrl(ui, sweep === null ? workflow : sweepWorkflowId(sweep)),
        };
      }),
    ),
    upcoming: (info?.futureActionTimes ?? []).map((time) => new Date(msOf(time))),
    temporalUrl: scheduleUrl(ui, described.id),
  };
};

/** The schedule's own first time, before which it starts nothing. */
export const firstTime = ({ raw }: Described): Date | null => dateOf(raw.schedule?.spec?.startTime);

export const hasJitter = ({ raw }: Described): boolean => msOf(raw.schedule?.spec?.jitter) > 0;

type Schedule = ScheduleDescription['raw']['schedule'];
type Spec = NonNullable<Schedule>['spec'];
type Time = NonNullable<Spec>['startTime'];

const msOf = (time: Time): number => Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
const dateOf = (time: Time): Date | null => (time ? new Date(msOf(time)) : null);

/** The one JSON object that the workflow is started with. Null where it is none. */
const inputOf = (schedule: Schedule): Json => {
  const { metadata, data } = schedule?.action?.startWorkflow?.input?.payloads?.[0] ?? {};
  const textOf = (bytes: Uint8Array | null | undefined): string => new TextDecoder().decode(bytes ?? new Uint8Array());
  if (textOf(metadata?.['encoding']) !== 'json/plain') return null;
  try {
    return JSON.parse(textOf(data)) as Json;
  } catch {
    return null;
  }
};

const textIn = (input: Json, key: 'name' | 'run'): string | null => {
  const value = (input as { readonly [key: string]: unknown } | null)?.[key];
  return typeof value === 'string' ? value : null;
};

const scheduleUrl = (ui: TemporalUi | null, id: string): string | null =>
  ui === null
    ? null
    : `${ui.base.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(ui.namespace)}/schedules/${encodeURIComponent(id)}`;

/** The server ends a workflow id with the scheduled time without its jitter, which is the time that names the sweep. */
const nominalTime = (workflowId: string): Date | null => {
  const [text] = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.exec(workflowId) ?? [];
  return text === undefined ? null : new Date(text);
};

const whenText = (spec: Spec): string => {
  const calendars = spec?.structuredCalendar ?? [];
  const times = [
    ...(spec?.interval ?? []).map(({ interval, phase }) => {
      const late = msOf(phase);
      return `every ${lengthText(msOf(interval))}${late === 0 ? '' : ` and ${lengthText(late)}`}`;
    }),
    ...calendars.map((calendar) => `cron ${cronText(calendar)}`),
  ];
  const zone = spec?.timezoneName;
  return times.length === 0
    ? 'never'
    : `${times.join('; ')}${calendars.length > 0 && zone && zone !== 'UTC' ? ` ${zone}` : ''}`;
};

type Calendar = NonNullable<NonNullable<Spec>['structuredCalendar']>[number];
type Range = NonNullable<Calendar['second']>[number];

/** The server keeps cron lines and the form's days as ranges. As a cron line they are read at once. */
const cronText = ({ second, minute, hour, dayOfMonth, month, dayOfWeek, year }: Calendar): string => {
  const seconds = cronField(second, 0, 59);
  const fields = [
    cronField(minute, 0, 59),
    cronField(hour, 0, 23),
    cronField(dayOfMonth, 1, 31),
    cronField(month, 1, 12),
    cronField(dayOfWeek, 0, 6),
  ];
  return `${fields.join(' ')}${seconds === '0' ? '' : ` at second ${seconds}`}${year?.length ? ` in ${cronField(year, 0, 0)}` : ''}`;
};

const cronField = (ranges: readonly Range[] | null | undefined, least: number, most: number): string =>
  (ranges ?? [])
    .map(({ start, end, step }) => {
      const [first, last] = [start ?? 0, Math.max(start ?? 0, end ?? 0)];
      const range = first === least && last === most ? '*' : last > first ? `${first}-${last}` : String(first);
      return (step ?? 1) > 1 ? `${range}/${step}` : range;
    })
    .join(',') || '*';

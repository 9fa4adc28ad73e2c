// What is told of a schedule. All of it is read from the schedule as the server has it, because one that was made or
// edited in the Temporal UI has nothing else.
import type { ScheduleDescription } from '@temporalio/client';
import { sweepName } from '../evolution/sweep/name.ts';
import type { Json } from '../evolution/types.ts';
import { type TemporalUi, workflowUrl } from './report.ts';
import { lengthText, overlapOf, type Overlap } from './schedule-settings.ts';
import { RUN_WORKFLOW, sweepWorkflowId } from './workflow.ts';

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
  /** Of the sweep or the run, in the Temporal UI. */
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
  /** Why the server cannot work out its times, as the server puts it. */
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

const textIn = (input: unknown, key: 'name' | 'run'): string | null => {
  const value = (input as { readonly [key: string]: unknown } | null | undefined)?.[key];
  return typeof value === 'string' ? value : null;
};

export const scheduleReport = (schedule: ScheduleDescription): ScheduleReport => {
  const { scheduleId, action, state, info } = schedule;
  const isRun = action.workflowType === RUN_WORKFLOW;
  const [input] = action.args ?? [];
  return {
    id: scheduleId,
    when: whenText(schedule),
    sweep: isRun ? null : textIn(input, 'name'),
    run: isRun ? textIn(input, 'run') : null,
    paused: state.paused,
    note: state.note || null,
    next: info.nextActionTimes[0] ?? null,
    last: info.recentActions.at(-1)?.action.workflow.workflowId ?? null,
  };
};

/** `stateOf` is what is stored of a sweep. */
export const scheduleDetails = async (
  schedule: ScheduleDescription,
  ui: TemporalUi | null,
  stateOf: (sweep: string) => Promise<string | null>,
): Promise<ScheduleDetails> => {
  const { spec, action, policies, state, info, raw } = schedule;
  const report = scheduleReport(schedule);
  return {
    ...report,
    workflow: action.workflowType,
    queue: action.taskQueue,
    file: (action.args?.[0] ?? null) as Json,
    timezone: spec.timezone || 'UTC',
    jitter: lengthText(spec.jitter ?? 0),
    from: spec.startAt ?? null,
    until: spec.endAt ?? null,
    occurrences: state.remainingActions ?? null,
    overlap: overlapOf(policies.overlap),
    catchup: lengthText(policies.catchupWindow),
    pauseOnFailure: policies.pauseOnFailure,
    problem: raw.info?.invalidScheduleError || null,
    starts: {
      taken: info.numActionsTaken,
      skipped: info.numActionsSkippedOverlap,
      missed: info.numActionsMissedCatchupWindow,
      waiting: Number(raw.info?.bufferSize ?? 0),
    },
    running: info.runningActions.map(({ workflow }) => workflow.workflowId),
    recent: await Promise.all(
      info.recentActions.toReversed().map(async ({ scheduledAt, takenAt, action: { workflow } }) => {
        const nominal = nominalTime(workflow.workflowId) ?? scheduledAt;
        const sweep = report.sweep === null ? null : sweepName(report.sweep, nominal);
        return {
          scheduledAt: nominal,
          takenAt,
          workflow: workflow.workflowId,
          sweep,
          state: sweep === null ? null : await stateOf(sweep),
          temporalUrl: workflowUrl(ui, sweep === null ? workflow.workflowId : sweepWorkflowId(sweep)),
        };
      }),
    ),
    upcoming: info.nextActionTimes,
    temporalUrl: scheduleUrl(ui, schedule.scheduleId),
  };
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

const whenText = ({ raw, spec }: ScheduleDescription): string => {
  const calendars = raw.schedule?.spec?.structuredCalendar ?? [];
  const times = [
    ...(spec.intervals ?? []).map(
      ({ every, offset }) => `every ${lengthText(every)}${offset ? ` and ${lengthText(offset)}` : ''}`,
    ),
    ...calendars.map((calendar) => `cron ${cronText(calendar)}`),
  ];
  const zone = calendars.length > 0 && spec.timezone && spec.timezone !== 'UTC' ? ` ${spec.timezone}` : '';
  return times.length === 0 ? 'never' : `${times.join('; ')}${zone}`;
};

type Calendar = NonNullable<
  NonNullable<NonNullable<ScheduleDescription['raw']['schedule']>['spec']>['structuredCalendar']
>[number];
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

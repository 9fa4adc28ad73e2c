// Sweeps on a schedule: Temporal Schedules whose action starts the workflow `sweep` (docs/sweeps.md, which also
// describes the UI's form).
import type { ScheduleHandle, ScheduleSummary } from '@temporalio/client';
import { didYouMean } from '../evolution/config/nearest.ts';
import { shown } from '../evolution/config/shown.ts';
import type { Json } from '../evolution/types.ts';
import { visible } from '../evolution/visible.ts';
import type { Parts } from './connection.ts';
import { UsageError } from './errors.ts';
import { refreshKeys } from './keys.ts';
import { SWEEP_WORKFLOW, sweepWorkflowId, WORKFLOW_QUEUE } from './workflow.ts';
import { rootOf } from '../evolution/root-cause.ts';
import type { PreparedSweep } from './sweep-spec.ts';

export type NewSchedule = {
  /**
   * As in a sweep file. With `{date}` or `{time}` in its name, each start makes a sweep of its own; without, each start
   * goes on with the same sweep.
   */
  readonly spec: Json;
  /** `30m`, `6h` or `1d`. Either this or `cron` is given. */
  readonly every?: string | undefined;
  /** Five fields, in UTC. */
  readonly cron?: string | undefined;
  /** The default is the sweep's name without its placeholders. */
  readonly id?: string | undefined;
  /** The schedule is created and starts nothing until `unpause` or `trigger`. */
  readonly paused?: boolean | undefined;
  /** While the sweep before is still under way, leave the new one out (default) or start it afterwards. */
  readonly overlap?: 'skip' | 'buffer-one' | undefined;
  readonly note?: string | undefined;
};

export type ScheduleReport = {
  readonly id: string;
  readonly when: string;
  readonly sweep: string | null;
  readonly paused: boolean;
  readonly note: string | null;
  readonly next: Date | null;
  /** Workflow id of the newest start. */
  readonly last: string | null;
};

const OVERLAP = { skip: 'SKIP', 'buffer-one': 'BUFFER_ONE' } as const;
/** A server that was away starts what it missed within this time, and nothing older. */
const CATCHUP_WINDOW = '10 minutes';

export class Schedules {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Checks everything first. Throws UsageError where the id is taken. Resolves to the id. */
  async create({ spec, ...wanted }: NewSchedule): Promise<string> {
    timesOf(wanted);
    const { prepareSweep } = await import('./sweep-spec.ts');
    return this.createPrepared(await prepareSweep(this.#parts.place, spec), wanted);
  }

  /** @internal The second half of `create`, for a sweep that was read from a file. */
  async createPrepared(
    { spec, expanded, taken, title }: PreparedSweep,
    wanted: Omit<NewSchedule, 'spec'>,
  ): Promise<string> {
    const when = timesOf(wanted);
    const { place } = this.#parts;
    const id = wanted.id ?? plainName(title);
    const { configsOf, keepingTasks } = await import('./sweep-spec.ts');
    for (const config of configsOf(expanded)) refreshKeys(place.home.root, config, place.env);
    const { client } = await this.#parts.engine();
    // A task of tasks/ is read at each start, by whichever worker starts the sweep; a folder elsewhere only this
    // machine is sure to have.
    const elsewhere = new Map([...taken].filter(([named]) => named.includes('/')));
    const started = elsewhere.size === 0 ? spec : await keepingTasks(await this.#parts.store(), spec, elsewhere);
    try {
      await client.schedule.create({
        scheduleId: id,
        spec: when.every === null ? { cronExpressions: [when.text] } : { intervals: [{ every: when.every }] },
        action: {
          type: 'startWorkflow',
          workflowType: SWEEP_WORKFLOW,
          workflowId: sweepWorkflowId(plainName(title)),
          taskQueue: WORKFLOW_QUEUE,
          args: [started],
        },
        policies: { overlap: OVERLAP[wanted.overlap ?? 'skip'], catchupWindow: CATCHUP_WINDOW, pauseOnFailure: true },
        state: { paused: wanted.paused ?? false, ...(wanted.note === undefined ? {} : { note: wanted.note }) },
        memo: { sweep: visible(title), when: when.every === null ? `cron ${when.text}` : `every ${when.text}` },
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'ScheduleAlreadyRunning')
        throw new UsageError(
          `there is a schedule "${id}" already: choose another --id, or \`npx evolve schedule delete ${id}\` first`,
        );
      if (isInvalid(error)) throw new UsageError(`the schedule was refused: ${rootOf(error).message}`);
      throw error;
    }
    return id;
  }

  /** The schedules that start sweeps, by id. */
  async list(): Promise<readonly ScheduleReport[]> {
    const { client } = await this.#parts.engine();
    const reports: ScheduleReport[] = [];
    for await (const schedule of client.schedule.list())
      if (schedule.action?.workflowType === SWEEP_WORKFLOW) reports.push(scheduleReport(schedule));
    return reports.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Starts the sweep now, under the schedule's overlap policy. */
  trigger(id: string): Promise<void> {
    return this.#with(id, (handle) => handle.trigger());
  }
  pause(id: string, note = 'paused by evolve'): Promise<void> {
    return this.#with(id, (handle) => handle.pause(note));
  }
  unpause(id: string, note = 'unpaused by evolve'): Promise<void> {
    return this.#with(id, (handle) => handle.unpause(note));
  }
  /** What the schedule has started goes on. */
  delete(id: string): Promise<void> {
    return this.#with(id, (handle) => handle.delete());
  }

  async #with(id: string, work: (handle: ScheduleHandle) => Promise<void>): Promise<void> {
    const { client } = await this.#parts.engine();
    try {
      await work(client.schedule.getHandle(id));
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
      const known = (await this.list()).map((schedule) => schedule.id);
      throw new UsageError(
        `there is no schedule ${shown(id)}.${didYouMean(id, known)} \`npx evolve schedule list\` shows all.`,
      );
    }
  }
}

const GRPC_INVALID_ARGUMENT = 3;
const isInvalid = (error: unknown): boolean =>
  error instanceof TypeError || (rootOf(error) as { code?: unknown }).code === GRPC_INVALID_ARGUMENT;

/** The name without `{date}` and `{time}`, since the server appends the time to the ids that a schedule starts. */
const plainName = (name: string): string => name.replaceAll(/-?\{\w+\}/g, '').replace(/^-+/, '') || 'sweep';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 366 * UNITS_MS.d;

type CronField = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const CRON: readonly CronField[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: MONTHS },
  { name: 'weekday', least: 0, most: 7, names: DAYS },
];

/** `*`, `5`, `1-5`, `mon`, each with `/n` where wanted, and lists of these. */
const isCronField = (field: string, { least, most, names }: CronField): boolean =>
  field.split(',').every((part) => {
    const [, range = '', step] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    if (step !== undefined && Number(step) < 1) return false;
    if (range === '*' || range === '?') return true;
    const ends = range.split('-').map((end) => {
      const at = names.indexOf(end.toLowerCase());
      return at >= 0 ? at + least : /^\d{1,2}$/.test(end) ? Number(end) : Number.NaN;
    });
    return (
      ends.length <= 2 &&
      ends.every((end) => end >= least && end <= most) &&
      (ends.length === 1 || ends[0]! <= ends[1]!)
    );
  });

const ID = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * When the schedule starts its sweep. `every` is in milliseconds, and null for a cron line. Throws UsageError, for an
 * id that cannot be too.
 */
export const timesOf = ({
  every,
  cron,
  id,
}: Pick<NewSchedule, 'every' | 'cron' | 'id'>): { readonly every: number | null; readonly text: string } => {
  if (id !== undefined && !ID.test(id))
    throw new UsageError(`--id: expected 1 to 100 of the characters a-z, A-Z, 0-9, ., _ and -, got ${shown(id)}`);
  if ((every === undefined) === (cron === undefined))
    throw new UsageError('schedule: expected either --every (30m, 6h, 1d) or --cron ("0 2 * * *")');
  if (cron !== undefined) {
    const fields = cron.trim().split(/\s+/);
    if (fields.length !== CRON.length)
      throw new UsageError(
        `--cron: expected five fields (minute hour day month weekday, UTC) such as "0 2 * * *", got ${shown(cron)}`,
      );
    for (const [index, field] of fields.entries()) {
      const { name, least, most, names } = CRON[index]!;
      if (!isCronField(field, CRON[index]!))
        throw new UsageError(
          `--cron: ${name}: expected * or numbers from ${least} to ${most}${names.length === 0 ? '' : ` or ${names[0]} to ${names.at(-1)}`}, with , - and / between them, got ${shown(field)}`,
        );
    }
    return { every: null, text: fields.join(' ') };
  }
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(every?.trim() ?? '') ?? [];
  const ms = Number(number) * (UNITS_MS[unit as keyof typeof UNITS_MS] ?? Number.NaN);
  if (!(ms >= UNITS_MS.m && ms <= LONGEST_MS))
    throw new UsageError(
      `--every: expected a whole number with s, m, h or d, from one minute to 366d, such as 30m or 6h, got ${shown(every)}`,
    );
  return { every: ms, text: `${number}${unit}` };
};

const scheduleReport = ({ scheduleId, spec, memo, state, info }: ScheduleSummary): ScheduleReport => {
  const every = spec?.intervals?.[0]?.every;
  return {
    id: scheduleId,
    when:
      typeof memo?.['when'] === 'string'
        ? memo['when']
        : every === undefined
          ? 'by calendar'
          : `every ${every / 1000} s`,
    sweep: typeof memo?.['sweep'] === 'string' ? memo['sweep'] : null,
    paused: state.paused,
    note: state.note || null,
    next: info.nextActionTimes[0] ?? null,
    last: info.recentActions.at(-1)?.action.workflow.workflowId ?? null,
  };
};

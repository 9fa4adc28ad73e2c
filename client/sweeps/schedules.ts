// Sweeps on a schedule: Temporal Schedules whose action starts the workflow `sweep` (docs/sweeps.md, which also
// describes the UI's form).
import type { ScheduleHandle } from '@temporalio/client';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { shown } from '../../evolution/config/shown.ts';
import { rootOf } from '../../evolution/root-cause.ts';
import { sweepName } from '../../evolution/sweep/name.ts';
import type { Json } from '../../evolution/types.ts';
import { type Engine, type Parts, temporalUi } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import {
  type Described,
  firstTime,
  hasJitter,
  type ScheduleDetails,
  scheduleDetails,
  type ScheduleReport,
  scheduleReport,
} from './schedule-report.ts';
import {
  checkNewSettings,
  checkSettings,
  type Overlap,
  overlapOf,
  type ScheduleSettings,
  serverOverlap,
  timeOf,
} from './schedule-settings.ts';
import { isOurs, SWEEP_WORKFLOW, sweepWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import type { PreparedSweep } from './sweep-spec.ts';

export type NewSchedule = ScheduleSettings & {
  /**
   * As in a sweep file. With `{date}` or `{time}` in its name, each start makes a sweep of its own; without, each start
   * goes on with the same sweep.
   */
  readonly spec: Json;
  /** The default is the sweep's name without its placeholders. */
  readonly id?: string | undefined;
  /** The schedule is created and starts nothing until `unpause`, `trigger` or `backfill`. */
  readonly paused?: boolean | undefined;
};

/** Days or times in UTC: the first that counts, and the first that counts no longer. */
export type BackfillRange = { readonly from: string; readonly to: string };

export type BackfillPlan = {
  /** The scheduled times of the starts, with the schedule's jitter. */
  readonly times: readonly Date[];
  /** The sweeps that these times name. Null where the schedule starts a run, or where jitter hides the exact times. */
  readonly sweeps: readonly string[] | null;
  /** The schedule's own first time, where it cuts off a part of the range. */
  readonly notBefore: Date | null;
};

const DEFAULTS = { overlap: 'SKIP', catchupWindow: 10 * 60_000, pauseOnFailure: true } as const;
/** The server tells no more times than these, and keeps no more starts waiting. */
const MOST_STARTS = 1_000;

export class Schedules {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Checks everything first. Throws UsageError where the id is taken. Resolves to the id. */
  async create({ spec, ...wanted }: NewSchedule): Promise<string> {
    checkNewSettings(wanted);
    const { prepareSweep } = await import('./sweep-spec.ts');
    return this.createPrepared(await prepareSweep(this.#parts.place, spec), wanted);
  }

  /** @internal The second half of `create`, for a sweep that was read from a file. */
  async createPrepared(prepared: PreparedSweep, wanted: Omit<NewSchedule, 'spec'>): Promise<string> {
    const { spec, policies, state } = checkNewSettings(wanted);
    const { title } = prepared;
    const id = wanted.id ?? plainName(title);
    const args = [await this.#inputOf(prepared)];
    const { client } = await this.#parts.engine();
    try {
      await client.schedule.create({
        scheduleId: id,
        spec,
        action: {
          type: 'startWorkflow',
          workflowType: SWEEP_WORKFLOW,
          workflowId: sweepWorkflowId(plainName(title)),
          taskQueue: WORKFLOW_QUEUE,
          args,
        },
        policies: { ...DEFAULTS, ...policies },
        state: { paused: wanted.paused ?? false, ...state },
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'ScheduleAlreadyRunning')
        throw new UsageError(
          `there is a schedule "${id}" already: choose another --id, or change it with \`npx evolve schedule edit ${id}\``,
        );
      throw refused(error);
    }
    return id;
  }

  /** Changes the given settings alone. `prepared` is another sweep file. */
  async edit(id: string, wanted: ScheduleSettings, prepared: PreparedSweep | null = null): Promise<void> {
    const checked = checkSettings(wanted);
    if (prepared === null && Object.values(wanted).every((value) => value === undefined))
      throw new UsageError(
        `schedule edit ${id}: expected something to change, such as --cron or --overlap, got nothing`,
      );
    const input = prepared === null ? null : await this.#inputOf(prepared);
    const { editSchedule } = await import('./schedule-server.ts');
    await this.#with(id, async (_, engine) => {
      const { raw } = await describe(engine, id);
      await editSchedule(engine, id, raw, checked, input).catch((error: unknown) => {
        throw refused(error);
      });
    });
  }

  /** The schedules that start sweeps or runs, by id. Others of the namespace are left out. */
  async list(): Promise<readonly ScheduleReport[]> {
    const engine = await this.#parts.engine();
    const reports: ScheduleReport[] = [];
    for await (const { scheduleId, action } of engine.client.schedule.list())
      if (isOurs(action?.workflowType)) {
        const described = await describe(engine, scheduleId).catch(ifGone);
        if (described !== null) reports.push(scheduleReport(described));
      }
    return reports.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** All that the server knows of it, and the states of the sweeps that it started. */
  show(id: string): Promise<ScheduleDetails> {
    return this.#with(id, async (_, engine) => {
      const store = await this.#parts.store();
      return scheduleDetails(
        await describe(engine, id),
        temporalUi(this.#parts.place),
        async (sweep) => (await store.readSweep(sweep))?.status ?? null,
      );
    });
  }

  /** Starts the sweep now, under the schedule's overlap policy or this one. */
  trigger(id: string, overlap?: Overlap): Promise<void> {
    return this.#with(id, async (handle, engine) => {
      const own = overlapOf((await describe(engine, id)).raw.schedule?.policies?.overlapPolicy);
      await handle.trigger(serverOverlap(overlap ?? own));
    });
  }

  /** The starts of `backfill`. Throws UsageError for a range without a start, or with too many. */
  async planBackfill(id: string, range: BackfillRange): Promise<BackfillPlan> {
    const { start, end } = spanOf(range);
    // Is loaded here, so that commands that ask no server start faster.
    const { scheduledTimes } = await import('./schedule-server.ts');
    return this.#with(id, async (_, engine) => {
      const schedule = await describe(engine, id);
      const { when, sweep: written } = scheduleReport(schedule);
      const sweep = hasJitter(schedule) && written?.includes('{') ? null : written;
      const times = await scheduledTimes(engine, id, { start, end });
      const span = `from ${range.from} to ${range.to}`;
      const first = firstTime(schedule);
      const notBefore = first !== null && first > start ? first : null;
      if (times.length === 0)
        throw new UsageError(
          `schedule ${id} (${when}) has no start ${span} (UTC)${notBefore === null ? '' : `: it begins at ${notBefore.toISOString()}, which \`npx evolve schedule edit ${id} --from ${range.from}\` changes`}`,
        );
      if (times.length >= MOST_STARTS)
        throw new UsageError(
          `schedule ${id} (${when}): expected fewer than ${MOST_STARTS} starts, got that many or more ${span}`,
        );
      const sweeps = sweep === null ? null : [...new Set(times.map((time) => sweepName(sweep, time)))];
      return { times, sweeps, notBefore };
    });
  }

  /**
   * Starts what the schedule would have started from `from` to before `to`, each under its scheduled time. By default
   * one after the other.
   */
  async backfill(id: string, range: BackfillRange, overlap: Overlap = 'buffer-all'): Promise<BackfillPlan> {
    const policy = serverOverlap(overlap);
    const plan = await this.planBackfill(id, range);
    await this.#with(id, (handle) => handle.backfill({ ...spanOf(range), overlap: policy }));
    return plan;
  }

  pause(id: string, note = 'paused by evolve'): Promise<void> {
    return this.#with(id, (handle) => handle.pause(note));
  }
  unpause(id: string, note = 'unpaused by evolve'): Promise<void> {
    return this.#with(id, (handle) => handle.unpause(note));
  }
  /** Deletes the schedule; its sweeps and runs go on. */
  delete(id: string): Promise<void> {
    return this.#with(id, (handle) => handle.delete());
  }

  /** The workflow's input. The endpoints' keys are here before it asks for them. */
  async #inputOf({ spec, expanded, taken }: PreparedSweep): Promise<Json> {
    const { place } = this.#parts;
    const { configsOf, keepingTasks } = await import('./sweep-spec.ts');
    for (const config of configsOf(expanded)) refreshKeys(place.home.root, config, place.env);
    // A task of tasks/ is read at each start, by whichever worker starts the sweep; a folder elsewhere only this
    // machine is sure to have.
    const elsewhere = new Map([...taken].filter(([named]) => named.includes('/')));
    return elsewhere.size === 0 ? spec : keepingTasks(await this.#parts.store(), spec, elsewhere);
  }

  async #with<T>(id: string, work: (handle: ScheduleHandle, engine: Engine) => Promise<T>): Promise<T> {
    const engine = await this.#parts.engine();
    try {
      return await work(engine.client.schedule.getHandle(id), engine);
    } catch (error) {
      if (!isGone(error)) throw error;
      const ids = (await this.list()).map((schedule) => schedule.id);
      throw new UsageError(
        `there is no schedule ${shown(id)}.${didYouMean(id, ids)} \`npx evolve schedule list\` shows all.`,
      );
    }
  }
}

const describe = async ({ client, namespace }: Engine, id: string): Promise<Described> => ({
  id,
  raw: await client.workflowService.describeSchedule({ namespace, scheduleId: id }),
});

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
const refused = (error: unknown): unknown =>
  error instanceof TypeError || (rootOf(error) as { code?: unknown }).code === GRPC_INVALID_ARGUMENT
    ? new UsageError(`the schedule was refused: ${rootOf(error).message}`)
    : error;
const isGone = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'ScheduleNotFoundError') ||
  (error as { code?: unknown } | null)?.code === GRPC_NOT_FOUND;
/** A schedule that was deleted while the list was read. */
const ifGone = (error: unknown): null => {
  if (isGone(error)) return null;
  throw error;
};

/** The name without `{date}` and `{time}`, since the server appends the time to the ids that a schedule starts. */
const plainName = (name: string): string => name.replaceAll(/-?\{\w+\}/g, '').replace(/^-+/, '') || 'sweep';

/** The server leaves the first moment of a range out and takes the last one in. */
const spanOf = ({ from, to }: BackfillRange): { readonly start: Date; readonly end: Date } => {
  const [first, last] = [timeOf('--from', from), timeOf('--to', to)];
  if (first >= last) throw new UsageError(`--to: expected a time after --from (${shown(from)}), got ${shown(to)}`);
  return { start: new Date(first.getTime() - 1), end: new Date(last.getTime() - 1) };
};

// DurableEvolve: the runs, sweeps and schedules of a home for a program. The command line is written over it, and only
// the starting methods load what starting needs.
import { withUnanswered } from '../activities/store/steps/bookings.ts';
import { resolve } from 'node:path';
import { resolveHome } from '../deploy/host/home.ts';
import type { Json } from '../evolution/types.ts';
import { type OpenParts, openParts, type Parts, type Place, temporalUi, upOf } from './connect/connection.ts';
import { type ImportReport, importRun } from './runs/import-run.ts';
import type { PruneOrder, PrunePlan, PruneReport } from './upkeep/prune.ts';
import { withUncommitted } from './read/uncommitted.ts';
import { runReport } from './read/report.ts';
import type { RunReport } from './read/shapes.ts';
import { RunHandle } from './runs/run-handle.ts';
import { UsageError } from './connect/errors.ts';
import { findRun } from './read/run-id.ts';
import { asTheyStand, engineAway } from './temporal/run-state.ts';
import { sweepsAsTheyStand } from './sweeps/sweep-facts.ts';
import { Schedules } from './sweeps/schedules.ts';
import type { Selection } from './runs/select-runs.ts';
import type { Prepared } from './runs/start-run.ts';
import { findSweep, SweepHandle } from './sweeps/sweep-handle.ts';
import { sweepReport, type SweepReport } from './read/sweep-report.ts';
import type { PreparedSweep } from './sweeps/sweep-spec.ts';
import { allowNoop } from '../evolution/config/noop.ts';

/** Null where there is none of this name, or where the engine is away. */
const unopened = async (parts: Parts, id: string) => {
  const { unopenedRun } = await import('./temporal/unopened.ts');
  return parts
    .engineSoon()
    .then((engine) => unopenedRun(engine, id))
    .catch(() => null);
};

export type ConnectOptions = {
  /** The data directory whose parts are up. The default is EVOLVE_HOME, else `.evolve` in the project's folder. */
  readonly home?: string;
  /** Names keys, models and servers as for the command line. The default is process.env. */
  readonly env?: NodeJS.ProcessEnv;
  /** Takes warnings that stop no run, such as an unknown price. The default drops them. */
  readonly warn?: (text: string) => void;
};

export class DurableEvolve {
  readonly schedules: Schedules;
  readonly #parts: OpenParts;
  readonly #warn: (text: string) => void;

  /** @internal `connect` says at once when nothing is up. */
  constructor(place: Place, warn: (text: string) => void = () => undefined, parts: OpenParts = openParts(place)) {
    this.#parts = parts;
    allowNoop(place.env);
    this.#warn = warn;
    this.schedules = new Schedules(this.#parts);
  }

  /** Finds the parts of a home. Throws MissingError where nothing is up; connections are made when first used. */
  static async connect({ home, env = process.env, warn }: ConnectOptions = {}): Promise<DurableEvolve> {
    const place = { home: resolveHome(home === undefined ? env : { ...env, EVOLVE_HOME: resolve(home) }), env };
    upOf(place);
    return new DurableEvolve(place, warn);
  }

  /**
   * Starts a run. `settings` as in a configuration file, a task's relative path beginning at the working directory;
   * everything is checked before anything starts. Resolves when its document exists.
   */
  async start(settings: object = {}, { run }: { readonly run?: string } = {}): Promise<RunHandle> {
    const [{ resolveSettings }, { prepareRun }, { withNamedTask }] = await Promise.all([
      import('./runs/settings.ts'),
      import('./runs/start-run.ts'),
      import('./tasks/task-folder.ts'),
    ]);
    const resolved = resolveSettings(
      [withNamedTask({ settings, where: () => 'settings' }, process.cwd())],
      this.#parts.place.env,
    );
    return this.launch(await prepareRun(this.#parts.place, resolved, run));
  }

  /** @internal The second half of `start`, for settings that come as flags. */
  async launch(prepared: Prepared): Promise<RunHandle> {
    const { launchRun } = await import('./runs/start-run.ts');
    for (const warning of prepared.warnings) this.#warn(warning);
    return new RunHandle(this.#parts, await launchRun(this.#parts, prepared, this.#warn));
  }

  /** A run by its id; `latest` is the newest. Throws UsageError with the nearest name where there is none. */
  async run(id: string): Promise<RunHandle> {
    try {
      return new RunHandle(this.#parts, (await findRun(await this.#parts.store(), id)).run);
    } catch (error) {
      // A run that is not open yet has no document, and yet it can be stopped.
      if (!(error instanceof UsageError) || (await unopened(this.#parts, id)) === null) throw error;
      return new RunHandle(this.#parts, id);
    }
  }

  /**
   * Takes in a run from the files of an export, and with it the runs that it was forked off. The run is then stopped or
   * finished, and `resume` or `extend` continues it. Throws UsageError, and changes nothing, where the files are
   * damaged or the run is here already.
   */
  import(folder: string): Promise<ImportReport> {
    return importRun(this.#parts, folder);
  }

  /** The data that could be removed, and their amount. Changes nothing. Throws UsageError for an unknown run. */
  async planPrune(order: PruneOrder): Promise<PrunePlan> {
    const { planPrune } = await import('./upkeep/prune.ts');
    return planPrune(this.#parts, order);
  }

  /** Removes it for good. Throws UsageError, and removes nothing, where a run that was named has to stay. */
  async prune(plan: PrunePlan): Promise<PruneReport> {
    const { carryOutPrune } = await import('./upkeep/prune.ts');
    return carryOutPrune(this.#parts, plan);
  }

  /**
   * Every run, newest first; before them those whose workflow is open and that have no document yet. With a selection
   * those runs of which all that it says is true.
   */
  async list(selection: Selection = {}): Promise<readonly RunReport[]> {
    const ui = temporalUi(this.#parts.place);
    const store = await this.#parts.store();
    const stored = await withUnanswered(store, await store.listRuns());
    const runs = await withUncommitted(store, await asTheyStand(this.#parts, stored, this.#warn));
    const { unopenedReport, unopenedRuns } = await import('./temporal/unopened.ts');
    const waiting = await this.#parts
      .engineSoon()
      .then((engine) => unopenedRuns(engine, stored))
      .catch((error: unknown) => {
        // Where there are runs, it was told above.
        if (stored.length === 0) this.#warn(engineAway(error));
        return [];
      });
    const now = new Date();
    const all = [...waiting.map((run) => unopenedReport(run, now, ui)), ...runs.map((run) => runReport(run, now, ui))];
    if (Object.values(selection).every((wanted) => wanted === undefined)) return all;
    const { selected } = await import('./runs/select-runs.ts');
    return selected(all, selection, this.#parts.engineSoon);
  }

  /**
   * Starts a sweep, or goes on with the one of that name. `spec` is as in a sweep file, and is checked and expanded
   * before anything starts.
   */
  async startSweep(spec: Json): Promise<SweepHandle> {
    const { prepareSweep } = await import('./sweeps/sweep-spec.ts');
    return this.launchSweep(await prepareSweep(this.#parts.place, spec));
  }

  /** @internal The second half of `startSweep`. */
  async launchSweep(prepared: PreparedSweep): Promise<SweepHandle> {
    const { launchSweep } = await import('./sweeps/sweep-start.ts');
    for (const warning of prepared.warnings) this.#warn(warning);
    return new SweepHandle(this.#parts, await launchSweep(this.#parts, prepared, this.#warn));
  }

  /** A sweep by its name; `latest` is the newest. */
  async sweep(name: string): Promise<SweepHandle> {
    return new SweepHandle(this.#parts, (await findSweep(await this.#parts.store(), name))._id);
  }

  /** Every sweep, newest first. */
  async sweeps(): Promise<readonly SweepReport[]> {
    const store = await this.#parts.store();
    const reports = await Promise.all((await store.listSweeps()).map((sweep) => sweepReport(store, sweep)));
    return sweepsAsTheyStand(this.#parts, reports);
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }
}

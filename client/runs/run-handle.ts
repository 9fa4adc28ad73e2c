// A run as the library gives it out: what can be read of it. What can be done to it is in steered-run.ts.
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { RebuildReport } from '../../activities/rebuild/rebuild.ts';
import type { Manifest } from '../../activities/store/exchange/export-format.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { RunStatus } from '../../evolution/run-states.ts';
import { openEngine, openStore, temporalUi } from '../connect/connection.ts';
import { BadEndError, UsageError } from '../connect/errors.ts';
import type { ForkRequest } from './fork-run.ts';
import { taskLoader, taskOf } from '../connect/loaded-late.ts';
import { runReport } from '../read/report.ts';
import type { RunReport, StepLine } from '../read/shapes.ts';
import type { ResultFiles } from '../read/results.ts';
import type { RunFinding } from '../read/state-findings.ts';
import type { ScoredAgain } from '../tasks/scored-again.ts';
import type { SettingsVersion } from '../read/settings-versions.ts';
import { doneText } from '../../evolution/steering/verbs.ts';
import { recorded } from '../connect/recorded.ts';
import { SteeredRun } from './steered-run.ts';
import { endOf, lostMessage, untilEnded } from './until-ended.ts';
import type { UsageReport } from '../read/usage.ts';
import { type IslandsReport, programsOf, type ProgramsQuery, stepsOf } from '../read/views.ts';
import { createSource } from './watch-source.ts';

type Waiting = { readonly signal?: AbortSignal };

export class RunHandle extends SteeredRun {
  async report(): Promise<RunReport> {
    return runReport(await this.asItStands(), new Date(), temporalUi(this.parts.place));
  }

  /** Makes a new run, by reference, that goes on after a committed step of this one. This run stays as it is. */
  async fork(request: ForkRequest): Promise<RunHandle> {
    const { forkRun } = await import('./fork-run.ts');
    const run = this.id;
    const { fork } = await recorded(this.parts, run, 'fork', async () => {
      const id = await forkRun(this.parts, await this.document(), request);
      return { fork: id, text: doneText('fork', { run }, { step: request.step }, { fork: id }) };
    });
    return new RunHandle(this.parts, fork);
  }

  /** Makes archives and memberships again from the stored data, and compares. Changes nothing. */
  async rebuild(): Promise<RebuildReport> {
    const { rebuildRun } = await import('../../activities/rebuild/rebuild.ts');
    const store = await this.parts.store();
    return rebuildRun({ store, loadTask: taskLoader(store) }, this.id);
  }

  /**
   * Writes everything of the run, and of those that it was forked off, to files in a new or empty folder (docs/cli.md,
   * Exports).
   */
  async export(folder: string): Promise<Manifest> {
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new UsageError(`--to: expected a new or empty directory, got ${folder}, which is not empty`);
    const { exportRun } = await import('../../activities/store/exchange/export.ts');
    const { run } = await this.document();
    const store = await this.parts.store();
    const manifest = await exportRun(store, run, folder);
    // Behind it, because the files would say that it was never done. Its folder is nobody else's matter.
    await recorded(this.parts, run, 'export', async () => ({
      text: doneText('export', { run }, {}, { directory: basename(folder), runs: manifest.runs }),
    }));
    return manifest;
  }

  /**
   * Writes what the run leaves when it ends (best program, solution, picture, settings, summary) as it stands now, into
   * a folder or, without one, to where the run itself writes it.
   */
  async writeFiles(folder?: string): Promise<ResultFiles & { readonly state: RunStatus }> {
    const { writeHere } = await import('../read/results.ts');
    const run = await this.asItStands();
    return { ...(await writeHere(this.parts.place, await this.parts.store(), run, folder)), state: run.status };
  }

  /** The findings on the run, from the database and the workflow engine, with the commands that help. */
  async diagnose(): Promise<readonly RunFinding[]> {
    const { diagnose } = await import('../doctor/diagnose-run.ts');
    return (await diagnose(this.parts, this.id)).findings;
  }

  /** The tokens and dollars by model, role and step. */
  async usage(): Promise<UsageReport> {
    const { usageOf } = await import('../read/usage.ts');
    return usageOf(await this.parts.store(), await this.document());
  }

  /** What a step did that scored the programs again by a new version of the task. */
  async scoredAgain(step: number): Promise<ScoredAgain> {
    const { scoredAgain } = await import('../tasks/scored-again.ts');
    return scoredAgain(await this.parts.store(), await this.document(), step);
  }

  /** The islands after the last committed step. */
  async islands(): Promise<IslandsReport> {
    const { islandsOf } = await import('../read/views.ts');
    const run = await this.document();
    const store = await this.parts.store();
    return islandsOf(store, run, (await taskOf(store, run)).direction);
  }

  /** The programs of committed steps, in the order in which they were made. */
  async *programs(query: ProgramsQuery = {}): AsyncGenerator<ProgramDocument> {
    yield* programsOf(await this.parts.store(), this.id, query);
  }

  /** Committed steps in order. With `all`, rewound steps come first, and are marked. */
  async *steps({ all = false }: { readonly all?: boolean } = {}): AsyncGenerator<StepLine> {
    yield* stepsOf(await this.parts.store(), this.id, all);
  }

  /** The settings that the run has, or had in a version. */
  async settings(version?: number): Promise<RunConfig> {
    const run = await this.document();
    if (version === undefined || version === run.configVersion) return run.config;
    if (!Number.isInteger(version) || version < 1 || version > run.configVersion)
      throw new UsageError(
        `version: expected 1 to ${run.configVersion}, the newest version of the settings of run ${run.run}, got ${version}`,
      );
    return (await this.parts.store()).readConfig(this.id, version);
  }

  /** Every version of the settings with the keys that it changed, oldest first. */
  async versions(): Promise<readonly SettingsVersion[]> {
    const { settingsVersions } = await import('../read/settings-versions.ts');
    return settingsVersions(await this.parts.store(), await this.document());
  }

  /**
   * Gives the run's state when it changes, with a step, a state or a reason to wait for a person, until the run has ended,
   * through restarts of any part. Throws BadEndError when its workflow is closed and the run has not ended, or when
   * `signal` ends the wait.
   */
  async *watch({ signal = new AbortController().signal }: Waiting = {}): AsyncGenerator<RunReport, RunReport> {
    const { place } = this.parts;
    const source = createSource(this.id, { store: () => openStore(place), engine: () => openEngine(place) });
    const report = (run: RunDocument): RunReport => runReport(run, new Date(), temporalUi(place));
    const states = untilEnded(source, signal);
    try {
      for (let told = ''; ;) {
        const { value, done } = await states.next();
        if (done === true) {
          if (value.kind === 'ended') return report(value.run);
          throw new BadEndError(
            value.kind === 'lost'
              ? lostMessage(this.id, value)
              : `waiting for run ${this.id} was ended by the caller; the run goes on`,
          );
        }
        const { run, live } = value;
        const state = `${run?.committedStep} ${run?.status} ${live?.attention}`;
        if (run === null || state === told) continue;
        told = state;
        yield report(run);
      }
    } finally {
      await source.close();
    }
  }

  /** Waits until the run has ended, as `watch` does. */
  async result(waiting: Waiting = {}): Promise<RunReport> {
    return endOf(this.watch(waiting));
  }
}

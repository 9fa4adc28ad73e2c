// The part of the store that keeps runs, the versions of their settings, and sweeps.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { NewRun, RunDocument, RunResults, RunStanding, StatusDetail, SweepDocument } from './documents.ts';
import {
  createRun,
  findRun,
  listRuns,
  openQueues,
  type ReadConfig,
  runStates,
  setConfig,
  setIsolation,
  setQueue,
  setResults,
  setStatus,
} from './run-documents.ts';
import type { Collections } from './stored.ts';
import { listSweeps, putSweep, readSweep, setSweep, sweepStates } from './sweeps.ts';

export interface RunStore {
  /** Insert-or-get. `created` is false when the run was there already; its stored document is returned. */
  createRun(run: NewRun): Promise<{ readonly created: boolean; readonly run: RunDocument }>;
  readRun(run: RunId): Promise<RunDocument | null>;
  /** Newest first. */
  listRuns(): Promise<readonly RunDocument[]>;
  /** The state of every run in a few fields, by which somebody who looks on sees that something changed. */
  runStates(): Promise<readonly RunStanding[]>;
  setStatus(run: RunId, status: RunStatus, detail: StatusDetail): Promise<void>;
  /** `by` is the message that asked for it, which is kept in the run document's `changes`. Returns the new version. */
  setConfig(run: RunId, config: RunConfig, fromVersion: number, by?: string): Promise<number>;
  /** The settings of a version. They never change, so they may be kept. */
  readConfig(run: RunId, version: number): Promise<RunConfig>;
  setIsolation(run: RunId, isolation: string): Promise<void>;
  /** The queue of evaluations that the run's task needs. */
  setQueue(run: RunId, queue: string): Promise<void>;
  /** Queues beside the common one on which runs evaluate that have not ended. */
  openQueues(): Promise<readonly string[]>;
  setResults(run: RunId, results: RunResults): Promise<void>;

  // sweeps
  /**
   * Insert-or-get by name. When the name is known, the runs and groups of both are united: none is lost, and none is
   * there twice.
   */
  putSweep(sweep: SweepDocument): Promise<SweepDocument>;
  readSweep(name: string): Promise<SweepDocument | null>;
  /** Newest first. */
  listSweeps(): Promise<readonly SweepDocument[]>;
  /** The same of sweeps. */
  sweepStates(): Promise<readonly Pick<SweepDocument, '_id' | 'status' | 'endedAt'>[]>;
  setSweep(
    name: string,
    fields: Partial<Pick<SweepDocument, 'status' | 'stopReason' | 'decisions' | 'endedAt'>>,
  ): Promise<void>;
}

export const runStore = (collections: Collections, readConfig: ReadConfig): RunStore => ({
  createRun: (run) => createRun(collections, run),
  readRun: (run) => findRun(collections, run),
  listRuns: () => listRuns(collections),
  runStates: () => runStates(collections),
  setStatus: (run, status, detail) => setStatus(collections, run, status, detail),
  setConfig: (run, config, fromVersion, by) => setConfig(collections, run, config, fromVersion, by),
  readConfig,
  setIsolation: (run, isolation) => setIsolation(collections, run, isolation),
  setQueue: (run, queue) => setQueue(collections, run, queue),
  openQueues: () => openQueues(collections),
  setResults: (run, results) => setResults(collections, run, results),

  putSweep: (sweep) => putSweep(collections, sweep),
  readSweep: (name) => readSweep(collections, name),
  listSweeps: () => listSweeps(collections),
  sweepStates: () => sweepStates(collections),
  setSweep: (name, fields) => setSweep(collections, name, fields),
});

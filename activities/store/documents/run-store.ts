// The runs of the store. A run document is created once and then changed by guarded updates only.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { hasEnded, type RunStatus } from '../../../evolution/run-states.ts';
import type { RunId } from '../../../evolution/types.ts';
import { sameContent, type Update } from './collection.ts';
import type { Happened, NewRun, RunDocument, RunStanding, StatusDetail } from './documents.ts';
import { ConflictError } from './errors.ts';
import type { QueuesDocument } from './installation-documents.ts';
import {
  beingRemoved,
  configId,
  newRunDocument,
  type ReadConfig,
  requireRun,
  requireUnused,
  STAYS,
} from './run-documents.ts';
import type { Collections, StoredRun } from './stored.ts';

export interface RunStore {
  /** Insert-or-get. `created` is false when the run was there already; its stored document is returned. */
  createRun(run: NewRun): Promise<{ readonly created: boolean; readonly run: RunDocument }>;
  readRun(run: RunId): Promise<RunDocument | null>;
  /** Newest first. */
  listRuns(): Promise<readonly RunDocument[]>;
  /** The state of every run in a few fields, by which somebody who looks on sees that something changed. */
  runStates(): Promise<readonly RunStanding[]>;
  setStatus(run: RunId, status: RunStatus, detail: StatusDetail): Promise<void>;
  setFields(run: RunId, fields: Partial<Pick<RunDocument, 'isolation' | 'queue' | 'results'>>): Promise<void>;
  /** `by` is the message that asked for it, which is kept in the run document's `changes`. Returns the new version. */
  setConfig(run: RunId, config: RunConfig, fromVersion: number, by?: string): Promise<number>;
  /** The settings of a version. They never change, so they may be kept. */
  readConfig: ReadConfig;
  /** Queues beside the common one on which runs evaluate that have not ended. */
  openQueues(): Promise<readonly string[]>;
}

const STANDING = [
  'status',
  'statusReason',
  'committedStep',
  'generation',
  'configVersion',
  'endedAt',
  'actedAt',
] as const;

/** A manual reset sends messages again that came after its point, which are seldom more than a few. */
const CHANGES_KEPT = 200;

export const runStore = (collections: Collections, readConfig: ReadConfig): RunStore => {
  const { runs, events, installation } = collections;
  const setFields = async (run: RunId, fields: NonNullable<Update<StoredRun>['$set']>): Promise<void> => {
    if (await runs.update(run, STAYS, { $set: fields })) return;
    await requireRun(collections, run);
    throw beingRemoved(run);
  };
  return {
    async createRun(run) {
      const document = newRunDocument(run);
      const existing = await runs.insertAll([document]);
      if (existing.length > 0) return { created: false, run: await requireRun(collections, run.run) };
      await requireUnused(collections, document);
      return { created: true, run: document };
    },
    readRun: (run) => runs.get(run),
    listRuns: async () =>
      (await runs.find({ run: { $gte: '' } })).toSorted(
        (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1),
      ),
    runStates: async () =>
      (await runs.find({ run: { $gte: '' } }, STANDING)).toSorted((a, b) => (a._id < b._id ? -1 : 1)),
    async openQueues() {
      const needed = ((await installation.get('queues')) as QueuesDocument | null)?.queues ?? [];
      if (needed.length === 0) return [];
      const waiting = await runs.find({ run: { $gte: '' }, queue: { $in: needed } }, ['queue', 'status']);
      return [...new Set(waiting.flatMap((run) => (hasEnded(run) ? [] : (run.queue ?? []))))].sort();
    },
    async setStatus(run, status, { reason: statusReason, ...detail }) {
      const before = await requireRun(collections, run);
      const reason = (detail.stopReason ?? statusReason ?? null)?.slice(0, REASON_KEPT) ?? null;
      await setFields(run, {
        status,
        ...(isNewState(before, status) ? withHappened(before, { at: new Date(), status, reason }) : {}),
        ...Object.fromEntries(Object.entries({ statusReason, ...detail }).filter(([, value]) => value !== undefined)),
      });
    },
    setFields,
    readConfig,
    /** Replaced settings go to `events` first. They never change, so every attempt writes the same. */
    async setConfig(run, config, fromVersion, by) {
      const current = await requireRun(collections, run);
      const version = fromVersion + 1;
      const changes = by === undefined ? current.changes : [...current.changes, by].slice(-CHANGES_KEPT);
      if (current.configVersion === fromVersion) {
        await events.insertAll([
          { _id: configId(run, fromVersion), run, type: 'config', version: fromVersion, config: current.config },
        ]);
        const happened = withHappened(current, { at: new Date(), version, ...(by === undefined ? {} : { by }) });
        const fields = { config, configVersion: version, changes, ...happened };
        if (await runs.update(run, { configVersion: fromVersion }, { $set: fields })) return version;
      }
      const now = await requireRun(collections, run);
      if (now.configVersion === version && sameContent(now.config, config)) return version;
      throw new ConflictError(
        `expected the settings of run '${run}' at version ${fromVersion}, but they are at version ${now.configVersion}: read them again and repeat the change`,
      );
    },
  };
};

/** The run's document is read often, so it has only the last changes, and of a reason its beginning. */
const HAPPENED_KEPT = 60;
const REASON_KEPT = 300;

const withHappened = ({ happened }: StoredRun, one: Happened): { readonly happened: readonly Happened[] } => ({
  happened: [...happened, one].slice(-HAPPENED_KEPT),
});

/** On the way to another state; a parked phase that is tried again and again would else fill the list. */
const TRANSIENT: readonly RunStatus[] = ['queued', 'opening', 'pausing', 'stopping', 'retrying'];

/** An attempt that is repeated finds the state written down. A run begins as one that runs. */
const isNewState = ({ happened }: StoredRun, status: RunStatus): boolean => {
  const last = happened.findLast((one) => 'status' in one);
  return !TRANSIENT.includes(status) && status !== (last?.status ?? 'running');
};

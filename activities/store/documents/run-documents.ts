// The run document is created once and then changed by guarded updates only. Replaced versions of its settings are kept
// in `events`.
import { LRUCache } from 'lru-cache';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { emptyPopulation } from '../../../evolution/population/population.ts';
import type { RunId } from '../../../evolution/types.ts';
import { sameContent, type Update } from './collection.ts';
import type { Happened, NewRun, RunDocument, RunResults, RunStanding, RunTotals, StatusDetail } from './documents.ts';
import { hasEnded, type RunStatus } from '../../../evolution/run-states.ts';
import { ConflictError } from './errors.ts';
import { FIRST_GENERATION } from './lineage.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { Rows } from './rows.ts';
import type { QueuesDocument, RemovedDocument } from './installation-documents.ts';
import type { Collections, StoredRun } from './stored.ts';

export const NO_TOTALS: RunTotals = {
  programs: 0,
  valid: 0,
  failures: {},
  tokens: { in: 0, out: 0 },
  costUsd: 0,
  sinceBest: 0,
};

/** The state of a run before step 0 is committed. */
export const beforeFirstStep = (config: RunConfig) =>
  ({
    committedStep: -1,
    population: emptyPopulation(config.population).state,
    totals: NO_TOTALS,
    best: null,
    fingerprint: new Rows().fingerprint,
  }) as const;

export const newRunDocument = (run: NewRun): StoredRun => ({
  _id: run.run,
  run: run.run,
  config: run.config,
  configVersion: 1,
  changes: [],
  starts: typeof run.start === 'string' ? [run.start] : [],
  taskDigest: run.taskDigest,
  evaluatorDigest: run.evaluatorDigest,
  ...(run.taskSnapshot === undefined ? {} : { taskSnapshot: run.taskSnapshot }),
  createdAt: run.createdAt,
  schemaVersion: SCHEMA_VERSION,
  status: run.status ?? 'running',
  statusReason: null,
  parked: null,
  stopReason: null,
  endedAt: null,
  happened: [],
  generation: FIRST_GENERATION,
  opening: 0,
  openings: null,
  lineage: [{ step: 0, generation: FIRST_GENERATION, run: run.run }],
  view: 0,
  ...beforeFirstStep(run.config),
  offlineModel: run.offlineModel,
  isolation: null,
  epochs: [],
  setAside: [],
  origin: null,
  sweep: run.sweep ?? null,
});

export const findRun = async ({ runs }: Pick<Collections, 'runs'>, run: RunId): Promise<StoredRun | null> =>
  runs.get(run);

export const requireRun = async ({ runs }: Pick<Collections, 'runs'>, run: RunId): Promise<StoredRun> => {
  const document = await findRun({ runs }, run);
  if (document === null)
    throw new Error(
      `expected run '${run}' in the database, but there is none by that name: evolve list shows the runs there are`,
    );
  return document;
};

/** A document that the caller has just read through the store is taken as it is. */
export const asRead = async (collections: Pick<Collections, 'runs'>, run: RunId | RunDocument): Promise<StoredRun> =>
  typeof run === 'string' ? requireRun(collections, run) : (run as StoredRun);

export const createRun = async (
  collections: Collections,
  run: NewRun,
): Promise<{ created: boolean; run: RunDocument }> => {
  const { runs } = collections;
  const document = newRunDocument(run);
  const existing = await runs.insertAll([document]);
  if (existing.length === 0) await requireUnused(collections, document);
  return existing.length === 0
    ? { created: true, run: document }
    : { created: false, run: await requireRun({ runs }, run.run) };
};

/**
 * For a run that was just made. Looked at afterwards, because a run that is being removed goes before its name is
 * noted.
 */
export const requireUnused = async (
  collections: Pick<Collections, 'runs' | 'installation'>,
  { _id }: StoredRun,
): Promise<void> => {
  const removed = await removedRun(collections, _id);
  if (removed === null) return;
  await collections.runs.deleteAll([_id]);
  throw new ConfigError([nameWasTaken(_id, removed)]);
};

/** The run of this name that was removed; null where there was none. */
export const removedRun = async (
  { installation }: Pick<Collections, 'installation'>,
  run: RunId,
): Promise<RemovedDocument | null> => (await installation.get(`removed:${run}`)) as RemovedDocument | null;

export const nameWasTaken = (run: RunId, { removedAt }: Pick<RemovedDocument, 'removedAt'>): string =>
  `run "${run}" was removed by \`npx evolve prune\` (${removedAt.toISOString().slice(0, 10)}), and its name stays taken: choose another one`;

export const listRuns = async ({ runs }: Collections): Promise<readonly RunDocument[]> =>
  (await runs.find({ run: { $gte: '' } })).toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1),
  );

const STANDING = ['status', 'statusReason', 'committedStep', 'generation', 'configVersion', 'endedAt'] as const;

export const runStates = async ({ runs }: Collections): Promise<readonly RunStanding[]> =>
  (await runs.find({ run: { $gte: '' } }, STANDING)).toSorted((a, b) => (a._id < b._id ? -1 : 1));

/** Queues beside the common one on which open runs evaluate. */
export const openQueues = async ({ runs, installation }: Collections): Promise<readonly string[]> => {
  const needed = ((await installation.get('queues')) as QueuesDocument | null)?.queues ?? [];
  if (needed.length === 0) return [];
  const waiting = await runs.find({ run: { $gte: '' }, queue: { $in: needed } }, ['queue', 'status']);
  return [...new Set(waiting.flatMap((run) => (hasEnded(run) ? [] : (run.queue ?? []))))].sort();
};

/** The run's document is read often, so it has only the last of them, and of a reason its beginning. */
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

export const setStatus = async (
  collections: Collections,
  run: RunId,
  status: RunStatus,
  detail: StatusDetail,
): Promise<void> => {
  const before = await requireRun(collections, run);
  const reason = (detail.stopReason ?? detail.reason ?? null)?.slice(0, REASON_KEPT) ?? null;
  return setFields(collections, run, {
    status,
    ...(isNewState(before, status) ? withHappened(before, { at: new Date(), status, reason }) : {}),
    ...(detail.reason === undefined ? {} : { statusReason: detail.reason }),
    ...(detail.parked === undefined ? {} : { parked: detail.parked }),
    ...(detail.stopReason === undefined ? {} : { stopReason: detail.stopReason }),
    ...(detail.endedAt === undefined ? {} : { endedAt: detail.endedAt }),
    ...(detail.starts === undefined ? {} : { starts: detail.starts }),
    ...(detail.pausedMs === undefined ? {} : { pausedMs: detail.pausedMs }),
  });
};

export const setIsolation = (collections: Collections, run: RunId, isolation: string): Promise<void> =>
  setFields(collections, run, { isolation });

export const setQueue = (collections: Collections, run: RunId, queue: string): Promise<void> =>
  setFields(collections, run, { queue });

export const setResults = (collections: Collections, run: RunId, results: RunResults): Promise<void> =>
  setFields(collections, run, { results });

const setFields = async (
  collections: Collections,
  run: RunId,
  fields: NonNullable<Update<StoredRun>['$set']>,
): Promise<void> => {
  if (await collections.runs.update(run, STAYS, { $set: fields })) return;
  await requireRun(collections, run);
  throw beingRemoved(run);
};

/** A guard against changing a run that `evolve prune` has begun to remove. */
export const STAYS = { removing: null } as const;
export const isGoing = ({ removing }: Pick<StoredRun, 'removing'>): boolean => (removing ?? null) !== null;
export const beingRemoved = (run: RunId): ConflictError =>
  new ConflictError(
    `run '${run}' is being removed: \`npx evolve prune ${run}\` ends it, and nothing can go on with it any more`,
  );

/** `_id` of replaced settings in `events`. */
const configId = (run: RunId, version: number): string => `${run}:config:${String(version).padStart(6, '0')}`;

/** A manual reset sends messages again that came after its point, which are seldom more than a few. */
const CHANGES_KEPT = 200;

/** Replaced settings go to `events` first. They never change, so every attempt writes the same. */
export const setConfig = async (
  collections: Collections,
  run: RunId,
  config: RunConfig,
  fromVersion: number,
  by?: string,
): Promise<number> => {
  const current = await requireRun(collections, run);
  const version = fromVersion + 1;
  const changes = by === undefined ? current.changes : [...current.changes, by].slice(-CHANGES_KEPT);
  if (current.configVersion === fromVersion) {
    await collections.events.insertAll([
      { _id: configId(run, fromVersion), run, type: 'config', version: fromVersion, config: current.config },
    ]);
    if (
      await collections.runs.update(
        run,
        { configVersion: fromVersion },
        { $set: { config, configVersion: version, changes, ...withHappened(current, { at: new Date(), version }) } },
      )
    )
      return version;
  }
  const now = await requireRun(collections, run);
  if (now.configVersion === version && sameContent(now.config, config)) return version;
  throw new ConflictError(
    `expected the settings of run '${run}' at version ${fromVersion}, but they are at version ${now.configVersion}: read them again and repeat the change`,
  );
};

/** The newest version is in the run document, replaced ones are in `events`. */
export type ReadConfig = (run: RunId, version: number) => Promise<RunConfig>;

const KEPT = 200;

/** A version never changes, so each process reads it once. Calls at the same time share the read. */
export const configsIn = (collections: Pick<Collections, 'runs' | 'events'>): ReadConfig => {
  const kept = new LRUCache<string, Promise<RunConfig>>({ max: KEPT });
  return (run, version) => {
    const key = configId(run, version);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const reading = readVersion(collections, run, version);
    reading.catch(() => kept.delete(key));
    kept.set(key, reading);
    return reading;
  };
};

const readVersion = async (
  { runs, events }: Pick<Collections, 'runs' | 'events'>,
  run: RunId,
  version: number,
): Promise<RunConfig> => {
  const { config, configVersion } = await requireRun({ runs }, run);
  if (configVersion === version) return config;
  const replaced = await events.get(configId(run, version));
  if (replaced === null)
    throw new RangeError(
      `expected settings of run '${run}' from version 1 to ${configVersion}, its newest, but version ${version} was asked for and is not stored`,
    );
  return replaced.config;
};

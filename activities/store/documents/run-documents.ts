// The documents of runs as they begin, and the versions of their settings, of which `events` keeps the replaced ones.
import { LRUCache } from 'lru-cache';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { emptyPopulation } from '../../../evolution/population/population.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { NewRun, RunDocument, RunTotals } from './documents.ts';
import { ConflictError } from './errors.ts';
import { FIRST_GENERATION } from './lineage.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { Rows } from './rows.ts';
import type { RemovedDocument } from './installation-documents.ts';
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
  ...(run.trust === undefined ? {} : { trust: run.trust }),
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

export const requireRun = async ({ runs }: Pick<Collections, 'runs'>, run: RunId): Promise<StoredRun> => {
  const document = await runs.get(run);
  if (document === null)
    throw new Error(
      `expected run '${run}' in the database, but there is none by that name: evolve list shows the runs there are`,
    );
  return document;
};

/** A document that the caller has just read through the store is taken as it is. */
export const asRead = async (collections: Pick<Collections, 'runs'>, run: RunId | RunDocument): Promise<StoredRun> =>
  typeof run === 'string' ? requireRun(collections, run) : (run as StoredRun);

/** For a run that was just made. It looks afterwards, because a removed run goes before its name is noted. */
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

/** A guard against changing a run that `evolve prune` has begun to remove. */
export const STAYS = { removing: null } as const;
export const isGoing = ({ removing }: Pick<StoredRun, 'removing'>): boolean => (removing ?? null) !== null;
export const beingRemoved = (run: RunId): ConflictError =>
  new ConflictError(
    `run '${run}' is being removed: \`npx evolve prune ${run}\` ends it, and nothing can go on with it any more`,
  );

/** `_id` of replaced settings in `events`. */
export const configId = (run: RunId, version: number): string => `${run}:config:${String(version).padStart(6, '0')}`;

/** The newest version is in the run document, replaced ones are in `events`. */
export type ReadConfig = (run: RunId, version: number) => Promise<RunConfig>;

const KEPT = 200;

/** A version never changes, so each process reads it once. Calls at the same time share the read. */
export const configsIn = (collections: Pick<Collections, 'runs' | 'events'>): ReadConfig => {
  const kept = new LRUCache<string, Promise<RunConfig>>({ max: KEPT });
  return (run, version) => {
    const key = configId(run, version);
    const earlier = kept.get(key);
    if (earlier !== undefined) return earlier;
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

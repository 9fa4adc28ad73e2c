// The work of `evolve prune`: it removes ended runs with their data, answers that were given up, and texts that nothing
// refers to. A plan is made first. Data that others need stay, with the reason.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Amount, TextAmounts } from '../../activities/store/upkeep/prune.ts';
import type { Store } from '../../activities/store/store.ts';
import { runsDirectory, WORKERS_RUNS } from '../../deploy/host/home.ts';
import type { KeptImage } from '../../deploy/images/task/task-image.ts';
import { policiesOf } from '../../deploy/supervisor/learning-children.ts';
import { shown } from '../../evolution/config/shown.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { Parts, Place } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { deleteRests } from './rest.ts';
import { isOpen } from '../temporal/workflow.ts';
import { removeImages, unneededWorlds } from './prune-worlds.ts';

export type PruneOrder = {
  /** Ids of runs: those that were chosen by name, or by what they are. */
  readonly runs: readonly string[];
  /** Chosen by name: a run among them that has to stay is an error, and nothing is removed. */
  readonly named: boolean;
  /** Only runs that ended so many days ago. */
  readonly olderThanDays?: number | undefined;
  /** Not the runs themselves, but only what they hold of answers that a rewind or a resampling gave up. */
  readonly superseded: boolean;
  /** With their folders of results. */
  readonly files: boolean;
};

/** Folders, and files where a part of a folder stays. */
type Folders = { readonly folders: readonly string[]; readonly bytes: number };
type PrunedRun = Amount & {
  readonly run: string;
  readonly endedAt: Date | null;
  /** Weights of its policies on this machine. */
  readonly weights: Folders;
  /** Its folder of results, or the files in it beside an export; none where it is kept. */
  readonly files: Folders;
  /** An export of the run in that folder, which stays; null where there is none. */
  readonly exported: string | null;
};

export type PrunePlan = {
  readonly order: PruneOrder;
  /** Runs that go as a whole. */
  readonly runs: readonly PrunedRun[];
  /** Chosen runs that stay. */
  readonly kept: readonly { readonly run: string; readonly why: string }[];
  /** Answers that were given up, of runs that stay. */
  readonly superseded: readonly (Amount & { readonly run: string })[];
  /** Texts that nothing refers to once the runs are gone. */
  readonly texts: TextAmounts;
  /** Images, and copies of data files, of tasks that no run has once the runs are gone. */
  readonly images: readonly KeptImage[];
  readonly data: Folders;
};

export type PruneReport = {
  readonly runs: readonly string[];
  readonly kept: PrunePlan['kept'];
  readonly sweeps: readonly string[];
  readonly superseded: PrunePlan['superseded'];
  readonly texts: TextAmounts;
  readonly images: readonly string[];
  readonly data: Folders;
};

/** Removes nothing. Throws UsageError where a run that was named has to stay. */
export const planPrune = async (parts: Parts, order: PruneOrder): Promise<PrunePlan> => {
  const store = await parts.store();
  const { pruning } = store;
  if (order.superseded) {
    const superseded = [];
    for (const run of order.runs) superseded.push({ run, ...(await pruning.amountOfSuperseded(run)) });
    const texts = await pruning.unreferencedTexts([]);
    return {
      ...{ order, runs: [], kept: [], superseded: superseded.filter(({ documents }) => documents > 0), texts },
      ...(await unneeded(parts.place, store, [])),
    };
  }
  const chosen = await oldEnough(store, order);
  const held = await heldIn(parts, store, chosen);
  const going = chosen.filter((run) => !held.has(run));
  const runs: PrunedRun[] = [];
  for (const run of going) runs.push(await prunedRun(parts.place, store, run, order.files));
  return {
    order,
    runs,
    kept: [...held].map(([run, why]) => ({ run, why })),
    superseded: [],
    texts: await pruning.unreferencedTexts(going),
    ...(await unneeded(parts.place, store, going)),
  };
};

/** May be repeated after it was cut short: a run that was begun to be removed can only be removed. */
export const carryOutPrune = async (
  parts: Parts,
  { order, runs, kept, superseded, images, data }: PrunePlan,
): Promise<PruneReport> => {
  if (order.named && kept.length > 0)
    throw new UsageError(
      `nothing was removed, because not all of these runs can be: ${kept.map(({ run, why }) => `${run}: ${why}`).join('; ')}`,
    );
  const { pruning } = await parts.store();
  const chosen = runs.map(({ run }) => run);
  const [gone, stayed] = [[] as string[], [...kept]];
  for (const { run, weights, files } of runs) {
    const why = await pruning.removeRun(run, chosen, () => {
      for (const folder of [...weights.folders, ...files.folders]) rmSync(folder, { recursive: true, force: true });
    });
    if (why === null) {
      await deleteRests((await parts.engine()).client, runWorkflowId(run), '');
      gone.push(run);
    } else {
      stayed.push({ run, why });
    }
  }
  const emptied = [];
  for (const { run } of superseded) emptied.push({ run, ...(await pruning.removeSuperseded(run)) });
  const sweeps = await pruning.removeSweeps();
  for (const folder of data.folders) rmSync(folder, { recursive: true, force: true });
  await removeImages(parts.place, images);
  return {
    ...{ runs: gone, kept: stayed, sweeps, superseded: emptied, texts: await pruning.removeTexts() },
    ...{ images: images.map(({ tag }) => tag), data },
  };
};

const unneeded = async (...of: Parameters<typeof unneededWorlds>): Promise<Pick<PrunePlan, 'images' | 'data'>> => {
  const { images, data } = await unneededWorlds(...of);
  return { images, data: folders(data) };
};

const DAY_MS = 86_400_000;

const oldEnough = async (store: Store, { runs, olderThanDays }: PruneOrder): Promise<readonly string[]> => {
  if (olderThanDays === undefined) return runs;
  const before = Date.now() - olderThanDays * DAY_MS;
  const ended = new Map((await store.listRuns()).map(({ run, endedAt }) => [run, endedAt?.getTime() ?? Infinity]));
  return runs.filter((run) => ended.get(run)! < before);
};

/** The runs that have to stay by the database or by the workflow engine, with the reason. */
const heldIn = async (parts: Parts, store: Store, runs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const held = new Map(await store.pruning.heldRuns(runs));
  const ended = runs.filter((run) => !held.has(run));
  if (ended.length === 0) return held;
  const engine = await parts.engine();
  const open: string[] = [];
  for (const run of ended) if (await isOpen(engine, runWorkflowId(run))) open.push(run);
  if (open.length === 0) return held;
  // The runs that those hold stay as well.
  const rest = ended.filter((run) => !open.includes(run));
  for (const [run, why] of await store.pruning.heldRuns(rest)) held.set(run, why);
  for (const run of open) held.set(run, 'it is going on: its workflow is open');
  return held;
};

const prunedRun = async (place: Place, store: Store, run: string, files: boolean): Promise<PrunedRun> => {
  const document = await store.readRun(run);
  const policies = (await store.listPolicies(run)).map(({ _id }) => inside(policiesOf(place.home), _id));
  const results = inside(runsDirectory(place.env), run);
  const ofWorkers = inside(WORKERS_RUNS, run);
  const exported = files ? exportIn(results) : null;
  return {
    run,
    endedAt: document !== null && hasEnded(document) ? document.endedAt : null,
    ...(await store.pruning.amountOfRun(run)),
    weights: folders(policies),
    files: !files
      ? folders([])
      : exported === null
        ? folders([...new Set([results, ofWorkers])])
        : beside(results, exported),
    exported,
  };
};

/** The default folder of `evolve export`. An export that did not finish brings no run back. */
const exportIn = (results: string): string | null => {
  const folder = join(results, 'export');
  return folders([results]).folders.length > 0 && existsSync(join(folder, 'manifest.json')) ? folder : null;
};

/** Names come from the database, to which others may write, and what they name is removed with all that is in it. */
const inside = (folder: string, name: string): string => {
  if (!/^[a-z0-9-]{1,150}$/.test(name))
    throw new UsageError(
      `expected names of runs and policies of small letters, digits and dashes, got ${shown(name)} in the database: somebody changed it, and nothing was removed`,
    );
  return join(folder, name);
};

/** A link is not followed, and stays. */
const folders = (paths: readonly string[]): Folders => {
  const there = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
  return { folders: there, bytes: there.reduce((sum, path) => sum + bytesIn(path), 0) };
};

/** All that is in the folder but this. */
const beside = (folder: string, kept: string): Folders => {
  const paths = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== kept);
  const size = (path: string): number => {
    const stats = lstatSync(path);
    return stats.isDirectory() ? bytesIn(path) : stats.size;
  };
  return { folders: paths, bytes: paths.reduce((sum, path) => sum + size(path), 0) };
};

/** Links are not followed. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(path) : (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0));
  }, 0);

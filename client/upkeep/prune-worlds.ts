// The part of `evolve prune` for what tasks brought: images in the engine, the wheels of their packages, and copies of data
// files in the home.
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../activities/store/store.ts';
import { keptTask } from '../../activities/task/kept-task.ts';
import { dataFolder, dataRoot } from '../../deploy/images/task/data-files.ts';
import type { KeptImage } from '../../deploy/images/task/task-image.ts';
import type { TaskWorld } from '../../evolution/task/task-world.ts';
import type { Place } from '../connect/connection.ts';
import { engineHere } from '../tasks/world.ts';

const LATE_MS = 3_600_000;

type Worlds = { readonly images: readonly KeptImage[]; readonly data: readonly string[] };

/** What no run needs but these, which are to go. */
export const unneededWorlds = async (place: Place, store: Store, going: readonly string[]): Promise<Worlds> => {
  const { home } = place;
  const kept = dataRoot(home.root);
  const engine = engineHere(place);
  const copies = existsSync(kept) ? readdirSync(kept).filter((name) => /^[0-9a-f]{16}$/.test(name)) : [];
  // Where a task cannot be read, nobody knows what it needs.
  const worlds = await worldsOf(store, going).catch(() => null);
  if (worlds === null) return { images: [], data: [] };
  const needed = worlds.flatMap(({ data }) => (data == null ? [] : [dataFolder(home.root, data)]));
  // A run that is about to start may have copied its files already.
  const before = Date.now() - LATE_MS;
  // Wheels are fetched again where another home wants them.
  const wheels = join(home.parts, 'image', 'wheels');
  const cached = existsSync(wheels) && worlds.every(({ lock }) => lock == null) ? [wheels] : [];
  const data = [
    ...copies.map((name) => join(kept, name)),
    ...cached,
    ...(await givenTasks(place, store, going)),
  ].filter((folder) => !needed.includes(folder) && lstatSync(folder).mtimeMs < before);
  if (engine === null) return { images: [], data };
  const { unneededImages } = await import('../../deploy/images/task/task-image.ts');
  // An engine that does not answer keeps its images.
  const images = await unneededImages(worlds, { ...engine, base: engine.image, home: home.hash }).catch(() => []);
  return { images, data };
};

/** Folders of tasks that were sent to the page's server, and that no other run names. */
const givenTasks = async ({ home }: Place, store: Store, going: readonly string[]): Promise<readonly string[]> => {
  const given = join(home.root, 'given');
  if (!existsSync(given)) return [];
  const named = (await store.listRuns()).flatMap(({ run, config }) => (going.includes(run) ? [] : [config.task]));
  return readdirSync(given)
    .map((name) => join(given, name))
    .filter((folder) => !named.some((task) => `${task}/`.startsWith(`${folder}/`)));
};

const worldsOf = async (store: Store, going: readonly string[]): Promise<readonly TaskWorld[]> => {
  const snapshots = (await store.listRuns()).flatMap(({ run, taskSnapshot }) =>
    taskSnapshot === undefined || going.includes(run) ? [] : [taskSnapshot],
  );
  const tasks = await Promise.all([...new Set(snapshots)].map((digest) => keptTask(store, digest)));
  return tasks.flatMap(({ world }) => world ?? []);
};

export const removeImages = async (place: Place, images: Worlds['images']): Promise<void> => {
  const engine = engineHere(place);
  if (engine === null || images.length === 0) return;
  const { removeTaskImage } = await import('../../deploy/images/task/task-image.ts');
  for (const { tag } of images) await removeTaskImage(engine.dockerHost, tag);
};

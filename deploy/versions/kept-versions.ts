// The bundles of workflows that this data directory has worked with, one file a build and what is known of it. They are
// kept here, and not only among the parts that several homes share and prune, because an execution that is open goes on
// with the build that began it.
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import { packageVersion, versionOf } from '../host/home.ts';

/** The package's version of a build, and the time when `evolve up` last asked for it. */
export type Release = { readonly build: string; readonly release: string; readonly sinceMs: number };

type About = {
  readonly release: string;
  /** A bundle of another version of the SDK cannot be loaded. */
  readonly sdk: string;
};
export type KeptVersion = About & { readonly build: string; readonly path: string };

/** So many stay where nothing is open on them, for a person who goes back to one. */
const KEPT_UNUSED = 8;

const folderOf = (home: string): string => join(home, 'versions');

export const sdkVersion = (): string => versionOf('@temporalio/worker') ?? 'none';

/** A bundle is named after its build. */
export const buildOf = (bundle: string): string => basename(bundle, '.js');

const askedFile = (home: string, build: string): string => join(folderOf(home), `${build}.asked`);

/** Notes that a person asked for this bundle now: of two versions of one release, the one asked for last is newer. */
export const askFor = (home: string, bundle: string): void => {
  const now = new Date();
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  // Not by the bundle alone: homes that share it are asked at other times, and would else take turns with what is
  // current.
  writeJsonAtomically(askedFile(home, buildOf(bundle)), { atMs: now.getTime() });
  // Shared bundles that were not asked for in a while are removed.
  utimesSync(bundle, now, now);
};

/** The time when `evolve up` of this home last asked for a bundle, else the time of the bundle's file. */
export const releaseOf = (home: string, bundle: string): Release => {
  const build = buildOf(bundle);
  const record = readJsonOrNull<{ readonly atMs: number }>(askedFile(home, build));
  return { build, release: packageVersion(), sinceMs: record?.atMs ?? Math.round(statSync(bundle).mtimeMs) };
};

/** Keeps a bundle of the code that is here now. */
export const keepVersion = (home: string, bundle: string): void => {
  const folder = folderOf(home);
  const build = buildOf(bundle);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const part = join(folder, `${build}.${process.pid}.part`);
  copyFileSync(bundle, part);
  renameSync(part, join(folder, `${build}.js`));
  writeJsonAtomically(join(folder, `${build}.json`), { release: packageVersion(), sdk: sdkVersion() } satisfies About);
};

/** Newest first. */
export const keptVersions = (home: string): readonly KeptVersion[] => {
  const folder = folderOf(home);
  const builds = namesIn(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ build: buildOf(name), path: join(folder, name), atMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs);
  return builds.flatMap(({ build, path }) => {
    const about = readJsonOrNull<About>(join(folder, `${build}.json`));
    return about === null ? [] : [{ ...about, build, path }];
  });
};

/**
 * Removes bundles beyond the newest ones, but none of those that are `needed`. When one was asked for stays known: a
 * worker of it that went by the file of the bundle, which homes share, would take the place of a newer version.
 */
export const forgetVersions = (home: string, needed: ReadonlySet<string>): void => {
  for (const { build } of keptVersions(home).slice(KEPT_UNUSED))
    if (!needed.has(build))
      for (const end of ['.js', '.json']) rmSync(join(folderOf(home), `${build}${end}`), { force: true });
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

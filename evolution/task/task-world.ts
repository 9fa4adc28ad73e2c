// What a task brings beside the evaluator image: packages, an image of its own, data files, and environment variables. All
// of it is named by content, so that it is the same on every host.

import { type LanguageName, toolchainOf } from './languages.ts';
import type { PackageSet } from '../config/settings/package-sets.ts';

export type TaskWorld = {
  /** The language of its programs; left out: Python. */
  readonly language?: LanguageName;
  /** The image of the engine on which its packages stand; left out: the evaluator's. */
  readonly image?: string;
  /** The text of a Dockerfile, from which the engine builds that image. */
  readonly dockerfile?: string;
  /** The text of requirements.lock: one pinned package a line, with its hash. Null: packages that are not locked yet. */
  readonly lock?: string | null;
  /** The set of which `lock` is. */
  readonly set?: PackageSet;
  /** The text of data.lock, in the form of sha256sum. Null: files that are not locked yet. */
  readonly data?: string | null;
  /** Environment variables of its programs and its evaluator. */
  readonly env?: { readonly [name: string]: string };
};

export type LockedPackage = { readonly name: string; readonly version: string; readonly line: string };

/** Where containers see the data files. */
export const DATA_FOLDER = '/data';

const LOCK_LINE =
  /^(?:# Python .*|--(?:extra-)?index-url[= ]https:\/\/[^@\s$]+|[A-Za-z0-9][\w.-]*(?:==[\w.+!]+| @ https:\/\/[^\s?#$]+\.whl(?:\?[^\s#$]*)?) --hash=sha256:[0-9a-f]{64})$/;

/** True where a text says nothing but versions and wheels with their hashes. */
export const isLock = (text: string): boolean => text.split('\n').every((line) => line === '' || LOCK_LINE.test(line));

const LOCK_HEAD = /^# Python (\d+\.\d+), /;

/** The version of Python for which a lock was made; null where the text is none. */
export const pythonOfLock = (lock: string): string | null => LOCK_HEAD.exec(lock)?.[1] ?? null;

/** Package names differ in case, dashes and dots only. */
export const packageName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

export const lockedPackages = (lock: string): readonly LockedPackage[] =>
  lock.split('\n').flatMap((line) => {
    const [, name, version, url] = /^([A-Za-z0-9][\w.-]*)(?:==(\S+)| @ (\S+))/.exec(line) ?? [];
    return name === undefined ? [] : [{ name: packageName(name), version: version ?? url ?? '', line }];
  });

export type LockedData = { readonly sha256: string; readonly path: string };

export const lockedData = (lock: string): readonly LockedData[] =>
  lock.split('\n').flatMap((line) => {
    const [, sha256, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    return sha256 === undefined ? [] : [{ sha256, path: path! }];
  });

/** A container engine has to make its image, or to give its programs their files. */
export const needsEngine = (world: TaskWorld | undefined): boolean => needsImage(world) || world?.data !== undefined;

/** Programs of the task run in an image other than the evaluator's. */
export const needsImage = (world: TaskWorld | undefined): boolean =>
  world !== undefined &&
  (world.image !== undefined ||
    world.dockerfile !== undefined ||
    world.lock !== undefined ||
    toolchainOf(world.language) !== undefined);

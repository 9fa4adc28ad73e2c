// Which files of a repository a program may be: globs, and what no program ever is.
import { matchesGlob } from 'node:path';
import { type FileRules, foldersOf, isHiddenPath } from '../evolution/files/program-files.ts';
import type { Task } from '../evolution/task/task.ts';

/** A glob, or a folder with all below it. */
export const fits = (path: string, glob: string): boolean =>
  matchesGlob(path, glob) || path.startsWith(`${glob.replace(/\/$/, '')}/`);

/** Tests, and what decides how they, Python and builds begin. */
const GUARDED_NAMES = [
  '(?:tests?|__tests__)/.+',
  'test_[^/]*',
  String.raw`[^/]*(?:_test|\.test|\.spec)\.\w+`,
  // With any extension, and as folders.
  String.raw`(?:conftest|sitecustomize|usercustomize|_?pytest)(?:\.[^/]*)?(?:/.*)?`,
  // pytest loads what the entry points of a package name.
  String.raw`[^/]*\.(?:dist|egg)-info(?:/.*)?|[^/]*\.(?:pth|so|pyd)`,
  String.raw`tox\.ini|setup\.cfg|pyproject\.toml|(?:gnu)?makefile|cmakelists\.txt|build\.rs|cargo\.toml|go\.(?:mod|work)`,
  String.raw`package\.json|[^/]*\.config\.[cm]?[jt]s`,
];
const GUARDED = new RegExp(String.raw`(?:^|/)(?:${GUARDED_NAMES.join('|')})$|^setup\.py$`, 'i');
export const isGuarded = (path: string): boolean => GUARDED.test(path);

const LONGEST_PATH = 200;

/** What the files of programs are held against, as plain data. */
export type KnownFiles = { readonly add: readonly string[]; readonly taken: readonly string[] };

/** Undefined where programs may add no file. */
export const knownFiles = ({ script }: Pick<Task, 'script'>): KnownFiles | undefined =>
  script?.add && { add: script.add, taken: [...Object.keys(script.files), ...(script.data ?? [])] };

const bare = (path: string): string => path.replace(/(?<=[^/])\.[^./]*$/, '');
/** What others import: a package by the name of its folder. */
const moduleOf = (path: string): string => bare(path).replace(/\/__init__$/, '');

export const fileRules = (known: KnownFiles | undefined): FileRules | undefined => {
  if (known === undefined) return undefined;
  const { add, taken } = known;
  const [files, modules, folders] = [new Set(taken), new Set(taken.map(moduleOf)), new Set(taken.flatMap(foldersOf))];
  /** Stands where a file that stays is, or would be imported in its place: `helpers/` goes before `helpers.py`. */
  const shadows = (path: string): boolean =>
    modules.has(moduleOf(path)) ||
    [path, bare(path)].some((one) => files.has(one) || folders.has(one)) ||
    foldersOf(path).some((folder) => files.has(folder));
  return {
    mayAdd: (path) =>
      path.length <= LONGEST_PATH &&
      !isHiddenPath(path) &&
      add.some((glob) => fits(path, glob)) &&
      !isGuarded(path) &&
      !shadows(path),
  };
};

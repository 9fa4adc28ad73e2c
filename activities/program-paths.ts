// Which files of a repository a program may be: globs, and what no program ever is.
import { matchesGlob } from 'node:path';
import { type FileRules, isHiddenPath } from '../evolution/files/program-files.ts';
import type { Task } from '../evolution/task/task.ts';

/** A glob, or a folder with all below it. */
export const fits = (path: string, glob: string): boolean =>
  matchesGlob(path, glob) || path.startsWith(`${glob.replace(/\/$/, '')}/`);

/** Tests, and what decides how they and Python begin. */
const GUARDED =
  /(?:^|\/)(?:(?:tests?|__tests__)\/.+|test_[^/]*|[^/]*(?:_test|\.test|\.spec)\.\w+|conftest\.py|sitecustomize\.py|usercustomize\.py|[^/]*\.pth|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml)$/;
export const isGuarded = (path: string): boolean => GUARDED.test(path);

const LONGEST_PATH = 200;

/** What the files of programs are held against, as plain data. */
export type KnownFiles = { readonly add: readonly string[]; readonly taken: readonly string[] };

/** Undefined where programs may add no file. */
export const knownFiles = ({ script }: Pick<Task, 'script'>): KnownFiles | undefined =>
  script?.add && { add: script.add, taken: [...Object.keys(script.files), ...(script.data ?? [])] };

export const fileRules = (known: KnownFiles | undefined): FileRules | undefined =>
  known && {
    mayAdd: (path) =>
      path.length <= LONGEST_PATH &&
      !isHiddenPath(path) &&
      known.add.some((glob) => fits(path, glob)) &&
      !isGuarded(path) &&
      !known.taken.some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)),
  };

// The form of paths to other files of a task. Whoever reads the file checks that it is in the folder.

const MAX_CHARS = 200;

/** The form of a path that `isTaskPath` takes. */
export const PATH_EXPECTED = `the path of a file in the task's folder, of at most ${MAX_CHARS} characters, without ".." or a "/" in front`;

// Letters, marks, digits and what file names usually hold; no control characters, no separators of other systems.
const PART = /^[\p{L}\p{M}\p{N}_.+@ -]+$/u;

/** True for a relative path within the task's folder, without `..`. */
export const isTaskPath = (path: string): boolean =>
  path.length <= MAX_CHARS &&
  path.split('/').every((part, index) => (part === '.' ? index === 0 : part !== '..' && PART.test(part)));

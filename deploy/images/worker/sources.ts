// Copies what the recipe of the worker image copies from the clone. What `.dockerignore` leaves out of `docker build`
// stays out of our own builder's image as well: passwords and keys in deploy/secrets above all.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const IGNORED = '.dockerignore';

/** A line of `.dockerignore`: a path, one that ends with `*`, or a name at any depth. Others are not used there. */
const patternOf = (line: string): RegExp => {
  const [, anywhere, name, rest] = /^(\*\*\/)?([\w./-]+)(\*)?$/.exec(line) ?? [];
  if (name === undefined)
    throw new Error(`${IGNORED}: our own builder of the worker image does not know this pattern: ${line}`);
  const literal = name.replace(/\/$/, '').replace(/[.]/g, '\\.');
  return new RegExp(`${anywhere === undefined ? '^' : '(?:^|/)'}${literal}${rest === undefined ? '' : '[^/]*'}(?:/|$)`);
};

/** True for a path from the root of the clone that is left out. */
export const leftOut = (ignored: string): ((path: string) => boolean) => {
  const patterns = ignored
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(patternOf);
  return (path) => patterns.some((pattern) => pattern.test(path));
};

export const copySources = (root: string, to: string, sources: readonly string[]): void => {
  const isLeftOut = leftOut(readFileSync(join(root, IGNORED), 'utf8'));
  for (const path of sources) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path), {
      recursive: true,
      filter: (source) => !isLeftOut(relative(root, source).split(sep).join('/')),
    });
  }
};

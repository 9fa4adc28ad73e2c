// Small files that must never be seen half-written.
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { SetupError } from './run-command.ts';

/** Readable by its owner only, since database addresses and profiles may hold passwords. */
const OWN = 0o600;

export const writeJsonAtomically = (file: string, value: unknown, mode = OWN): void => {
  const part = `${file}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(part, file);
};

/**
 * The place of a file below a folder that somebody else may have made, with its folder made: no link in it leads
 * elsewhere. Throws with the path that is a link.
 */
export const placeInside = (folder: string, path: string): string => {
  let at = folder;
  for (const part of normalize(path).split(sep)) {
    at = join(at, part);
    if (part === '..' || lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new SetupError(`${at}: expected a file or folder of this folder, got a link or a way out: remove it`);
  }
  mkdirSync(dirname(at), { recursive: true });
  return at;
};

export const writeInside = (folder: string, path: string, text: string): void => {
  const at = placeInside(folder, path);
  const part = `${at}.${randomBytes(6).toString('hex')}`;
  writeFileSync(part, text, { flag: 'wx' });
  renameSync(part, at);
};

/** Returns null when there is no such file, and throws SyntaxError when the file is not JSON. */
export const readJson = (file: string): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return JSON.parse(text) as unknown;
};

/** For caches and remembered choices, where a file that cannot be read counts as absent. */
export const readJsonOrNull = <T>(file: string): T | null => {
  try {
    return readJson(file) as T | null;
  } catch {
    return null;
  }
};

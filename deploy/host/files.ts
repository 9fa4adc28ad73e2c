// Small files that must never be seen half-written.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Readable by its owner only, since database addresses and profiles may hold passwords. */
const OWN = 0o600;

export const writeJsonAtomically = (file: string, value: unknown, mode = OWN): void => {
  const part = `${file}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(part, file);
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

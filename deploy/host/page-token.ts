// The token of a server of ours: whoever asks must know what is in a file. It is read by the servers of the page and of
// payloads, and by `evolve up` before it starts anything.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isOpenToOthers } from './private.ts';
import { SetupError } from './run-command.ts';

export const PAGE_TOKEN_FILE = 'EVOLVE_PAGE_TOKEN_FILE';
const LEAST_CHARACTERS = 16;
const MOST_BYTES = 65_536;

/** Throws SetupError. `ownOnly`: other users of this machine must not be able to read the file. */
export const pageToken = (
  path: string,
  { setting, ownOnly = false }: { readonly setting: string; readonly ownOnly?: boolean },
): string => {
  let text: string;
  try {
    // A pipe without a writer would keep the process waiting, and what is checked is what is read.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error('it is no regular file');
      if (stats.size > MOST_BYTES) throw new Error(`it has ${stats.size} bytes, and ${MOST_BYTES} at most are read`);
      if (ownOnly && isOpenToOthers(stats))
        throw new SetupError(
          `${setting}: expected a file that nobody but you can read, got ${path} with mode ${(stats.mode & 0o777).toString(8)}: chmod 600 ${path}`,
        );
      text = readFileSync(file, 'utf8').trim();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`${setting}: ${path} cannot be read (${(error as Error).message})`, error);
  }
  if (text.length < LEAST_CHARACTERS)
    throw new SetupError(`${setting}: expected at least ${LEAST_CHARACTERS} characters in ${path}, got ${text.length}`);
  return text;
};

/** The file that `evolve up` is told of, as an absolute path; null where its page asks for no token. */
export const pageTokenFile = (env: NodeJS.ProcessEnv): string | null => {
  const file = env[PAGE_TOKEN_FILE];
  if (!file) return null;
  const path = resolve(file);
  pageToken(path, { setting: PAGE_TOKEN_FILE, ownOnly: true });
  return path;
};

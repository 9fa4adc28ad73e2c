// Hashes of source folders, which tell whether running workers or a cached bundle were made from the code that is here
// now.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Home, PROJECT_ROOT } from '../host/home.ts';
import { shippedLevels } from '../host/outside-levels.ts';
import { sha256 } from '../host/sha256.ts';

const CODE = /\.(ts|mjs|txt|py|yaml|json|md)$/;

const filesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CODE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    throw error;
  }
};

/**
 * Hash of the names and contents of files and folders, given relative to the project. Throws where one does not exist.
 */
export const hashSources = (paths: readonly string[], also: readonly string[] = []): string => {
  const hash = createHash('sha256');
  for (const path of paths)
    for (const file of filesIn(join(PROJECT_ROOT, path)))
      hash
        .update(`${file.slice(PROJECT_ROOT.length)}\0`)
        .update(readFileSync(file))
        .update('\0');
  for (const text of also) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
};

/**
 * A worker reads the keys of payloads when it starts. So a file of them that is new or was changed stands for another
 * process, and `up` starts the workers again. Empty where there is none, and where it cannot be read, which they say.
 */
export const payloadKeysRevision = (home: Home, env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    return [sha256(readFileSync(env['EVOLVE_PAYLOAD_KEYS_FILE'] || join(home.root, 'payload-keys'), 'utf8'))];
  } catch {
    return [];
  }
};

/** The sources of workers: `evolve up` restarts workers when these change. */
export const WORKER_CODE: readonly string[] = [
  ...['workers', 'activities', 'evolution', 'workflows', 'client', 'tasks', 'package-lock.json'],
  ...[
    'host',
    'images/evaluator',
    'images/task',
    'offline-model',
    'parts',
    'servers',
    'stack',
    'supervisor',
    'versions',
  ].map((folder) => `deploy/${folder}`),
  ...shippedLevels().map((file) => relative(PROJECT_ROOT, dirname(file))),
];

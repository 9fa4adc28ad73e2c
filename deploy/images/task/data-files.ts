// The data files of a task: read-only copies in the home, in a folder that is named by the hash of their list. A run
// keeps that list, so that a file that differs is never taken for the same.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { lockedData } from '../../../evolution/task/task-world.ts';
import { withLock } from '../../host/lock.ts';
import { runCommand } from '../../host/run-command.ts';
import { sha256 } from '../../host/sha256.ts';
import { spaceOf } from '../../host/space.ts';

const COPY_MS = 60 * 60_000;
const SPARE = 1024 ** 3;

export const dataRoot = (home: string): string => join(home, 'data');

/** `lock` is the text of data.lock. */
export const dataFolder = (home: string, lock: string): string => join(dataRoot(home), sha256(lock).slice(0, 16));

/** The hash of a file, which is copied to `copy` where that is named: what is hashed is what was copied. */
export const hashFile = async (file: string, copy: string | null = null): Promise<string> => {
  const hash = createHash('sha256');
  const seen = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  if (copy === null) for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  else await pipeline(createReadStream(file), seen, createWriteStream(copy, { mode: 0o644 }));
  return hash.digest('hex');
};

/** The bytes of the files. Throws where the disk of the home has no room for them. */
export const roomFor = async (home: string, from: string, paths: readonly string[]): Promise<number> => {
  const sizes = paths.map((path) => ({ path, size: statSync(join(from, path)).size }));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  await mkdir(dataRoot(home), { recursive: true });
  const { free } = await spaceOf(dataRoot(home));
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  if (free < bytes + SPARE)
    throw new Error(
      `${join(from, largest!.path)}: the data files have ${bytes} bytes (this one ${largest!.size}), and the disk of ${dataRoot(home)} has ${free} free: make room there, or keep what no evaluator reads out of the folder`,
    );
  return bytes;
};

/** Copies the files of `from` that the lock names, once. Throws with the file that differs from its hash. */
export const keepData = async (
  home: string,
  lock: string,
  from: string,
  say: (line: string) => void,
): Promise<void> => {
  const folder = dataFolder(home, lock);
  const files = lockedData(lock);
  await mkdir(dataRoot(home), { recursive: true });
  await withLock(
    `${folder}.lock`,
    { timeoutMs: COPY_MS, waiting: (pid) => say(`waiting for process ${pid}, which copies them`) },
    async () => {
      if (existsSync(folder)) {
        for (const { path, sha256: expected } of files)
          requireHash(join(from, path), expected, await hashFile(join(from, path)));
        return;
      }
      const paths = files.map(({ path }) => path);
      say(`copying ${files.length} data files, ${await roomFor(home, from, paths)} bytes`);
      const part = `${folder}.part`;
      await rm(part, { recursive: true, force: true });
      for (const { path, sha256: expected } of files) {
        await mkdir(dirname(join(part, path)), { recursive: true });
        requireHash(join(from, path), expected, await hashFile(join(from, path), join(part, path)));
      }
      await rename(part, folder);
    },
  );
};

const requireHash = (file: string, expected: string, got: string): void => {
  if (got !== expected)
    throw new Error(
      `${file}: expected the file with sha256 ${expected.slice(0, 16)}..., as data.lock or task.yaml has it, got ${got.slice(0, 16)}...: bring that file back; where data.lock names it, remove data.lock to take this one`,
    );
};

const checked = new Map<string, Promise<string>>();

/** The folder of the files on this host, looked at once a process. Throws with what to copy where they are not here. */
export const dataHere = (home: string, lock: string): Promise<string> => {
  const folder = dataFolder(home, lock);
  const known =
    checked.get(folder) ??
    lookAt(folder, lock).catch((error: unknown) => {
      checked.delete(folder);
      throw error;
    });
  checked.set(folder, known);
  return known;
};

const lookAt = async (folder: string, lock: string): Promise<string> => {
  const files = lockedData(lock);
  if (!existsSync(folder))
    throw new Error(
      `this host lacks the data files (${files[0]?.path}${files.length > 1 ? `, and ${files.length - 1} more` : ''}): copy the folder data/${folder.split('/').at(-1)} of the home where the run began to ${folder}`,
    );
  // Programs read them as nobody, whatever the umask was and whoever closed the home since.
  await runCommand('chmod', ['-R', 'a+rX,go-w', folder]);
  for (const { path, sha256: expected } of files)
    requireHash(join(folder, path), expected, await hashFile(join(folder, path)));
  return folder;
};

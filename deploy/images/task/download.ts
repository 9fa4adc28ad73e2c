// Brings a declared download of a task into its folder: whole and with the hash that task.yaml names, or not at all. One
// that was cut off goes on where it ended.
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { placeInside } from '../../host/files.ts';
import { withLock } from '../../host/lock.ts';
import { bounded } from './bounded.ts';
import { hashFile } from './data-files.ts';

const MINUTES = 24 * 60;

type Download = { readonly url: string; readonly sha256: string; readonly file: string };
/** Two processes that want the same file take a lock in the folder `locks`. */
type Into = { readonly folder: string; readonly locks: string; readonly say: (line: string) => void };

/** Throws with what to do where it cannot be had, or is another file. */
export const fetchFile = async ({ url, sha256, file }: Download, { folder, locks, say }: Into): Promise<void> => {
  const at = placeInside(folder, file);
  await mkdir(locks, { recursive: true });
  await withLock(
    join(locks, `download-${sha256.slice(0, 16)}.lock`),
    { timeoutMs: MINUTES * 60_000, waiting: (pid) => say(`waiting for process ${pid}, which fetches ${file}`) },
    async () => {
      if (existsSync(at)) {
        if ((await hashFile(at)) === sha256) return say(`${file} is here`);
        throw new Error(`${at}: expected the file with sha256 ${sha256.slice(0, 16)}..., got another one: remove it`);
      }
      // Its name begins with a dot, so that no evaluator and no reader of the folder takes it for a file of the task.
      const part = placeInside(folder, join(dirname(file), `.${basename(file)}.part`));
      await bounded({ what: `fetching ${url}`, folders: [dirname(at)], minutes: MINUTES }, (signal) =>
        receive(url, part, { signal, say }),
      );
      const got = await hashFile(part);
      if (got !== sha256) {
        await rm(part);
        throw new Error(`${url}: expected a file with sha256 ${sha256}, as task.yaml names it (${file}), got ${got}`);
      }
      await rename(part, at);
      say(`${file} is here`);
    },
  );
};

type Receiving = { readonly signal: AbortSignal; readonly say: (line: string) => void };

const receive = async (url: string, part: string, { signal, say }: Receiving): Promise<void> => {
  const had = existsSync(part) ? (await stat(part)).size : 0;
  say(`fetching ${url}${had === 0 ? '' : `, of which ${had} bytes are here`}`);
  const headers = { 'accept-encoding': 'identity', ...(had === 0 ? {} : { range: `bytes=${had}-` }) };
  try {
    const response = await fetch(url, { headers, signal });
    // Everything is here already, or the file has become shorter: the hash says which.
    if (response.status === 416 && had > 0) return;
    if (!response.ok || response.body === null) throw new Error(`it answers with HTTP ${response.status}`);
    const flags = response.status === 206 ? 'a' : 'w';
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(part, { flags }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
    throw new Error(`${url} cannot be fetched: ${why}; the same command goes on from what came`, { cause: error });
  }
};

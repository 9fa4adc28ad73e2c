// What is known of runs beside what they did: read once for each version of their settings, of many runs at a time.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { Place } from '../../../client/connect/connection.ts';
import type { Known } from '../../data/glance.ts';

const READ_KNOWN = fileURLToPath(new URL('../known/read-known.ts', import.meta.url));
const PATIENCE_MS = 60_000;
const MOST_BYTES = 4 * 2 ** 20;
const MOST_AT_ONCE = 200;
const MOST_KNOWN = 20_000;
/** What could not be read is tried again after so long. */
const AGAIN_MS = 30_000;

/** Null where the task cannot be read any more. */
export type KnownOf = (run: RunDocument) => Promise<Known | null>;
/** What is known of each, in their order. */
type Reader = (runs: readonly RunDocument[]) => Promise<readonly (Known | null)[]>;
type Asked = { readonly key: string; readonly run: RunDocument; readonly give: (known: Known | null) => void };

export const knownValues = (read: Reader): KnownOf => {
  const known = new Map<string, Promise<Known | null>>();
  const waiting: Asked[] = [];
  let reading: Promise<void> | null = null;
  const readWaiting = async (): Promise<void> => {
    // Those that are asked for in the same moment are read together.
    await new Promise((go) => setImmediate(go));
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      const found = await read(batch.map(({ run }) => run)).catch(() => null);
      for (const [index, { key, give }] of batch.entries()) {
        give(found?.[index] ?? null);
        if (found === null) setTimeout(() => known.delete(key), AGAIN_MS).unref();
      }
    }
    reading = null;
  };
  return (run) => {
    const key = `${run.run} ${run.createdAt.getTime()} ${run.configVersion}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    const asking = new Promise<Known | null>((give) => waiting.push({ key, run, give }));
    known.set(key, asking);
    reading ??= readWaiting();
    return asking;
  };
};

/** By a process, whose memory ends with it. */
export const knownByProcess =
  ({ home, env }: Place): Reader =>
  (runs) =>
    new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [READ_KNOWN, ...runs.map(({ run }) => run)],
        { env: { ...env, EVOLVE_HOME: home.root }, timeout: PATIENCE_MS, maxBuffer: MOST_BYTES },
        (error, stdout) => {
          try {
            if (error !== null) throw error;
            resolve(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as readonly (Known | null)[]);
          } catch (why) {
            reject(why as Error);
          }
        },
      );
    });

// Compiles programs without running them, in a container of its own, so that a real Python says what is a program. A
// source that crashes the parser costs one restart. Here too is what can be said of a program in another language
// before it runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launcher, Log } from '../contract/confined.ts';
import type { Gate } from '../contract/types.ts';
import { Resident, ResidentDied } from './resident.ts';

/** A larger program is refused before it runs. */
const MAX_SOURCE_BYTES = 64 * 1024;

const tooLong = (source: string): string | null => {
  const bytes = Buffer.byteLength(source);
  return bytes > MAX_SOURCE_BYTES ? `expected a program of at most ${MAX_SOURCE_BYTES} bytes, got ${bytes}` : null;
};

/** The reason for which a program need not be run (it is too long, or the entry's name is nowhere in it), or null. */
export const tooPlain = (source: string, entry: string): string | null =>
  tooLong(source) ??
  (new RegExp(`\\b${entry}\\b`).test(source) ? null : `expected a function ${entry}, the program defines none`);

const SOURCE = ['files.py', 'gate.py']
  .map((file) => readFileSync(join(import.meta.dirname, '..', 'guest', file), 'utf8'))
  .join('\n');
const TIMEOUT_MS = 15_000;

export const createGate = (launcher: Launcher, log: Log, timeoutMs = TIMEOUT_MS): Gate => {
  const resident = new Resident({ launcher, name: 'gate', source: SOURCE, timeoutMs });
  const ask = async (
    sources: readonly string[],
    entry: string,
    signal: AbortSignal,
  ): Promise<readonly (string | null)[]> => {
    if (sources.length === 0) return [];
    try {
      return (await resident.ask({ sources, entry }, signal)) as readonly (string | null)[];
    } catch (error) {
      if (!(error instanceof ResidentDied)) throw error;
      log(`gate: ${error.message}; started again`);
      if (sources.length === 1) return ['the parser crashed'];
      const verdicts: (string | null)[] = [];
      for (const source of sources) verdicts.push(...(await ask([source], entry, signal)));
      return verdicts;
    }
  };
  const check: Gate['check'] = async (sources, entry, signal) => {
    const verdicts: (string | null)[] = sources.map(tooLong);
    const open = sources.flatMap((source, index) => (verdicts[index] === null ? [{ source, index }] : []));
    const parsed = await ask(
      open.map(({ source }) => source),
      entry,
      signal,
    );
    open.forEach(({ index }, position) => {
      verdicts[index] = parsed[position] ?? null;
    });
    return verdicts;
  };
  return {
    check,
    close: async () => {
      await resident.close();
      await launcher.close();
    },
  };
};

// Compiles programs without running them, in a container of its own, so that a real Python says what is a program. A
// source that crashes the parser costs one restart. Here too is what can be said of a program in another language
// before it runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aborted } from 'node:util';
import { MAX_PROGRAM_FILES } from '../../../evolution/files/program-files.ts';
import { Gathering } from '../../gathering.ts';
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

type Question = { readonly text: string; readonly entry: string; readonly own: number };
type Verdicts = readonly (string | null)[];

export const createGate = (launcher: Launcher, log: Log, timeoutMs = TIMEOUT_MS): Gate => {
  const resident = new Resident({ launcher, name: 'gate', source: SOURCE, timeoutMs });
  /** It serves callers that know nothing of each other, so none of them can end it. */
  const { signal: never } = new AbortController();
  const ask = async (questions: readonly Question[]): Promise<Verdicts> => {
    try {
      return (await resident.ask(questions, never)) as Verdicts;
    } catch (error) {
      if (!(error instanceof ResidentDied)) throw error;
      log(`gate: ${error.message}; started again`);
      if (questions.length === 1) return ['the parser crashed'];
      const verdicts: (string | null)[] = [];
      for (const question of questions) verdicts.push(...(await ask([question])));
      return verdicts;
    }
  };
  const gathering = new Gathering(ask, (verdicts, from, count) => verdicts.slice(from, from + count));
  const check: Gate['check'] = async (sources, { entry, own = MAX_PROGRAM_FILES }, signal) => {
    const verdicts: (string | null)[] = sources.map(tooLong);
    const open = sources.flatMap((source, index) => (verdicts[index] === null ? [{ source, index }] : []));
    if (open.length === 0) return verdicts;
    const asked = gathering.ask(open.map(({ source }) => ({ text: source, entry, own })));
    await Promise.race([asked, aborted(signal, asked)]);
    signal.throwIfAborted();
    const parsed = await asked;
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

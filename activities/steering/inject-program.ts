// A person's program for the next step of a run. Called by the activity of the same name for an open run, by the library for a closed one.
import { ConfigError } from '../../evolution/config/problems.ts';
import { missing } from '../step-summary.ts';
import { hashText } from '../store/hash.ts';
import type { Store } from '../store/store.ts';

/** Throws ConfigError, with nothing stored, when the program cannot be. The same program for the same island is injected once. */
export const injectProgram = async (
  store: Pick<Store, 'readRun' | 'putTexts' | 'inject'>, run: string, island: number, program: string,
): Promise<{ readonly injected: string }> => {
  const document = await store.readRun(run);
  if (!document) throw missing(`run ${run}`);
  const { population: { islands }, diff: { maxCodeChars } } = document.config;
  if (!Number.isInteger(island) || island < 0 || island >= islands) throw new ConfigError([`steer: island: expected a whole number from 0 to ${islands - 1}, got ${JSON.stringify(island)}.`]);
  if (program.trim() === '') throw new ConfigError(['steer: program: expected the text of a program, got an empty text.']);
  if (program.length > maxCodeChars) throw new ConfigError([`steer: program: expected at most ${maxCodeChars} characters (diff.maxCodeChars), got ${program.length}.`]);
  const [code] = await store.putTexts([program]);
  const { _id } = await store.inject({
    _id: `${run}:inject:${hashText(`${island}\n${program}`).slice(0, 24)}`, run, island, code: code!, at: new Date(), place: null,
  });
  return { injected: _id };
};

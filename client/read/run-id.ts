// Names of runs: which are allowed, how one is made, and what `latest` means.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { shown } from '../../evolution/config/shown.ts';
import { taskName } from '../../evolution/task/task.ts';
import { UsageError } from '../connect/errors.ts';

const ALLOWED = /^[a-z0-9-]{1,60}$/;

/** Throws unless the name can be the id of a run. */
export const checkRunId = (id: string): string => {
  if (!ALLOWED.test(id))
    throw new UsageError(`--run: expected 1 to 60 of the characters a-z, 0-9 and -, got ${shown(id)}`);
  if (id.startsWith('-'))
    throw new UsageError(
      `--run: expected a letter or a digit first, got ${shown(id)}: commands would take it for a flag`,
    );
  if (id === 'latest') throw new UsageError('--run: "latest" always means the newest run; choose another id');
  return id;
};

/** `theta-circle-packing-square-26-x3f9k`, cut to fit. */
export const newRunId = (config: { readonly method: string; readonly task: string }, random: () => number): string =>
  suffixed(`${config.method}-${taskName(config.task)}`, random);

/** The name, cut to fit, with five random characters that are hard to mistake for each other. */
export const suffixed = (name: string, random: () => number): string => {
  const letters = '23456789abcdefghjkmnpqrstuvwxyz';
  const suffix = Array.from({ length: 5 }, () => letters[Math.floor(random() * letters.length)]).join('');
  return `${name.slice(0, 54)}-${suffix}`;
};

/** The run of this name; `latest` is the newest. Throws with the nearest name when there is none. */
export const findRun = async (store: Store, id: string): Promise<RunDocument> => {
  if (id !== 'latest') {
    const stored = ALLOWED.test(id) ? await store.readRun(id) : null;
    if (stored) return stored;
  }
  const runs = await store.listRuns();
  const newest = runs[0];
  if (!newest) throw new UsageError('there are no runs yet: start one with `npm start` or `npx evolve run`');
  if (id === 'latest') return newest;
  throw new UsageError(
    `there is no run ${shown(id)}.${didYouMean(
      id,
      runs.map(({ run }) => run),
    )} \`npx evolve list\` shows all.`,
  );
};

// Writes down who does what to a run: before it is done, so that nothing is done that nobody knows of, and again with
// what became of it.
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionDocument } from '../../activities/store/documents/documents.ts';
import type { Person } from '../../evolution/steering/base/people.ts';
import type { RunVerb } from '../../evolution/steering/verbs.ts';
import type { RunId } from '../../evolution/types.ts';
import type { Parts } from './connection.ts';

const userName = (): string | null => {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return null;
  }
};

/** The user of the machine, by the library unless the place says otherwise. */
export const personOf = ({ by }: { readonly by?: Partial<Person> | undefined }): Person => ({
  name: by?.name ?? userName(),
  from: by?.from ?? 'library',
});

/** A run must stop where its database is away, so the action waits no longer than this for it. */
const PATIENCE_MS = 1_000;
/** What a database answers, or something else where it fails or takes too long. */
export const soon = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
  Promise.race([answer.catch(() => otherwise), sleep(PATIENCE_MS, otherwise, { ref: false })]);

const LONGEST_TEXT = 500;

/**
 * `work` gets the id of the action, and gives its result with the sentence about it. A mark is its own record, so it fails
 * where that cannot be written.
 */
export const recorded = async <T extends { readonly text: string }>(
  { place, store }: Pick<Parts, 'place' | 'store'>,
  run: RunId,
  verb: RunVerb,
  work: (action: string) => Promise<T>,
  marked?: ActionDocument['marked'],
): Promise<T> => {
  const at = new Date();
  const asked: ActionDocument = {
    _id: `${run}:action:${at.getTime()}:${randomBytes(6).toString('hex')}`,
    ...{ run, verb, by: personOf(place), at, state: 'asked', text: '' },
    ...(marked === undefined ? {} : { marked }),
  };
  /** False where the database could not be told. */
  const put = async (action: ActionDocument): Promise<boolean> => {
    try {
      await (await store()).putAction(action);
      return true;
    } catch (error) {
      if (marked !== undefined) throw error;
      return false;
    }
  };
  const first = put(asked);
  const waited = (writing: Promise<boolean>): Promise<boolean> =>
    marked === undefined ? soon(writing, false) : writing;
  await waited(first);
  const end = async (state: 'done' | 'refused', text: string): Promise<void> => {
    const own = text.startsWith(`${run}: `) ? text.slice(run.length + 2) : text;
    if (await waited(first)) await waited(put({ ...asked, state, text: own.slice(0, LONGEST_TEXT) }));
  };
  try {
    const result = await work(asked._id);
    await end('done', result.text);
    return result;
  } catch (error) {
    await end('refused', error instanceof Error ? error.message : String(error));
    throw error;
  }
};

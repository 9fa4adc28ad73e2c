// How notices to people stand, for `evolve doctor`: whether anybody is told, and what could not be sent.
import type { Store } from '../../activities/store/store.ts';
import { type Destination, readDestination } from '../../deploy/host/notify.ts';
import { SetupError } from '../../deploy/host/run-command.ts';
import type { Place } from '../connect/connection.ts';

type State = { readonly ok: boolean; readonly detail: string; readonly fix?: string };

/** The host alone, because the rest of an address may be a secret. */
const whereTo = (to: Destination): string =>
  to.kind === 'webhook'
    ? `webhook at ${new URL(to.url).host}${to.secret === null ? ', without a signature' : ''}`
    : `command ${to.command[0]}`;

/** What cannot be asked because the database is away is a finding of the database. */
export const noticesState = async (
  { home, env }: Place,
  withStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>,
): Promise<State> => {
  let to: Destination | null;
  try {
    to = readDestination(home.root, env);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { ok: false, detail: error.message, fix: 'mend or remove the file; workers read it again by themselves' };
  }
  if (to === null) return { ok: true, detail: `nobody is told of runs; ${home.root}/notify.json would say how` };
  const notices = await withStore((store) => store.listNotices({}));
  const failing = notices.filter(({ state, error }) => state !== 'sent' && error !== null);
  const detail = `${whereTo(to)}; ${notices.filter(({ state }) => state === 'sent').length} sent`;
  const last = failing.at(-1);
  return last === undefined
    ? { ok: true, detail }
    : {
        ok: false,
        detail: `${detail}, ${failing.length} not; the last one: ${last.error}`,
        fix: 'mend what the error names; an open notice is tried again by itself for about a day',
      };
};

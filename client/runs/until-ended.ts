// A run's facts, second by second, until it ends.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { Facts, Source } from './watch-source.ts';

export type Ending =
  | { readonly kind: 'ended'; readonly run: RunDocument }
  | { readonly kind: 'interrupted'; readonly run: RunDocument | null }
  /** The workflow is closed and the run document does not say that the run ended. */
  | { readonly kind: 'lost'; readonly run: RunDocument | null; readonly closed: string };

/** Shows each state to the caller; resolves to the end of the states. */
export const endOf = async <T, E>(
  states: AsyncGenerator<T, E>,
  show: (state: T) => void = () => undefined,
): Promise<E> => {
  for (;;) {
    const { value, done } = await states.next();
    if (done) return value;
    show(value);
  }
};

const POLL_MS = 1_000;
/** A run counts as lost only after a closed workflow and an open run document were seen together so often. */
const LOST_AFTER = 4;

/** Yields the facts each second and at the end of the workflow; returns the end of the run. */
export async function* untilEnded(source: Source, signal: AbortSignal): AsyncGenerator<Facts, Ending> {
  for (let lost = 0; ;) {
    const facts = await source.facts();
    const { run, closed, waitingFor } = facts;
    if (signal.aborted) return { kind: 'interrupted', run };
    yield facts;
    if (run !== null && hasEnded(run) && (closed !== null || waitingFor !== null)) return { kind: 'ended', run };
    lost = closed !== null && waitingFor === null ? lost + 1 : 0;
    if (lost >= LOST_AFTER) return { kind: 'lost', run, closed: closed ?? '' };
    await sleep(POLL_MS, undefined, {
      signal: closed === null ? AbortSignal.any([signal, source.ended]) : signal,
    }).catch(() => undefined);
  }
}

/** The message on a lost run. */
export const lostMessage = (run: string, { closed, run: document }: Extract<Ending, { kind: 'lost' }>): string =>
  `the workflow of run ${run} is closed (${closed}) though the run has not ended; what it made is kept. ` +
  (document === null
    ? 'The Temporal UI shows why.'
    : `\`npx evolve doctor ${run}\` says what happened, \`npx evolve resume ${run}\` goes on.`);

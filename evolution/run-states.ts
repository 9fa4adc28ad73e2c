// The states of a run, in one list. Workflows, the database, search attributes and commands all use these words, so that
// a person reads the same word everywhere.
export const RUN_STATES = [
  /** A sweep made the run and has not started it yet. */
  'queued',
  /** Its workflow was started and reads or makes the run's document. */
  'opening',
  'running',
  /** A pause was taken, and something is still under way. */
  'pausing',
  /** Nothing is under way, and nothing begins. */
  'paused',
  /** A stop was taken, and the end is not written down yet. */
  'stopping',
  /** A phase that was parked is being tried again at this moment. */
  'retrying',
  /** A phase is parked: it waits for a person, or for the time at which it is tried again. */
  'needs attention',
  'stopped',
  'finished',
  /** Its workflow was terminated from outside, and nobody has resumed the run. */
  'terminated',
] as const;

export type RunStatus = (typeof RUN_STATES)[number];

const ENDED: readonly RunStatus[] = ['finished', 'stopped', 'terminated'];
const ATTENTION: readonly RunStatus[] = ['needs attention', 'retrying'];

/** Whether a run with this status has ended. It may be opened again. */
export const hasEnded = ({ status }: { readonly status: RunStatus }): boolean => ENDED.includes(status);

/** Whether something of the run is parked, be it that it waits or that it is being tried again. */
export const isParked = (status: RunStatus): boolean => ATTENTION.includes(status);

/** Whether a text is one of the words, as far as this version knows them. */
export const isRunStatus = (text: unknown): text is RunStatus => RUN_STATES.includes(text as RunStatus);

/** How a phase is parked. Times are in UTC, as ISO 8601 writes them. */
export type Parked = {
  readonly since: string;
  /** How often the phase has failed. Each time its activity used up its own attempts. */
  readonly tries: number;
  /** When it is tried again by itself; null where it waits for a person alone. */
  readonly next: string | null;
  /** It is being tried at this moment. */
  readonly trying: boolean;
};

/** `2026-11-23 02:50 UTC`. */
const minute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
/** `02:58:30 UTC`, with the day where it is another one than that of `beside`. */
const moment = (iso: string, beside: string): string =>
  iso.slice(0, 10) === beside.slice(0, 10) ? `${iso.slice(11, 19)} UTC` : `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const fromNow = (iso: string, nowMs: number): string => {
  const seconds = Math.max(0, Math.round((Date.parse(iso) - nowMs) / 1000));
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.round(seconds / 60)} min`;
};

/**
 * Whole sentences for people: since when, how often, and what comes next. With `nowMs` it also says how long that is
 * from now; texts that stay on a page have none. `alone` says why a person has to act.
 */
export const parkedText = (
  { since, tries, next, trying }: Parked,
  { nowMs, alone = 'It waits for a person.' }: { readonly nowMs?: number | undefined; readonly alone?: string } = {},
): string => {
  const until = nowMs === undefined || next === null ? '' : ` (${fromNow(next, nowMs)})`;
  const then =
    trying || (next !== null && nowMs !== undefined && Date.parse(next) <= nowMs)
      ? 'It is being tried again now.'
      : next === null
        ? alone
        : `It tries again by itself at ${moment(next, since)}${until}.`;
  return `Parked since ${minute(since)}, failed ${tries === 1 ? 'once' : `${tries} times`}. ${then}`;
};

/** A message that changed nothing, with the time and the reason. */
export type Refusal = {
  readonly at: string;
  /** The name of the signal or update. */
  readonly message: string;
  /** Why nothing happened, and what to send instead. */
  readonly why: string;
  /** How often it came one after the other. */
  readonly times: number;
};

/** `2026-11-23 02:50 UTC: signal "paus" ...`, for people. */
export const refusalText = ({ at, why, times }: Refusal): string =>
  `${minute(at)}${times === 1 ? '' : `, ${times} times`}: ${why}`;

// The states of a run, in the words that workflows, database, search attributes and commands share.
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

/** True for a run that has ended. It may be opened again. */
export const hasEnded = ({ status }: { readonly status: RunStatus }): boolean => ENDED.includes(status);

/** True where a part of the run is parked or is being tried again. */
export const isParked = (status: RunStatus): boolean => ATTENTION.includes(status);

export const isRunStatus = (text: unknown): text is RunStatus => RUN_STATES.includes(text as RunStatus);

/** A parked phase. Times are in UTC, by ISO 8601. */
export type Parked = {
  readonly since: string;
  /** The failures so far, each after all attempts of its activity. */
  readonly tries: number;
  /** The time of the next try; null: it waits for a person. */
  readonly next: string | null;
  /** It is being tried at this moment. */
  readonly trying: boolean;
};

/** `2026-11-23 02:50:16`, and the name of its zone. */
export type TimeText = (iso: string) => readonly [time: string, zone: string];
/** For texts that others than a reader at this machine see. */
const UTC: TimeText = (iso) => [iso.slice(0, 19).replace('T', ' '), 'UTC'];
const minute = ([time, zone]: ReturnType<TimeText>): string => `${time.slice(0, 16)} ${zone}`.trimEnd();
/** `02:58:30`, with the day where it is another one than that of `beside`. The time beside names the zone. */
const moment = ([time]: ReturnType<TimeText>, [beside]: ReturnType<TimeText>): string =>
  time.slice(0, 10) === beside.slice(0, 10) ? time.slice(11) : time;

const fromNow = (iso: string, nowMs: number): string => {
  const seconds = Math.max(0, Math.round((Date.parse(iso) - nowMs) / 1000));
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** Sentences for people. `nowMs` adds the time from now, `alone` the reason why a person has to act. */
export const parkedText = (
  { since, tries, next, trying }: Parked,
  {
    nowMs,
    alone = 'It waits for a person.',
    timeText = UTC,
  }: { readonly nowMs?: number | undefined; readonly alone?: string; readonly timeText?: TimeText } = {},
): string => {
  const until = nowMs === undefined || next === null ? '' : ` (${fromNow(next, nowMs)})`;
  const then =
    trying || (next !== null && nowMs !== undefined && Date.parse(next) <= nowMs)
      ? 'It is being tried again now.'
      : next === null
        ? alone
        : `It tries again by itself at ${moment(timeText(next), timeText(since))}${until}.`;
  return `Parked since ${minute(timeText(since))}, failed ${tries === 1 ? 'once' : `${tries} times`}. ${then}`;
};

/** A message that changed nothing, with the time and the reason. */
export type Refusal = {
  readonly at: string;
  /** The name of the signal or update. */
  readonly message: string;
  /** Why nothing happened, and what to send instead. */
  readonly why: string;
  /** The number of times it came in a row. */
  readonly times: number;
};

/** `2026-11-23 02:50 UTC: signal "paus" ...`, for people. */
export const refusalText = ({ at, why, times }: Refusal, timeText = UTC): string =>
  `${minute(timeText(at))}${times === 1 ? '' : `, ${times} times`}: ${why}`;

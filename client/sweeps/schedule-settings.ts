// The settings of a schedule: its times and policies, checked flag by flag before the server is asked. docs/sweeps.md
// has the names of the Temporal UI's form.
import type { ScheduleSpec } from '@temporalio/client';
import { shown } from '../../evolution/config/shown.ts';
import { UsageError } from '../connect/errors.ts';

/** By the names of the command line, the server's. The UI's form has the same six: Skip, Buffer One and so on. */
const OVERLAP = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'cancel-other': 'CANCEL_OTHER',
  'terminate-other': 'TERMINATE_OTHER',
  'allow-all': 'ALLOW_ALL',
} as const;
export type Overlap = keyof typeof OVERLAP;
export const OVERLAPS = Object.keys(OVERLAP) as readonly Overlap[];

export const serverOverlap = (overlap: Overlap): (typeof OVERLAP)[Overlap] => {
  const name = OVERLAP[overlap];
  if (name === undefined) throw new UsageError(`--overlap: expected ${OVERLAPS.join(', ')}, got ${shown(overlap)}`);
  return name;
};
/** The server numbers them in this order, from 1. */
export const overlapOf = (server: number | null | undefined): Overlap => OVERLAPS[(server ?? 0) - 1] ?? 'skip';

export type ScheduleSettings = {
  /** `30m`, `6h` or `1d`. Either this or `cron` is given. */
  readonly every?: string | undefined;
  /** Five fields, in UTC or in the time zone. */
  readonly cron?: string | undefined;
  /** The time zone of the cron line, such as `Europe/Berlin`. The default is UTC. */
  readonly timezone?: string | undefined;
  /** Each start is late by a random time up to this one. */
  readonly jitter?: string | undefined;
  /** No start before it and none after it: a day or a time in UTC. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** The number of starts that are left. `trigger` and `backfill` do not count. */
  readonly occurrences?: number | undefined;
  /** The treatment of a start while the sweep before is still under way. The default is to leave it out. */
  readonly overlap?: Overlap | undefined;
  /** A server that was away starts what it missed within this time, and nothing older. The default is 10 minutes. */
  readonly catchup?: string | undefined;
  /** A sweep that fails pauses the schedule, which is the default. */
  readonly pauseOnFailure?: boolean | undefined;
  readonly note?: string | undefined;
};

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 366 * UNITS_MS.d;
/** The server takes a shorter catchup window for this one. */
const SHORTEST_CATCHUP_MS = 10 * UNITS_MS.s;

/** A length of time such as 90s, 30m, 6h or 1d. */
const lengthOf = (flag: string, text: string, leastMs: number, least: string): number => {
  const [, number, unit] = /^(\d{1,8})([smhd])$/.exec(text.trim()) ?? [];
  const ms = Number(number) * (UNITS_MS[unit as keyof typeof UNITS_MS] ?? Number.NaN);
  if (!(ms >= leastMs && ms <= LONGEST_MS))
    throw new UsageError(
      `${flag}: expected a whole number with s, m, h or d, from ${least} to 366d, such as 30m or 6h, got ${shown(text)}`,
    );
  return ms;
};

/** The shortest text for a length of time. */
export const lengthText = (ms: number): string => {
  const unit = (['d', 'h', 'm'] as const).find((one) => ms >= UNITS_MS[one] && ms % UNITS_MS[one] === 0) ?? 's';
  return `${ms / UNITS_MS[unit]}${unit}`;
};

/** A day, which begins at midnight, or a time. Both are in UTC unless the text ends in another offset. */
export const timeOf = (flag: string, text: string): Date => {
  const [, day, clock, second = ':00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text.trim()) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  const time = clock === undefined ? midnight : new Date(`${day}T${clock}${second}${zone}`);
  // Such a day as 30 February would be taken for one in March.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day!);
  if (!isDay || Number.isNaN(time.getTime()))
    throw new UsageError(
      `${flag}: expected a day such as 2026-11-20 or a time such as 2026-11-20T06:30 (UTC), got ${shown(text)}`,
    );
  return time;
};

type CronField = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const CRON: readonly CronField[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: MONTHS },
  { name: 'weekday', least: 0, most: 7, names: DAYS },
];

/** `*`, `5`, `1-5`, `mon`, each with `/n` where wanted, and lists of these. */
const isCronField = (field: string, { least, most, names }: CronField): boolean =>
  field.split(',').every((part) => {
    const [, range = '', step] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    if (step !== undefined && Number(step) < 1) return false;
    if (range === '*' || range === '?') return true;
    const ends = range.split('-').map((end) => {
      const at = names.indexOf(end.toLowerCase());
      return at >= 0 ? at + least : /^\d{1,2}$/.test(end) ? Number(end) : Number.NaN;
    });
    return (
      ends.length <= 2 &&
      ends.every((end) => end >= least && end <= most) &&
      (ends.length === 1 || ends[0]! <= ends[1]!)
    );
  });

/**
 * The interval of the starts in milliseconds, or null for a cron line. Null where neither is given.
 */
const repeatedOf = ({
  every,
  cron,
}: Pick<ScheduleSettings, 'every' | 'cron'>): { readonly every: number | null; readonly text: string } | null => {
  if (every === undefined && cron === undefined) return null;
  if (every !== undefined && cron !== undefined)
    throw new UsageError('schedule: expected either --every (30m, 6h, 1d) or --cron ("0 2 * * *"), got both');
  if (every !== undefined) return { every: lengthOf('--every', every, UNITS_MS.m, 'one minute'), text: every.trim() };
  const fields = cron!.trim().split(/\s+/);
  if (fields.length !== CRON.length)
    throw new UsageError(
      `--cron: expected five fields (minute hour day month weekday) such as "0 2 * * *", got ${shown(cron)}`,
    );
  for (const [index, field] of fields.entries()) {
    const { name, least, most, names } = CRON[index]!;
    if (!isCronField(field, CRON[index]!))
      throw new UsageError(
        `--cron: ${name}: expected * or numbers from ${least} to ${most}${names.length === 0 ? '' : ` or ${names[0]} to ${names.at(-1)}`}, with , - and / between them, got ${shown(field)}`,
      );
  }
  return { every: null, text: fields.join(' ') };
};

const ID = /^[A-Za-z0-9._-]{1,100}$/;
export const checkId = (id: string | undefined): void => {
  if (id !== undefined && !ID.test(id))
    throw new UsageError(`--id: expected 1 to 100 of the characters a-z, A-Z, 0-9, ., _ and -, got ${shown(id)}`);
};

/** The given settings in the server's form. */
export type CheckedSettings = {
  readonly spec: Pick<ScheduleSpec, 'cronExpressions' | 'intervals' | 'timezone' | 'jitter' | 'startAt' | 'endAt'>;
  readonly policies: {
    readonly overlap?: (typeof OVERLAP)[Overlap];
    readonly catchupWindow?: number;
    readonly pauseOnFailure?: boolean;
  };
  readonly state: { readonly remainingActions?: number; readonly note?: string };
};

/** Throws UsageError, which names the flag. */
export const checkSettings = (wanted: ScheduleSettings): CheckedSettings => {
  const { timezone, overlap, catchup, pauseOnFailure, occurrences, note } = wanted;
  const repeated = repeatedOf(wanted);
  if (timezone !== undefined && !isTimezone(timezone))
    throw new UsageError(`--timezone: expected a name such as Europe/Berlin or UTC, got ${shown(timezone)}`);
  if (occurrences !== undefined && !(Number.isSafeInteger(occurrences) && occurrences > 0))
    throw new UsageError(`--occurrences: expected a whole number of at least 1, got ${shown(occurrences)}`);
  const [startAt, endAt] = (['from', 'until'] as const).map((flag) =>
    wanted[flag] === undefined ? undefined : timeOf(`--${flag}`, wanted[flag]),
  );
  if (startAt && endAt && startAt >= endAt)
    throw new UsageError(`--until: expected a time after --from (${shown(wanted.from)}), got ${shown(wanted.until)}`);
  return {
    spec: {
      ...(repeated &&
        (repeated.every === null
          ? { cronExpressions: [repeated.text], intervals: [] }
          : { cronExpressions: [], intervals: [{ every: repeated.every }] })),
      ...(timezone !== undefined && { timezone }),
      ...(wanted.jitter !== undefined && { jitter: lengthOf('--jitter', wanted.jitter, 0, '0s') }),
      ...(startAt && { startAt }),
      ...(endAt && { endAt }),
    },
    policies: {
      ...(overlap !== undefined && { overlap: serverOverlap(overlap) }),
      ...(catchup !== undefined && {
        catchupWindow: lengthOf('--catchup', catchup, SHORTEST_CATCHUP_MS, '10s'),
      }),
      ...(pauseOnFailure !== undefined && { pauseOnFailure }),
    },
    state: {
      ...(occurrences !== undefined && { remainingActions: occurrences }),
      ...(note !== undefined && { note }),
    },
  };
};

/** The same, for a new schedule: it needs times. */
export const checkNewSettings = (wanted: ScheduleSettings & { readonly id?: string | undefined }): CheckedSettings => {
  checkId(wanted.id);
  if (wanted.every === undefined && wanted.cron === undefined)
    throw new UsageError('schedule: expected either --every (30m, 6h, 1d) or --cron ("0 2 * * *"), got neither');
  return checkSettings(wanted);
};

const isTimezone = (name: string): boolean => {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

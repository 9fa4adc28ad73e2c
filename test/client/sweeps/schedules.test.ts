// Schedules as they are set and shown: what is refused before any server is asked, and the list.
import { expect, test } from 'vitest';
import { scheduleTable } from '../../../cli/terminal/schedule-display.ts';
import {
  checkNewSettings,
  checkSettings,
  type ScheduleSettings,
  timeOf,
} from '../../../client/sweeps/schedule-settings.ts';

test('settings become those of the server', () => {
  expect(checkSettings({ every: '6h' }).spec).toEqual({ cronExpressions: [], intervals: [{ every: 6 * 3_600_000 }] });
  for (const cron of ['*/15 0-23/2 1,15 jan-mar mon', '0 2 * * 7', '5 4 ? DEC Sun'])
    expect(checkSettings({ cron: ` ${cron}  ` }).spec).toEqual({ cronExpressions: [cron], intervals: [] });
  expect(
    checkSettings({
      timezone: 'Europe/Berlin',
      jitter: '5m',
      from: '2026-11-20',
      until: '2026-12-01T06:30+01:00',
      occurrences: 3,
      overlap: 'buffer-all',
      catchup: '10s',
      pauseOnFailure: false,
    }),
  ).toEqual({
    spec: {
      timezone: 'Europe/Berlin',
      jitter: 300_000,
      startAt: new Date('2026-11-20T00:00:00Z'),
      endAt: new Date('2026-12-01T05:30:00Z'),
    },
    policies: { overlap: 'BUFFER_ALL', catchupWindow: 10_000, pauseOnFailure: false },
    state: { remainingActions: 3 },
  });
});

const WRONG: readonly (readonly [ScheduleSettings, string])[] = [
  [{ every: '1h', cron: '0 2 * * *' }, 'either --every'],
  [{ every: '0m' }, '--every: expected a whole number with s, m, h or d, from one minute to 366d'],
  [{ timezone: 'Mars/Base' }, '--timezone: expected a name such as Europe/Berlin or UTC, got "Mars/Base"'],
  [{ jitter: 'much' }, '--jitter: expected a whole number with s, m, h or d, from 0s to 366d'],
  [{ catchup: '9s' }, '--catchup: expected a whole number with s, m, h or d, from 10s to 366d'],
  [{ occurrences: 0 }, '--occurrences: expected a whole number of at least 1, got 0'],
  [{ overlap: 'all' as never }, '--overlap: expected skip, buffer-one, buffer-all,'],
  [{ from: '2026-11-20', until: '2026-11-20' }, '--until: expected a time after --from ("2026-11-20")'],
];
test.each(WRONG)('%j is refused', (settings, message) => {
  expect(() => checkSettings(settings)).toThrow(message);
});

test('a new schedule needs a time', () => {
  expect(() => checkNewSettings({})).toThrow('either --every');
});

test('days and times are in UTC', () => {
  expect(timeOf('--from', '2026-11-20')).toEqual(new Date('2026-11-20T00:00:00Z'));
  expect(timeOf('--from', '2026-11-20 06:30')).toEqual(new Date('2026-11-20T06:30:00Z'));
  for (const text of ['yesterday', '2026-02-30', '2026-02-30T06:30', '2026-11-20T25:00', '20.11.2026', ''])
    expect(() => timeOf('--from', text), text).toThrow('--from: expected a day such as 2026-11-20');
});

test('schedules are listed with their next start', () => {
  const nightly = {
    id: 'nightly',
    when: 'cron 0 2 * * *',
    sweep: 'nightly-{date}',
    run: null,
    paused: false,
    note: 'mine',
    next: new Date('2026-11-22T02:00:00Z'),
    last: null,
  };
  const [head, text, run] = scheduleTable([nightly, { ...nightly, sweep: null, run: 'demo', paused: true }]);
  expect(head).toMatch(/^schedule +sweep +when +next +last +note$/);
  expect(text?.split(/ {2,}/)).toEqual([
    'nightly',
    'nightly-{date}',
    'cron 0 2 * * *',
    '2026-11-22 02:00 UTC',
    'not started yet',
    'mine',
  ]);
  expect(run?.split(/ {2,}/)).toEqual(['nightly', 'run demo', 'cron 0 2 * * *', 'paused', 'not started yet', 'mine']);
});

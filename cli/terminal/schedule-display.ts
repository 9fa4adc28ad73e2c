// Schedules as people read them: the list, and one of them with its policies, starts and sweep file.
import { stringify } from 'yaml';
import type { ScheduleDetails, ScheduleReport } from '../../client/sweeps/schedule-report.ts';
import { table } from './table.ts';

/** So many of the next starts fit on a line; `--json` has all that the server names. */
const NEXT = 3;

export const timeText = (time: Date): string => {
  const text = time.toISOString();
  return `${text.slice(0, text.slice(17, 19) === '00' ? 16 : 19).replace('T', ' ')} UTC`;
};

const startsText = ({ sweep, run }: Pick<ScheduleReport, 'sweep' | 'run'>): string =>
  sweep ?? (run === null ? '?' : `run ${run}`);
const nextText = ({ paused, next }: Pick<ScheduleReport, 'paused' | 'next'>): string =>
  paused ? 'paused' : next === null ? 'no next start' : timeText(next);

export const scheduleTable = (schedules: readonly ScheduleReport[], width = Infinity): readonly string[] =>
  table(
    [
      ['schedule', 'sweep', 'when', 'next', 'last', 'note'],
      ...schedules.map((schedule) => [
        schedule.id,
        startsText(schedule),
        schedule.when,
        nextText(schedule),
        schedule.last ?? 'not started yet',
        schedule.note ?? '',
      ]),
    ],
    { width, drop: ['note', 'last', 'sweep', 'when'], cut: { schedule: 20, sweep: 16, last: 16, note: 12 } },
  );

const LABEL = 12;

export const scheduleLines = (schedule: ScheduleDetails, width = Infinity): readonly string[] => {
  const { from, until, occurrences, starts, running, recent, upcoming, problem } = schedule;
  const row = (label: string, text: string): string => `${label.padEnd(LABEL)}${text}`;
  return [
    row('schedule', `${schedule.id}${schedule.paused ? ', paused' : ''}`),
    ...(schedule.note === null ? [] : [row('note', schedule.note)]),
    row(
      'starts',
      `${schedule.sweep === null ? '' : 'sweep '}${startsText(schedule)} (workflow type ${schedule.workflow})`,
    ),
    row(
      'when',
      `${schedule.when}${schedule.timezone === 'UTC' ? ' UTC' : ''}${schedule.jitter === '0s' ? '' : `, jitter ${schedule.jitter}`}`,
    ),
    ...(from === null ? [] : [row('from', timeText(from))]),
    ...(until === null ? [] : [row('until', timeText(until))]),
    ...(occurrences === null ? [] : [row('left', `${occurrences} occurrences`)]),
    row('overlap', schedule.overlap),
    row('catchup', schedule.catchup),
    row('on failure', schedule.pauseOnFailure ? 'pause' : 'go on'),
    row(
      'so far',
      `${starts.taken} started, ${starts.skipped} skipped by the overlap policy, ${starts.missed} missed, ${starts.waiting} waiting`,
    ),
    row('running', running.join(', ') || 'nothing'),
    row('next', upcoming.slice(0, NEXT).map(timeText).join(', ') || 'no next start'),
    ...(problem === null ? [] : [row('problem', problem)]),
    ...(schedule.temporalUrl === null ? [] : [row('ui', schedule.temporalUrl)]),
    '',
    ...(recent.length === 0
      ? ['No start yet.']
      : table(
          [
            ['scheduled', 'started', 'sweep', 'state', 'ui'],
            ...recent.map(({ scheduledAt, takenAt, workflow, sweep, state, temporalUrl }) => [
              timeText(scheduledAt),
              timeText(takenAt),
              sweep ?? workflow,
              state ?? '',
              temporalUrl ?? '',
            ]),
          ],
          { width, drop: ['ui', 'started'], cut: { sweep: 16 } },
        )),
    '',
    'input:',
    ...stringify(schedule.file)
      .trimEnd()
      .split('\n')
      .map((text) => `  ${text}`),
  ];
};

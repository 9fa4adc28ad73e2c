// The rows of `evolve list`. All functions are pure.
import type { RunReport } from '../../client/read/shapes.ts';
import { isParked } from '../../evolution/run-states.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import { markText } from '../../evolution/steering/base/people.ts';
import { minuteText, score, zoneText } from './output.ts';
import { clip, type Paint } from './screen.ts';
import { headed, table } from './table.ts';

type Column = readonly [title: string, cell: (run: RunReport) => string];

/** The sweep that made the run, or the run of which it is a fork. */
const originOf = ({ sweep, origin }: RunReport): string | null =>
  sweep !== null ? `sweep ${sweep}` : origin !== null ? `fork of ${origin.run}` : null;

/** The best so far, with a star where its step is not committed. */
const bestText = ({ best, uncommitted, scoresInvented }: RunReport): string => {
  const open = uncommitted?.best ?? null;
  const shown = open ?? best;
  return `${score(shown?.ranking)}${open === null ? '' : '*'}${shown && scoresInvented ? ' (invented)' : ''}`;
};

/** The reason in one line, with the command that says more where it has room beside it. */
const attention = ({ run, stopReason }: RunReport, width: number): string => {
  const reason = `    ${reasonOf(stopReason ?? 'no reason was recorded').text}`;
  const more = `: \`npx evolve doctor ${run}\` says more`;
  const room = width - more.length;
  return room < 44 ? clip(reason, width) : `${clip(reason, room)}${more}`;
};

/**
 * A head, then a line for each run, with its origin where any run has one. Under a run that needs attention stands the
 * reason.
 */
export const runTable = (
  runs: readonly RunReport[],
  width = Infinity,
  paint: Paint = (state) => state,
  now = new Date(),
  height = Infinity,
): readonly string[] => {
  const created = `created (${zoneText(now)})`;
  const columns: readonly Column[] = [
    ['run', ({ run }) => run],
    ['state', ({ state }) => state],
    ['best', bestText],
    ['steps', ({ steps }) => String(steps)],
    [
      'programs',
      ({ programs, uncommitted }) => `${programs}${uncommitted === null ? '' : ` + ${uncommitted.programs}`}`,
    ],
    ['task', ({ task }) => task],
    ['method', ({ method }) => method],
    ...(runs.some((run) => originOf(run) !== null) ? [['of', (run) => originOf(run) ?? '-'] satisfies Column] : []),
    ...(runs.some(({ mark }) => mark !== null) ? [['mark', ({ mark }) => markText(mark)] satisfies Column] : []),
    [created, ({ createdAt }) => minuteText(new Date(createdAt))],
  ];
  const [head = '', ...rows] = table(
    [columns.map(([title]) => title), ...runs.map((run) => columns.map(([, cell]) => cell(run)))],
    {
      width,
      drop: [created, 'method', 'task', 'programs', 'steps', 'of', 'best'],
      cut: { run: 36, task: 20, of: 16 },
      paint: { state: paint },
    },
  );
  const lines = [
    head,
    ...runs.flatMap((run, index) => [rows[index] ?? '', ...(isParked(run.state) ? [attention(run, width)] : [])]),
    ...rows.slice(runs.length),
    ...(runs.some(({ uncommitted }) => uncommitted !== null)
      ? ['* and what follows a +: of steps that are not committed yet']
      : []),
  ];
  return headed(lines, height);
};

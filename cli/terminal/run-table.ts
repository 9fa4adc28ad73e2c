// The rows of `evolve list`. All functions are pure.
import type { RunReport } from '../../client/read/report.ts';
import { isParked, parkedText } from '../../evolution/run-states.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import { markText } from '../../evolution/steering/base/people.ts';
import { LOCAL, minuteText, score, zoneText } from './output.ts';
import { folded, type Paint } from './screen.ts';
import { headed, table } from './table.ts';

/** The sweep that made the run, or the run of which it is a fork. */
const originOf = ({ sweep, origin }: RunReport): string | null =>
  sweep !== null ? `sweep ${sweep}` : origin !== null ? `fork of ${origin.run}` : null;

/**
 * A head, then a line for each run, with its origin where any run has one. Under a run that needs attention stand the
 * reason and the command.
 */
export const runTable = (
  runs: readonly RunReport[],
  width = Infinity,
  paint: Paint = (state) => state,
  now = new Date(),
  height = Infinity,
): readonly string[] => {
  const withOrigin = runs.some((run) => originOf(run) !== null);
  const withMark = runs.some(({ mark }) => mark !== null);
  const created = `created (${zoneText(now)})`;
  const [head = '', ...rows] = table(
    [
      [
        'run',
        'state',
        'best',
        'steps',
        'programs',
        'task',
        'method',
        ...(withOrigin ? ['of'] : []),
        ...(withMark ? ['mark'] : []),
        created,
      ],
      ...runs.map((one) => [
        one.run,
        one.state,
        `${score(one.best?.ranking)}${one.best !== null && one.scoresInvented ? ' (invented)' : ''}`,
        String(one.steps),
        String(one.programs),
        one.task,
        one.method,
        ...(withOrigin ? [originOf(one) ?? '-'] : []),
        ...(withMark ? [markText(one.mark)] : []),
        minuteText(new Date(one.createdAt)),
      ]),
    ],
    {
      width,
      drop: [created, 'method', 'task', 'programs', 'steps', 'of', 'best'],
      cut: { run: 36, task: 20, of: 16 },
      paint: { state: paint },
    },
  );
  const lines = [
    head,
    ...runs.flatMap(({ run, state, stopReason, parked }, index) => [
      rows[index] ?? '',
      ...(isParked(state)
        ? folded(
            `    ${reasonOf(stopReason ?? 'no reason was recorded').text}${parked === null ? '' : ` (${parkedText(parked, { nowMs: now.getTime(), timeText: LOCAL })})`}: \`npx evolve retry ${run}\` tries again now, \`npx evolve doctor ${run}\` says more`,
            width,
          )
        : []),
    ]),
    ...rows.slice(runs.length),
  ];
  return headed(lines, height);
};

// The rows of `evolve list`. All functions are pure.
import type { RunReport } from '../../client/read/report.ts';
import { isParked, parkedText } from '../../evolution/run-states.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import { score } from './output.ts';
import { folded, type Paint } from './screen.ts';
import { table } from './table.ts';

const LEAST_FIRST = ['created', 'method', 'task', 'sweep', 'programs', 'steps', 'best'];

/**
 * A head, then a line for each run, with its sweep where any run has one. Under a run that needs attention stand the
 * reason and the command.
 */
export const runTable = (
  runs: readonly RunReport[],
  width = Infinity,
  paint: Paint = (state) => state,
  now = new Date(),
): readonly string[] => {
  const withSweep = runs.some(({ sweep }) => sweep !== null);
  const [head = '', ...rows] = table(
    [
      ['run', 'state', 'best', 'steps', 'programs', 'task', 'method', ...(withSweep ? ['sweep'] : []), 'created'],
      ...runs.map(({ run, state, task, method, steps, programs, best, scoresInvented, sweep, createdAt }) => [
        run,
        state,
        `${score(best?.ranking)}${best !== null && scoresInvented ? ' (invented)' : ''}`,
        String(steps),
        String(programs),
        task,
        method,
        ...(withSweep ? [sweep ?? '-'] : []),
        createdAt.slice(0, 16).replace('T', ' '),
      ]),
    ],
    { width, drop: LEAST_FIRST, cut: { run: 36, task: 20, sweep: 16 }, paint: { state: paint } },
  );
  return [
    head,
    ...runs.flatMap(({ run, state, stopReason, parked }, index) => [
      rows[index] ?? '',
      ...(isParked(state)
        ? folded(
            `    ${reasonOf(stopReason ?? 'no reason was recorded').text}${parked === null ? '' : ` (${parkedText(parked, { nowMs: now.getTime() })})`}: \`npx evolve retry ${run}\` tries again now, \`npx evolve doctor ${run}\` says more`,
            width,
          )
        : []),
    ]),
    ...rows.slice(runs.length),
  ];
};

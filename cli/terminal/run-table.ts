// The rows of `evolve list`. Pure.
import type { RunReport } from '../../client/report.ts';
import { score, table } from './output.ts';

/** A line a run, its sweep where any has one; under a run that needs attention the reason and the command. */
export const runTable = (runs: readonly RunReport[]): readonly string[] => {
  const withSweep = runs.some(({ sweep }) => sweep !== null);
  const rows = table(
    runs.map(({ run, state, task, method, steps, programs, best, sweep, createdAt }) => [
      run,
      state,
      task,
      method,
      `step ${steps}`,
      `${programs} programs`,
      `best ${score(best?.score)}`,
      ...(withSweep ? [sweep ?? '-'] : []),
      createdAt.slice(0, 16).replace('T', ' '),
    ]),
  );
  return runs.flatMap(({ run, state, stopReason }, index) => [
    rows[index] ?? '',
    ...(state === 'needs attention'
      ? [
          `    ${stopReason ?? 'no reason was recorded'}: \`npx evolve retry ${run}\` tries again now, \`npx evolve doctor ${run}\` says more`,
        ]
      : []),
  ]);
};

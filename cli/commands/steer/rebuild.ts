// evolve rebuild: computes archives, cells and memberships again from everything stored of a run, and compares. It
// changes nothing.
import type { RebuildReport } from '../../../activities/rebuild/rebuild.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command.argument(...RUN_ARGUMENT).action(
    onRun(async (context, _, run) => {
      const report = await run.rebuild();
      answer(context, report, () => rebuildLines(report));
      return report.differenceCount === 0 ? EXIT.well : EXIT.bad;
    }),
  );

export const rebuildLines = ({
  run,
  steps,
  programs,
  policies,
  differences,
  differenceCount,
  ms,
}: RebuildReport): readonly string[] => {
  const checked = policies === undefined ? '' : `, ${policies} ${policies === 1 ? 'policy' : 'policies'} checked,`;
  const folded = `${programs} programs of ${steps} steps folded${checked} in ${(ms / 1000).toFixed(1)} s`;
  if (differenceCount === 0) return [`${run}: no difference; ${folded}`];
  return [
    `${run}: ${differenceCount} difference${differenceCount === 1 ? '' : 's'}; ${folded}`,
    ...differences.map(
      ({ step, what, expected, found }) =>
        `  step ${step}  ${what}: expected ${shown(expected)}, found ${shown(found)}`,
    ),
    ...(differenceCount > differences.length ? [`  and ${differenceCount - differences.length} more`] : []),
  ];
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

// evolve islands: how each island of a run stands.
import type { IslandsReport } from '../../../client/read/views.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { amount } from '../../../evolution/reports/number-text.ts';
import { answer, score } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

export const build: Build = (command) =>
  command.argument(...RUN_ARGUMENT).action(
    onRun(async (context, _, run) => {
      const report = await run.islands();
      answer(context, report, (width) => islandLines(report, width));
    }),
  );

export const islandLines = (
  { run, step, alive, islands, noCell }: IslandsReport,
  width = Infinity,
): readonly string[] => {
  const explores = islands.some(({ exploration }) => exploration !== null);
  const without = Object.entries(noCell).map(([feature, count]) => `${count} without ${feature}`);
  return [
    `${run} after step ${step}: ${amount(alive)} programs alive on ${islands.length} island${islands.length === 1 ? '' : 's'}`,
    ...table(
      [
        [
          ...['island', 'members', 'migrants', 'children', 'cells', 'archive', 'best', 'mean', 'median', 'sd'],
          ...(explores ? ['explores', 'prompts'] : []),
        ],
        ...islands.map((one) => [
          String(one.island),
          String(one.members),
          String(one.migrants),
          String(one.children),
          one.cells === null ? 'none' : `${one.cells.filled} of ${one.cells.of}`,
          String(one.archiveMembers),
          score(one.best?.score),
          short(one.mean),
          short(one.median),
          short(one.sd),
          ...(explores
            ? [`${(100 * (one.exploration?.rate ?? 0)).toFixed(0)} %`, String(one.exploration?.prompts ?? 0)]
            : []),
        ]),
      ],
      { width, drop: ['sd', 'archive', 'migrants', 'prompts', 'explores', 'median', 'children', 'cells', 'mean'] },
    ),
    ...(without.length === 0 ? [] : [`no cell: ${without.join(', ')}`]),
  ];
};

const short = (value: number | null): string => (value === null ? 'none' : String(Number(value.toPrecision(5))));

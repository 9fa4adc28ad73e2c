// evolve sweep report: the configurations of a sweep side by side.
import { sweepCsv } from '../../../evolution/sweep/report.ts';
import type { Build } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer, writeText } from '../../terminal/output.ts';
import { groupTable, statesText } from '../../terminal/sweep-display.ts';
import { headed } from '../../terminal/table.ts';
import { SWEEP_ARGUMENT } from './sweep-status.ts';

export const build: Build = (command) =>
  command
    .argument(...SWEEP_ARGUMENT)
    .option('--csv <file>', 'write the table as CSV; - is the standard output')
    .action(
      onEvolve(async (context, { csv }: { readonly csv?: string }, evolve, name: string) => {
        const report = await (await evolve.sweep(name)).report();
        const { sweep, status, stopReason, runs, groups, decisions } = report;
        if (csv !== undefined)
          return writeText(csv, sweepCsv(groups), `${csv}: ${groups.length} configurations of sweep ${sweep}`);
        answer(context, report, (width, height) => [
          `sweep ${sweep} ${status}${stopReason === null ? '' : ` (${stopReason})`}; ${runs.length} runs: ${statesText(report)}`,
          '',
          ...headed(groupTable(report, width), height),
          ...decisions.map(
            ({ programs, ranking, stopped }) =>
              `at ${programs} programs: ${stopped.length} of ${ranking.length} configurations were stopped`,
          ),
        ]);
      }),
    );

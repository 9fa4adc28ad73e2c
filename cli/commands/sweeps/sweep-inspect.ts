// evolve sweep status, report and list: how far sweeps are and what they found.
import { writeFileSync } from 'node:fs';
import { MissingError } from '../../../client/connect/errors.ts';
import { sweepCsv } from '../../../evolution/sweep/report.ts';
import { act, describe } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { document, json, line, note, score } from '../../terminal/output.ts';
import { blockPaint, statePaint, widthOf } from '../../terminal/screen.ts';
import { groupTable, statesText, sweepBlock } from '../../terminal/sweep-display.ts';
import { table } from '../../terminal/table.ts';

const NAME = ['[name]', 'name of the sweep', 'latest'] as const;

export const sweepStatusCommand = () =>
  describe('status', 'show how far a sweep and its runs are')
    .argument(...NAME)
    .action(
      act(async (context, _options: { readonly json?: boolean }, name: string) =>
        withEvolve(context, async (evolve) => {
          const sweep = await evolve.sweep(name);
          // The document is read after the workflow was asked: a sweep that ends in between is said to have ended.
          const live = await sweep.status().catch((error: unknown) => {
            if (error instanceof MissingError) return null;
            throw error;
          });
          const report = await sweep.report();
          const temporalUrl = await sweep.temporalUrl();
          if (context.json) return json({ ...report, live, temporalUrl });
          const width = widthOf(process.stdout);
          const paint = blockPaint(process.stdout);
          for (const text of sweepBlock({ report, live, waitingFor: null, temporalUrl }, width, Infinity))
            line(paint(text));
          line();
          for (const text of table(
            [
              ['run', 'state', 'programs', 'best'],
              ...report.runs.map(({ run, state, stopReason, programs, best }) => [
                run,
                `${state}${stopReason === null ? '' : ` (${stopReason})`}`,
                String(programs),
                score(best),
              ]),
            ],
            { width, drop: ['programs'], cut: { run: 24, state: 10 }, paint: { state: statePaint(process.stdout) } },
          ))
            line(text);
        }),
      ),
    );

type ReportOptions = { readonly json?: boolean; readonly csv?: string };

export const sweepReportCommand = () =>
  describe('report', 'compare the configurations of a sweep: mean, sd, best, programs, tokens, cost')
    .argument(...NAME)
    .option('--csv <file>', 'write the table as CSV; - is the standard output')
    .action(
      act(async (context, { csv }: ReportOptions, name: string) =>
        withEvolve(context, async (evolve) => {
          const report = await (await evolve.sweep(name)).report();
          if (csv === '-') {
            document(sweepCsv(report.groups));
            return;
          }
          if (csv !== undefined) {
            writeFileSync(csv, sweepCsv(report.groups));
            note(`${csv}: ${report.groups.length} configurations of sweep ${report.sweep}`);
            return;
          }
          if (context.json) return json(report);
          line(
            `sweep ${report.sweep} ${report.status}${report.stopReason === null ? '' : ` (${report.stopReason})`}; ${report.runs.length} runs: ${statesText(report)}`,
          );
          line();
          for (const text of groupTable(report, widthOf(process.stdout))) line(text);
          for (const { programs, ranking, stopped } of report.decisions)
            line(`at ${programs} programs: ${stopped.length} of ${ranking.length} configurations were stopped`);
        }),
      ),
    );

export const sweepListCommand = () =>
  describe('list', 'list all sweeps, newest first').action(
    act(async (context, _options: { readonly json?: boolean }) =>
      withEvolve(context, async (evolve) => {
        const sweeps = await evolve.sweeps();
        if (context.json) return json(sweeps);
        if (sweeps.length === 0)
          return line('no sweeps yet: start one with `npx evolve sweep <file>` (docs/sweeps.md)');
        const rows = sweeps.map((sweep) => [
          sweep.sweep,
          sweep.status,
          score(sweep.groups[0]?.mean),
          String(sweep.runs.length),
          String(sweep.programs),
          statesText(sweep),
          sweep.createdAt.toISOString().slice(0, 16).replace('T', ' '),
        ]);
        const fit = {
          width: widthOf(process.stdout),
          drop: ['created', 'programs', 'states', 'runs'],
          cut: { sweep: 24, states: 16 },
          paint: { state: statePaint(process.stdout) },
        };
        for (const text of table(
          [['sweep', 'state', 'best mean', 'runs', 'programs', 'states', 'created'], ...rows],
          fit,
        ))
          line(text);
      }),
    ),
  );

// evolve sweep status: how far a sweep and its runs are.
import { MissingError } from '../../../client/connect/errors.ts';
import { endOf } from '../../../evolution/budget/limits.ts';
import { hasEnded, type RunStatus } from '../../../evolution/run-states.ts';
import type { Build } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer, score } from '../../terminal/output.ts';
import { blockPaint, statePaint } from '../../terminal/screen.ts';
import { sweepBlock } from '../../terminal/sweep-display.ts';
import { headed, table } from '../../terminal/table.ts';

export const SWEEP_ARGUMENT = ['[name]', 'name of the sweep', 'latest'] as const;

export const build: Build = (command) =>
  command.argument(...SWEEP_ARGUMENT).action(
    onEvolve(async (context, _, evolve, name: string) => {
      const sweep = await evolve.sweep(name);
      // The document is read after the workflow was asked: a sweep that ends in between is said to have ended.
      const live = await sweep.status().catch((error: unknown) => {
        if (error instanceof MissingError) return null;
        throw error;
      });
      const report = await sweep.report();
      const temporalUrl = await sweep.temporalUrl();
      answer(context, { ...report, live, temporalUrl }, (width, height) => [
        ...sweepBlock({ report, live, waitingFor: null, temporalUrl }, width, Infinity).map(blockPaint(process.stdout)),
        '',
        ...headed(
          table(
            [
              ['run', 'state', 'programs', 'best'],
              ...report.runs.map(({ run, state, stopReason, programs, best }) => [
                run,
                stopReason !== null && hasEnded({ status: state as RunStatus }) ? endOf(state, stopReason) : state,
                String(programs),
                score(best),
              ]),
            ],
            { width, drop: ['programs'], cut: { run: 24, state: 10 }, paint: { state: statePaint(process.stdout) } },
          ),
          height,
        ),
      ]);
    }),
  );

// Watching a sweep to its end: a live table on a terminal, a line on every change elsewhere. Ctrl-C leaves it running.
import { temporalUi } from '../../client/connect/connection.ts';
import { BadEndError } from '../../client/connect/errors.ts';
import { workflowUrl } from '../../client/read/report.ts';
import { endOf } from '../../client/runs/until-ended.ts';
import { type SweepEnding, untilSweepEnded } from '../../client/sweeps/sweep-facts.ts';
import { sweepLostMessage } from '../../client/sweeps/sweep-handle.ts';
import type { SweepReport } from '../../client/read/sweep-report.ts';
import { sweepWorkflowId } from '../../evolution/ids.ts';
import type { Context } from '../flags/command.ts';
import { EXIT } from '../terminal/exit.ts';
import { json, lines, note } from '../terminal/output.ts';
import { widthOf } from '../terminal/screen.ts';
import { groupTable, sweepBlock, sweepLine, type SweepView } from '../terminal/sweep-display.ts';
import { displayOn, type Form, interruptible } from './display.ts';

/** Follows the sweep and resolves to the exit code. */
export const followSweep = (context: Context, name: string): Promise<number> =>
  interruptible(async (signal) => {
    const display = displayOn(context.json ? process.stderr : process.stdout, context.env, FORM);
    const ending = await endOf(untilSweepEnded(context, name, signal), ({ report, live, workflowId, waitingFor }) => {
      const temporalUrl = workflowUrl(temporalUi(context), workflowId ?? sweepWorkflowId(name));
      if (report === null) display.waiting(waitingFor ?? 'the workers to open the sweep');
      else display.show({ report, live, waitingFor, temporalUrl });
    });
    display.end();
    return conclude(context, name, ending);
  });

const FORM: Form<SweepView> = {
  block: (view, columns, rows) => [
    ...sweepBlock(view, columns, rows - 2),
    '',
    'Ctrl-C stops watching; the sweep goes on.',
  ],
  line: sweepLine,
  key: ({ report, live, waitingFor }) => `${JSON.stringify(report.states)}|${live?.status}|${waitingFor}`,
};

const conclude = (context: Context, name: string, ending: SweepEnding): number => {
  switch (ending.kind) {
    case 'ended':
      return end(context, ending.report);
    case 'interrupted':
      note(
        `\nStopped watching; sweep ${name} goes on. \`npx evolve sweep status ${name}\` shows it, \`npx evolve sweep stop ${name}\` ends it.`,
      );
      return EXIT.interrupted;
    case 'lost':
      throw new BadEndError(sweepLostMessage(name));
  }
};

/** The end is good when at least one run made a valid new program. */
const end = (context: Context, report: SweepReport): number => {
  if (context.json) json(report);
  else lines(sweepLastWords(report, widthOf(process.stdout)));
  return report.valid > 0 ? EXIT.well : EXIT.bad;
};

export const sweepLastWords = (report: SweepReport, width?: number): readonly string[] => [
  '',
  `Sweep ${report.sweep} ${report.status}${report.stopReason === null ? '' : `: ${report.stopReason}`}; ${report.runs.length} runs`,
  '',
  ...groupTable(report, width),
  '',
  `\`npx evolve sweep report ${report.sweep} --csv -\` prints the table as CSV, \`npx evolve list --sweep ${report.sweep}\` its runs`,
];

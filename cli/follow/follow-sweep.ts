// Watching a sweep to its end: a live table on a terminal, a line on every change elsewhere. Ctrl-C leaves it running.
import { temporalUi } from '../../client/connect/connection.ts';
import { BadEndError } from '../../client/connect/errors.ts';
import { workflowUrl } from '../../client/read/report.ts';
import { type SweepEnding, type SweepFacts, untilSweepEnded } from '../../client/sweeps/sweep-facts.ts';
import { sweepLostMessage } from '../../client/sweeps/sweep-handle.ts';
import type { SweepReport } from '../../client/read/sweep-report.ts';
import { sweepWorkflowId } from '../../evolution/ids.ts';
import type { Context } from '../flags/command.ts';
import { EXIT } from '../terminal/exit.ts';
import { liveBlock } from '../terminal/live.ts';
import { json, lines, lineTo, note } from '../terminal/output.ts';
import { widthOf } from '../terminal/screen.ts';
import { groupTable, sweepBlock, sweepLine, type SweepView } from '../terminal/sweep-display.ts';

type Show = { readonly facts: (facts: SweepFacts) => void; readonly end: () => void };

/** Follows the sweep and resolves to the exit code. */
export const followSweep = async (context: Context, name: string): Promise<number> => {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const show = showOn(context, name);
  try {
    const states = untilSweepEnded(context, name, abort.signal);
    for (;;) {
      const { value, done } = await states.next();
      if (done) {
        show.end();
        return conclude(context, name, value);
      }
      show.facts(value);
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};

const EVERY_MS = 15_000;

const showOn = (context: Context, name: string): Show => {
  const stream = context.json ? process.stderr : process.stdout;
  const view = ({ report, live, workflowId, waitingFor }: SweepFacts): SweepView | null =>
    report === null
      ? null
      : {
          report,
          live,
          waitingFor,
          temporalUrl: workflowUrl(temporalUi(context), workflowId ?? sweepWorkflowId(name)),
        };
  if (stream.isTTY && context.env['TERM'] !== 'dumb') {
    const block = liveBlock(stream);
    return {
      facts: (facts) => {
        const seen = view(facts);
        block.draw((columns, rows) =>
          seen === null
            ? [`waiting for ${facts.waitingFor ?? 'the workers to open the sweep'}`]
            : [...sweepBlock(seen, columns, rows - 2), '', 'Ctrl-C stops watching; the sweep goes on.'],
        );
      },
      end: block.end,
    };
  }
  let last = '';
  let atMs = 0;
  return {
    facts: (facts) => {
      const seen = view(facts);
      const text =
        seen === null ? `waiting for ${facts.waitingFor ?? 'the workers to open the sweep'}` : sweepLine(seen);
      const key =
        seen === null ? text : `${JSON.stringify(seen.report.states)}|${seen.live?.status}|${seen.waitingFor}`;
      if (key === last && Date.now() - atMs < EVERY_MS) return;
      last = key;
      atMs = Date.now();
      lineTo(stream, text);
    },
    end: () => undefined,
  };
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

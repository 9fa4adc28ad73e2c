// evolve status: one run's state, for people or as the machine interface.
import { temporalUi } from '../../client/connection.ts';
import { pageOf } from '../../client/page-address.ts';
import { runReport, temporalUrl } from '../../client/report.ts';
import { findRun } from '../../client/run-id.ts';
import { unopenedReport } from '../../client/unopened.ts';
import { hasEnded, parkedText, refusalText } from '../../evolution/run-states.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withStates } from '../flags/open.ts';
import { json, line, lines } from '../terminal/output.ts';
import { progressBlock } from '../terminal/progress.ts';
import { blockPaint, widthOf } from '../terminal/screen.ts';

export const statusCommand = () =>
  describe('status')
    .argument(...RUN_ARGUMENT)
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string) =>
        withStates(context, async (store, stand, unopened, live) => {
          const found = await findRun(store, id).catch(
            async (error: unknown) => (await unopened(id)) ?? Promise.reject(error),
          );
          if ('startedAt' in found) {
            const report = unopenedReport(found, new Date(), temporalUi(context));
            if (context.json) return json(report);
            return lines([
              `run       ${found.run}   ${report.state}`,
              `reason    ${report.stopReason}`,
              ...(found.parked === null ? [] : [`          ${parkedText(found.parked, { nowMs: Date.now() })}`]),
              ...found.refusals.map((one) => `note      ${refusalText(one)}`),
              `do        \`npx evolve retry ${found.run}\` tries again now, \`npx evolve stop ${found.run}\` ends it`,
            ]);
          }
          const stored = found;
          const [run = stored] = await stand([stored]);
          const ui = temporalUi(context);
          if (context.json) return json(runReport(run, new Date(), ui));
          const state = {
            run,
            now: new Date(),
            // Of a run that learns this says what its update is at, which no document knows.
            live: run.config.learning.trainer === 'none' || hasEnded(run) ? null : await live(run.run),
            inStep: null,
            waitingFor: null,
            perMinute: null,
            temporalUrl: temporalUrl(ui, run.run),
            pageUrl: pageOf(context, run.run),
          };
          const paint = blockPaint(process.stdout);
          for (const text of progressBlock(state, widthOf(process.stdout))) line(paint(text));
        }),
      ),
    );

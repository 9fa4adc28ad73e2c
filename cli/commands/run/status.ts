// evolve status: one run's state, for people or as the machine interface.
import { temporalUi } from '../../../client/connect/connection.ts';
import { pageOf } from '../../../client/connect/page-address.ts';
import { programsPerHour } from '../../../client/runs/pace.ts';
import { runReport, temporalUrl } from '../../../client/read/report.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { unopenedReport } from '../../../client/temporal/unopened.ts';
import { hasEnded, parkedText, refusalText } from '../../../evolution/run-states.ts';
import { act, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { json, line, lines } from '../../terminal/output.ts';
import { progressBlock } from '../../terminal/progress.ts';
import { openStepOf } from '../../terminal/standing.ts';
import { blockPaint, widthOf } from '../../terminal/screen.ts';

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
          const ui = temporalUi(context);
          if (context.json) {
            const [run = stored] = await stand([stored]);
            return json(runReport(run, new Date(), ui));
          }
          // What the open step has done, and what an update of the policy is at, no document knows.
          const [[run = stored], word] = await Promise.all([
            stand([stored]),
            hasEnded(stored) ? null : live(stored.run),
          ]);
          const now = new Date();
          const perHour = await programsPerHour(store, run, now);
          const facts = { live: hasEnded(run) ? null : word, inStep: word?.inStep ?? null };
          const state = {
            run,
            now,
            live: facts.live,
            inStep: openStepOf(facts, run),
            waitingFor: null,
            perMinute: perHour === null ? null : perHour / 60,
            temporalUrl: temporalUrl(ui, run.run),
            pageUrl: pageOf(context, run.run),
          };
          const paint = blockPaint(process.stdout);
          for (const text of progressBlock(state, widthOf(process.stdout))) line(paint(text));
        }),
      ),
    );

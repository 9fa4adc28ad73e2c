// evolve status: one run's state, for people or as the machine interface.
import { temporalUi } from '../../../client/connect/connection.ts';
import { pageOf } from '../../../client/connect/page-address.ts';
import { adviceFor, paceOf } from '../../../client/read/advice.ts';
import { runReport, temporalUrl } from '../../../client/read/report.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { unopenedReport } from '../../../client/temporal/unopened.ts';
import { keepsEnding, readUp } from '../../../deploy/supervisor/plan.ts';
import { hasEnded, parkedText, refusalText } from '../../../evolution/run-states.ts';
import { actionText, personText } from '../../../evolution/steering/base/people.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { json, line, lines, LOCAL, minuteText } from '../../terminal/output.ts';
import { progressBlock } from '../../terminal/progress.ts';
import { openStepOf } from '../../terminal/standing.ts';
import { blockPaint, clip, LABEL, widthOf } from '../../terminal/screen.ts';

export const build: Build = (command) =>
  command.argument(...RUN_ARGUMENT).action(
    act((context, _, id: string) =>
      withStates(context, async (store, { stand, unopened, live }) => {
        const ui = temporalUi(context);
        const stored = await findRun(store, id).catch(
          async (error: unknown) => (await unopened(id)) ?? Promise.reject(error),
        );
        if ('startedAt' in stored) {
          const report = unopenedReport(stored, new Date(), ui);
          return context.json ? json(report) : lines(unopenedLines(stored, report));
        }
        const [[run = stored], word] = await Promise.all([
          stand([stored]),
          // The work of the open step and of an update of the policy stands in no document.
          context.json || hasEnded(stored) ? null : live(stored.run),
        ]);
        const now = new Date();
        if (context.json) return json(runReport(run, now, ui));
        const pace = await paceOf(store, run, now);
        const facts = { live: hasEnded(run) ? null : word, inStep: word?.inStep ?? null };
        const state = {
          ...{ run, now, live: facts.live, inStep: openStepOf(facts, run), waitingFor: null },
          perMinute: pace === null ? null : pace.programs / 60,
          ...(pace === null ? {} : { costPerHour: pace.costUsd }),
          temporalUrl: temporalUrl(ui, run.run),
          pageUrl: pageOf(context, run.run),
          advice: await adviceFor(store, run, now),
        };
        const paint = blockPaint(process.stdout);
        const width = widthOf(process.stdout);
        for (const text of progressBlock(state, width)) line(paint(text));
        // What people did last.
        for (const { at, ...action } of (await store.listActions(run.run)).slice(-3))
          line(clip(`${'acted'.padEnd(LABEL)}${minuteText(at)} ${personText(action.by)} ${actionText(action)}`, width));
        for (const text of keepsEnding(readUp(context.home)))
          line(`note      ${text}; \`npx evolve doctor\` says more`);
      }),
    ),
  );

type Unopened = Parameters<typeof unopenedReport>[0];

const unopenedLines = (
  { run, parked, refusals }: Unopened,
  { state, stopReason }: ReturnType<typeof unopenedReport>,
): readonly string[] => [
  `run       ${run}   ${state}`,
  `reason    ${stopReason}`,
  ...(parked === null ? [] : [`          ${parkedText(parked, { nowMs: Date.now(), timeText: LOCAL })}`]),
  ...refusals.map((one) => `note      ${refusalText(one, LOCAL)}`),
  `do        \`npx evolve retry ${run}\` tries again now, \`npx evolve stop ${run}\` ends it`,
];

// evolve stop: runs end after their current step, or at once. Everything made stays; resume continues them.
import { act, describe } from '../flags/command.ts';
import { endingOf, forMany, leaves, onRuns, RUNS_ARGUMENT, type SelectionFlags } from '../flags/many.ts';

type Options = SelectionFlags & { readonly now?: boolean; readonly reason?: string };

export const stopCommand = () =>
  forMany(
    describe('stop')
      .argument(...RUNS_ARGUMENT)
      .option('--now', 'interrupt the current step; what it has made is kept for a resume')
      .option('--reason <text>', 'stored with the run'),
  ).action(
    act(async (context, { now, reason, ...flags }: Options, ids: readonly string[]) => {
      const mode = now ? ('now' as const) : ('step' as const);
      const endings = endingOf(now === true);
      return onRuns(context, flags, ids, {
        what: `stop ${endings.ofMany}`,
        leave: leaves.stop,
        act: async (run) => {
          await run.stop({ mode, ...(reason === undefined ? {} : { reason }) });
          await endings.ask(run);
          return { sent: 'stop', mode };
        },
        tell: (run) => `${run}: stops ${endings.of(run)}; \`npx evolve resume ${run}\` continues it later`,
      });
    }),
  );

// evolve pause: runs wait after their current step, or at once.
import { act, describe } from '../flags/command.ts';
import { endingOf, forMany, leaves, onRuns, RUNS_ARGUMENT, type SelectionFlags } from '../flags/many.ts';

type Options = SelectionFlags & { readonly now?: boolean; readonly reason?: string };

export const pauseCommand = () =>
  forMany(
    describe('pause')
      .argument(...RUNS_ARGUMENT)
      .option('--now', 'interrupt the current step; resume repeats what was not finished')
      .option('--reason <text>', 'shown beside the state'),
  ).action(
    act(async (context, { now, reason, ...flags }: Options, ids: readonly string[]) => {
      const mode = now ? ('now' as const) : ('step' as const);
      const endings = endingOf(now === true);
      return onRuns(context, flags, ids, {
        what: `pause ${endings.ofMany}`,
        leave: leaves.pause,
        act: async (run) => {
          await run.pause({ mode, ...(reason === undefined ? {} : { reason }) });
          await endings.ask(run);
          return { sent: 'pause', mode };
        },
        tell: (run) => `${run}: pauses ${endings.of(run)}; \`npx evolve resume ${run}\` goes on`,
      });
    }),
  );

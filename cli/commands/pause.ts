// evolve pause: the run waits after its current step, or at once.
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly now?: boolean; readonly reason?: string };

export const pauseCommand = () =>
  describe('pause')
    .argument(...RUN_ARGUMENT)
    .option('--now', 'interrupt the current step; resume repeats what was not finished')
    .option('--reason <text>', 'shown beside the state')
    .action(
      act(async (context, { now, reason }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const mode = now ? 'now' : 'step';
          await run.pause({ mode, ...(reason === undefined ? {} : { reason }) });
          if (context.json) json({ run: run.id, sent: 'pause', mode });
          else
            line(
              `${run.id}: pauses ${now ? 'now' : 'after its current step'}; \`npx evolve resume ${run.id}\` goes on`,
            );
        }),
      ),
    );

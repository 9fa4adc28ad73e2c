// evolve stop: the run ends after its current step, or at once. Everything made stays; resume continues it.
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly now?: boolean; readonly reason?: string };

export const stopCommand = () =>
  describe('stop')
    .argument(...RUN_ARGUMENT)
    .option('--now', 'interrupt the current step; what it has made is kept for a resume')
    .option('--reason <text>', 'stored with the run')
    .action(
      act(async (context, { now, reason }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const mode = now ? 'now' : 'step';
          await run.stop({ mode, ...(reason === undefined ? {} : { reason }) });
          if (context.json) json({ run: run.id, sent: 'stop', mode });
          else
            line(
              `${run.id}: stops ${now ? 'now' : 'after its current step'}; \`npx evolve resume ${run.id}\` continues it later`,
            );
        }),
      ),
    );

// evolve stop: the run ends after its current step, or at once. Everything made stays; resume continues it.
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { withRun } from '../connection.ts';
import { json, line } from '../output.ts';
import { tell } from '../steer.ts';

type Options = { readonly json?: boolean; readonly now?: boolean; readonly reason?: string };

export const stopCommand = () => describe('stop', 'end a run after its current step')
  .argument(...RUN_ARGUMENT)
  .option('--now', 'interrupt the current step; what it has made is kept for a resume')
  .option('--reason <text>', 'stored with the run')
  .action(act(async (context, { now, reason }: Options, id: string) => withRun(context, id, async ({ run, engine }) => {
    const mode = now ? 'now' : 'step';
    await tell(await engine(), run, 'stop', { mode, ...(reason === undefined ? {} : { reason }) });
    if (context.json) json({ run: run.run, sent: 'stop', mode });
    else line(`${run.run}: stops ${now ? 'now' : 'after its current step'}; \`npx evolve resume ${run.run}\` continues it later`);
  })));

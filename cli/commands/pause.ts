// evolve pause: the run waits after its current step, or at once.
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { withRun } from '../connection.ts';
import { json, line } from '../output.ts';
import { tell } from '../steer.ts';

type Options = { readonly json?: boolean; readonly now?: boolean; readonly reason?: string };

export const pauseCommand = () => describe('pause', 'let a run wait after its current step')
  .argument(...RUN_ARGUMENT)
  .option('--now', 'interrupt the current step; resume repeats what was not finished')
  .option('--reason <text>', 'shown beside the state')
  .action(act(async (context, { now, reason }: Options, id: string) => withRun(context, id, async ({ run, engine }) => {
    const mode = now ? 'now' : 'step';
    await tell(await engine(), run, 'pause', { mode, ...(reason === undefined ? {} : { reason }) });
    if (context.json) json({ run: run.run, sent: 'pause', mode });
    else line(`${run.run}: pauses ${now ? 'now' : 'after its current step'}; \`npx evolve resume ${run.run}\` goes on`);
  })));

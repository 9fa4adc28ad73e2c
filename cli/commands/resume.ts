// evolve resume: a paused run goes on; a stopped run, or one closed in the workflow engine, is opened again.
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { withRun } from '../connection.ts';
import { UsageError } from '../exit.ts';
import { refreshKey } from '../keys.ts';
import { json, line } from '../output.ts';
import { isOpen, startAgain, tell } from '../steer.ts';

export const resumeCommand = () => describe('resume', 'let a paused or stopped run go on')
  .argument(...RUN_ARGUMENT)
  .action(act(async (context, _options: { readonly json?: boolean }, id: string) => withRun(context, id, async ({ run, engine }) => {
    refreshKey(context.home.root, run.config.model, context.env);
    const connected = await engine();
    const open = await isOpen(connected, run.run);
    if (!open && run.status === 'finished') throw new UsageError(`run ${run.run} is finished (${run.stopReason}): give it a new limit, e.g. \`npx evolve extend ${run.run} --steps ${run.committedStep + 10}\``);
    if (open) await tell(connected, run, 'resume', {});
    else await startAgain(connected, run);
    if (context.json) json({ run: run.run, sent: 'resume', opened: !open });
    else line(`${run.run}: goes on${open ? '' : ` after step ${Math.max(0, run.committedStep)}`}; \`npx evolve watch ${run.run}\` shows it`);
  })));

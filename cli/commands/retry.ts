// evolve retry: a run that needs attention tries again now, with the key that is in the environment.
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { withRun } from '../connection.ts';
import { refreshKey } from '../keys.ts';
import { json, line } from '../output.ts';
import { tell } from '../steer.ts';

export const retryCommand = () => describe('retry', 'let a run that needs attention try again now')
  .argument(...RUN_ARGUMENT)
  .action(act(async (context, _options: { readonly json?: boolean }, id: string) => withRun(context, id, async ({ run, engine }) => {
    const refreshed = refreshKey(context.home.root, run.config.model, context.env);
    await tell(await engine(), run, 'retry', {});
    if (context.json) json({ run: run.run, sent: 'retry', keyRefreshed: refreshed });
    else line(`${run.run}: tries again now${refreshed ? ', with the key from OPENAI_API_KEY' : ''}; \`npx evolve watch ${run.run}\` shows it`);
  })));

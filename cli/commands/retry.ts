// evolve retry: a run that needs attention tries again now, with the key that is in the environment.
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly resample?: boolean };

export const retryCommand = () =>
  describe('retry')
    .argument(...RUN_ARGUMENT)
    .option(
      '--resample',
      'ask the model afresh for the step at hand; its responses so far are set aside, and stay paid',
    )
    .action(
      act(async (context, { resample = false }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const { keyRefreshed } = await run.retry(resample ? { resample } : {});
          if (context.json) return json({ run: run.id, sent: 'retry', resample, keyRefreshed });
          const how = [
            ...(resample ? ['asking the model afresh'] : []),
            ...(keyRefreshed ? ['with the key from OPENAI_API_KEY'] : []),
          ];
          line(
            `${run.id}: tries again now${how.map((text) => `, ${text}`).join('')}; \`npx evolve watch ${run.id}\` shows it`,
          );
        }),
      ),
    );

// evolve retry: runs that need attention try again now, with the key that is in the environment.
import { act, describe } from '../flags/command.ts';
import { forMany, leaves, onRuns, RUNS_ARGUMENT, type SelectionFlags } from '../flags/many.ts';

type Options = SelectionFlags & { readonly resample?: boolean };

export const retryCommand = () =>
  forMany(
    describe('retry')
      .argument(...RUNS_ARGUMENT)
      .option(
        '--resample',
        'ask the model again for the step at hand; its responses so far are set aside and stay paid',
      ),
  ).action(
    act(async (context, { resample = false, ...flags }: Options, ids: readonly string[]) =>
      onRuns(context, flags, ids, {
        what: `try again now${resample ? ', asking the model again' : ''}`,
        leave: leaves.retry,
        act: async (run) => {
          const { keyRefreshed } = await run.retry(resample ? { resample } : {});
          return { sent: 'retry', resample, keyRefreshed };
        },
        tell: (run, { keyRefreshed }) => {
          const how = [
            ...(resample ? ['asking the model again'] : []),
            ...(keyRefreshed ? ['with the key from OPENAI_API_KEY'] : []),
          ];
          return `${run}: tries again now${how.map((text) => `, ${text}`).join('')}; \`npx evolve watch ${run}\` shows it`;
        },
      }),
    ),
  );

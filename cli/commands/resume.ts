// evolve resume: paused runs go on; stopped runs, or those closed in the workflow engine, are opened again.
import { act, describe } from '../flags/command.ts';
import { forMany, leaves, onRuns, RUNS_ARGUMENT, type SelectionFlags } from '../flags/many.ts';

export const resumeCommand = () =>
  forMany(describe('resume').argument(...RUNS_ARGUMENT)).action(
    act(async (context, flags: SelectionFlags, ids: readonly string[]) =>
      onRuns(context, flags, ids, {
        what: 'resume',
        leave: leaves.resume,
        act: async (run) => {
          const { opened } = await run.resume();
          return { sent: 'resume', opened, step: Math.max(0, (await run.document()).committedStep) };
        },
        tell: (run, { opened, step }) =>
          `${run}: goes on${opened ? ` after step ${step}` : ''}; \`npx evolve watch ${run}\` shows it`,
      }),
    ),
  );

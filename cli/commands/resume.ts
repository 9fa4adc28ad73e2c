// evolve resume: a paused run goes on; a stopped run, or one closed in the workflow engine, is opened again.
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

export const resumeCommand = () =>
  describe('resume')
    .argument(...RUN_ARGUMENT)
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string) =>
        withRun(context, id, async (run) => {
          const { opened } = await run.resume();
          if (context.json) return json({ run: run.id, sent: 'resume', opened });
          const { committedStep } = await run.document();
          line(
            `${run.id}: goes on${opened ? ` after step ${Math.max(0, committedStep)}` : ''}; \`npx evolve watch ${run.id}\` shows it`,
          );
        }),
      ),
    );

// evolve rewind: committed steps are done again. What they made is superseded, never deleted.
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line, wholeFrom } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly toStep: string; readonly resample?: boolean };

export const rewindCommand = () =>
  describe('rewind')
    .argument('<run>', 'id of the run, or latest')
    .requiredOption('--to-step <n>', 'this step and all later ones are done again')
    .option('--resample', 'ask the model again for them; without it, stored responses and evaluations are used again')
    .action(
      act(async (context, { toStep, resample = false }: Options, id: string) => {
        const request = { toStep: wholeFrom(toStep, '--to-step', 0), ...(resample ? { resample } : {}) };
        return withRun(context, id, async (run) => {
          const { opened } = await run.rewind(request);
          if (context.json) return json({ run: run.id, toStep: request.toStep, resample, opened });
          line(
            `${run.id}: goes on with step ${request.toStep}${resample ? ', asking the model afresh' : ''}; \`npx evolve steps ${run.id} --all\` lists what was rewound`,
          );
        });
      }),
    );

// evolve remove-model: a run without one of its models, from the next request on.
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

export const removeModelCommand = () =>
  describe('remove-model')
    .argument('<run>', 'id of the run, or latest')
    .argument('<name>', 'name of the model, as in `evolve settings`')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string, name: string) =>
        withRun(context, id, async (run) => {
          const { version, changed } = await run.removeModel(name);
          if (context.json) json({ run: run.id, version, changed });
          else line(`${run.id}: ${name} is asked no more (version ${version} of the settings)`);
        }),
      ),
    );

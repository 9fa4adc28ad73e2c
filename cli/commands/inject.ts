// evolve inject: a person's program becomes a candidate of the run's next step.
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { readText } from '../flags/settings-flags.ts';
import { islandFrom, json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly island?: string };

export const injectCommand = () =>
  describe('inject')
    .argument('<run>', 'id of the run, or latest')
    .argument('<file>', 'the program, with its EVOLVE-BLOCK lines')
    .option('--island <k>', 'island from 0 on (default: 0)')
    .action(
      act(async (context, options: Options, id: string, file: string) => {
        const program = readText(file, '<file>', 'a program');
        const island = islandFrom(options.island);
        return withRun(context, id, async (run) => {
          const { injected } = await run.inject({ program, ...island });
          if (context.json) json({ run: run.id, injected, island: island.island ?? 0 });
          else line(`${run.id}: the program goes into island ${island.island ?? 0} with the next step (${injected})`);
        });
      }),
    );

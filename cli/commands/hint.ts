// evolve hint: words to the model, in the prompts of one island or of all, until they are removed.
import { UsageError } from '../../client/errors.ts';
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { islandFrom, json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly island?: string; readonly remove?: boolean };

export const hintCommand = () =>
  describe('hint')
    .argument('<run>', 'id of the run, or latest')
    .argument('[text]', 'the hint; the present hints are shown when it is left out')
    .option('--island <k>', 'only in the prompts of this island, from 0 on')
    .option('--remove', 'remove the hint of this island, or the one of all')
    .action(
      act(async (context, { island: wanted, remove = false }: Options, id: string, text: string | undefined) => {
        if (remove && text !== undefined) throw new UsageError('hint: expected either a text or --remove, got both');
        const island = islandFrom(wanted);
        const where = island.island === undefined ? 'all islands' : `island ${island.island}`;
        return withRun(context, id, async (run) => {
          if (text === undefined && !remove) {
            const { hints } = (await run.settings()).prompt;
            if (context.json) return json(hints);
            for (const hint of hints)
              line(`${hint.island === null ? 'all islands' : `island ${hint.island}`}: ${hint.text}`);
            return hints.length === 0 ? line(`${run.id} has no hints`) : undefined;
          }
          const { version } = await run.hint({ hint: text ?? null, ...island });
          if (context.json) json({ run: run.id, version, hint: text ?? null, island: island.island ?? null });
          else
            line(
              `${run.id}: the hint for ${where} is ${remove ? 'removed' : 'in the prompts'} from the next step on (version ${version} of the settings)`,
            );
        });
      }),
    );

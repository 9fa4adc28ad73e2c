// evolve hint: a text for the model, in the prompts of one island or of all islands until it is removed.
import { UsageError } from '../../../client/connect/errors.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { steerRun } from '../../flags/many.ts';
import { withRun } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';

type Options = { readonly island?: string; readonly remove?: boolean };

export const build: Build = (command) =>
  withFields(command.argument('<run>', 'id of the run, or latest'), 'hint')
    .option('--remove', 'remove the hint of this island, or the one of all')
    .addHelpText('after', '\nWithout a text it shows the present hints.')
    .action(
      act(async (context, options: Options, id: string, text: string | undefined) => {
        if (options.remove && text !== undefined)
          throw new UsageError('hint: expected either a text or --remove, got both');
        if (text === undefined && !options.remove) return showHints(context, id);
        const { island } = bodyOf('hint', options, [text]);
        return steerRun(context, id, 'hint', { hint: text ?? null, ...(island === undefined ? {} : { island }) });
      }),
    );

const showHints = (context: Context, id: string): Promise<void> =>
  withRun(context, id, async (run) => {
    const { hints } = (await run.settings()).prompt;
    answer(context, hints, () =>
      hints.length === 0
        ? [`${run.id} has no hints`]
        : hints.map(({ island, text }) => `${island === null ? 'all islands' : `island ${island}`}: ${text}`),
    );
  });

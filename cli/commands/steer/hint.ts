// evolve hint: a text for the model, in the prompts of one island or of all islands until it is removed.
import { UsageError } from '../../../client/connect/errors.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { steerRun } from '../../flags/many.ts';
import { withRun } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';

type Options = { readonly json?: boolean; readonly island?: string; readonly remove?: boolean };

export const hintCommand = () =>
  withFields(describe('hint').argument('<run>', 'id of the run, or latest'), 'hint')
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
    if (context.json) return json(hints);
    for (const hint of hints) line(`${hint.island === null ? 'all islands' : `island ${hint.island}`}: ${hint.text}`);
    if (hints.length === 0) line(`${run.id} has no hints`);
  });

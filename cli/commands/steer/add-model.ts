// evolve add-model: a further model beside the run's first; each request goes to one of all, drawn by weight.
import { Option } from 'commander';
import type { AddModelRequest } from '../../../workflows/messages/messages.ts';
import { act, type Build } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { steerRun } from '../../flags/many.ts';
import { assignments, collect } from '../../flags/settings-flags.ts';

type Options = {
  readonly weight?: string;
  readonly baseUrl?: string;
  readonly set?: readonly string[];
};

export const build: Build = (command) =>
  withFields(command.argument('<run>', 'id of the run, or latest'), 'add-model')
    .addOption(
      new Option('--set <key=value>', 'one of its settings, e.g. --set temperature=0.5; repeatable').argParser(collect),
    )
    .addHelpText(
      'after',
      '\nWhat is left out is as in the first model. Where name or endpoint differ from it, the price is that of the list (docs/models.md), or unknown. OPENAI_API_KEY is\nremembered for the endpoint that OPENAI_BASE_URL names.',
    )
    .action(
      act(async (context, options: Options, id: string, name: string) =>
        steerRun(context, id, 'add-model', modelFrom(name, options)),
      ),
    );

/** Flags win over --set. Throws ConfigError or UsageError. */
export const modelFrom = (name: string, options: Options): AddModelRequest => ({
  ...(options.set === undefined ? {} : (assignments(options.set, '--set ').settings as object)),
  ...bodyOf('add-model', options, [name]),
});

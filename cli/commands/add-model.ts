// evolve add-model: a further model beside the run's first; each request goes to one of all, drawn by weight.
import { Option } from 'commander';
import type { AddModelRequest } from '../../workflows/messages/messages.ts';
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { assignments, collect } from '../flags/settings-flags.ts';
import { json, line, positiveFrom } from '../terminal/output.ts';

type Options = {
  readonly json?: boolean;
  readonly weight?: string;
  readonly baseUrl?: string;
  readonly set?: readonly string[];
};

export const addModelCommand = () =>
  describe('add-model')
    .argument('<run>', 'id of the run, or latest')
    .argument('<name>', 'name of the model at its endpoint; one that is there gets other settings')
    .option('--weight <w>', 'share of the requests, relative to the other models (default: 1)')
    .option('--base-url <url>', 'its endpoint (default: that of the first model)')
    .addOption(
      new Option('--set <key=value>', 'one of its settings, e.g. --set temperature=0.5; repeatable').argParser(collect),
    )
    .addHelpText(
      'after',
      '\nWhat is left out is as in the first model; the price is unknown where name or endpoint differ. OPENAI_API_KEY is remembered for\nthe endpoint that OPENAI_BASE_URL names.',
    )
    .action(
      act(async (context, options: Options, id: string, name: string) => {
        const model = modelFrom(name, options);
        return withRun(context, id, async (run) => {
          const { version, changed } = await run.addModel(model);
          if (context.json) return json({ run: run.id, version, changed });
          line(
            changed.length === 0
              ? `${run.id}: it uses ${name} so already`
              : `${run.id}: ${name} takes part from the next request on (version ${version} of the settings)`,
          );
        });
      }),
    );

/** Flags over --set. Throws ConfigError or UsageError. */
export const modelFrom = (name: string, { weight, baseUrl, set }: Options): AddModelRequest => ({
  ...(set === undefined ? {} : (assignments(set, '--set ').settings as object)),
  name,
  ...(weight === undefined ? {} : { weight: positiveFrom(weight, '--weight') }),
  ...(baseUrl === undefined ? {} : { baseUrl }),
});

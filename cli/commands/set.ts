// evolve set: other settings for a run, from its next step on; limits and models at once. The version before stays
// readable.
import { UsageError } from '../../client/errors.ts';
import type { Json } from '../../evolution/types.ts';
import { act, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { assignments, noteRenamings } from '../flags/settings-flags.ts';
import { json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly patch?: string };
type Patch = { readonly [key: string]: Json };

export const setCommand = () =>
  describe('set')
    .argument('<run>', 'id of the run, or latest')
    .argument('[settings...]', 'key.path=value, the value as YAML, e.g. diff.maxCodeChars=20000')
    .option('--patch <json>', 'the same as one JSON object, e.g. \'{"diff": {"maxCodeChars": 20000}}\'')
    .addHelpText(
      'after',
      '\nWhat can change, and when it holds: docs/configuration.md. `evolve settings <run> --versions` lists the changes.',
    )
    .action(
      act(async (context, { patch }: Options, id: string, entries: readonly string[]) => {
        const wanted = patchFrom(entries, patch);
        noteRenamings([wanted]);
        return withRun(context, id, async (run) => {
          const { version, changed } = await run.setConfig(wanted);
          if (context.json) return json({ run: run.id, version, changed });
          line(
            changed.length === 0
              ? `${run.id}: the settings are so already (version ${version})`
              : `${run.id}: version ${version} of the settings changes ${changed.join(', ')}, from the next step on (limits and models at once)`,
          );
        });
      }),
    );

/** The settings to change. Throws where there are none, or where both ways are used. */
export const patchFrom = (entries: readonly string[], patch: string | undefined): Patch => {
  if ((entries.length === 0) === (patch === undefined))
    throw new UsageError(
      'set: expected either key.path=value, such as diff.maxCodeChars=20000, or --patch with one JSON object',
    );
  if (patch === undefined) return assignments(entries, '').settings as Patch;
  try {
    const value: unknown = JSON.parse(patch);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Patch;
  } catch {
    /* told below */
  }
  throw new UsageError(`--patch: expected one JSON object such as {"diff": {"maxCodeChars": 20000}}, got ${patch}`);
};

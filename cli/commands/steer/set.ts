// evolve set: other settings for runs from their next step on; limits and models change at once. The version before
// stays readable.
import { UsageError } from '../../../client/connect/errors.ts';
import type { Json } from '../../../evolution/types.ts';
import { act, type Build } from '../../flags/command.ts';
import { forMany, onRuns, type SelectionFlags } from '../../flags/many.ts';
import { assignments } from '../../flags/settings-flags.ts';

type Options = SelectionFlags & { readonly patch?: string };
type Patch = { readonly [key: string]: Json };

export const build: Build = (command) =>
  forMany(
    command
      .usage('[options] [runs...] [key.path=value...]')
      .argument(
        '[runs...]',
        'ids of runs, or latest; then key.path=value, the value as YAML, e.g. diff.maxCodeChars=20000',
      )
      .option('--patch <json>', 'the same as one JSON object, e.g. \'{"diff": {"maxCodeChars": 20000}}\'')
      .addHelpText(
        'after',
        '\nWhat can change, and when it holds: docs/configuration.md. `evolve settings <run> --versions` lists the changes.',
      ),
  ).action(
    act(async (context, { patch, ...flags }: Options, words: readonly string[]) => {
      const { ids, entries } = idsAndSettings(words, patch !== undefined);
      const settings = patchFrom(entries, patch);
      if (ids.length === 0 && (flags.sweep ?? flags.state ?? flags.where) === undefined)
        throw new UsageError(
          'set: expected the id of a run before the settings, or `latest`, or --sweep, --state, --where',
        );
      return onRuns(context, flags, ids, 'set', { patch: settings });
    }),
  );

/**
 * Ids come first. What cannot be an id was meant as a setting, and is refused as one; so is the second word where no
 * setting follows.
 */
const idsAndSettings = (
  words: readonly string[],
  patched: boolean,
): { readonly ids: readonly string[]; readonly entries: readonly string[] } => {
  const first = words.findIndex((word) => !/^[a-z0-9-]+$/.test(word));
  const count = first !== -1 ? first : patched ? words.length : 1;
  return { ids: words.slice(0, count), entries: words.slice(count) };
};

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
    /* the error below says so */
  }
  throw new UsageError(`--patch: expected one JSON object such as {"diff": {"maxCodeChars": 20000}}, got ${patch}`);
};

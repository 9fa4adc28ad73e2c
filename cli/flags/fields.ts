// The flags and arguments of a verb, and what they say as its body.
import { type Command, Option } from 'commander';
import { UsageError } from '../../client/connect/errors.ts';
import { expectedOf } from '../../evolution/steering/base/check.ts';
import { type Field, flagMeaning, optionName } from '../../evolution/steering/base/fields.ts';
import { type Body, type VerbName, verbOf } from '../../evolution/steering/verbs.ts';
import { readText } from './settings-flags.ts';

type Flagged = readonly (readonly [key: string, field: Field & { readonly flag: string }])[];

const flagged = (name: VerbName): Flagged =>
  Object.entries(verbOf(name).fields).filter(([, { flag }]) => flag !== undefined) as unknown as Flagged;
const isArgument = ({ flag = '' }: Field): boolean => !flag.startsWith('--');

/** A flag such as `--no-improvement-programs` is no opposite of another, for which commander takes names with `no-`. */
const optionOf = (field: Field & { readonly flag: string }): Option =>
  Object.assign(new Option(field.flag, flagMeaning(field)), { negate: false });

/** Adds the arguments and the flags of a verb. Flags that are needed are mandatory. */
export const withFields = (command: Command, name: VerbName): Command => {
  for (const [, field] of flagged(name))
    if (isArgument(field)) command.argument(field.flag, field.meaning);
    else command.addOption(optionOf(field).makeOptionMandatory(field.needed === true));
  if (flagged(name).some(([, { type, orNull }]) => type === 'number' && orNull))
    command.addHelpText('after', '\nThe value "none" removes a limit.');
  return command;
};

const valueOf = (field: Field & { readonly flag: string }, given: string | boolean | undefined): unknown => {
  if (field.type === 'choice') return Object.keys(field.options!).at(given === true ? -1 : 0);
  if (given === undefined || typeof given === 'boolean') return given;
  const [flag] = field.flag.split(' ') as [string];
  if (field.file !== undefined) return readText(given, flag, 'a program');
  const isNumber = field.type === 'whole' || field.type === 'number';
  const value = !isNumber
    ? given
    : field.orNull && given.trim() === 'none'
      ? null
      : given.trim() === ''
        ? Number.NaN
        : Number(given);
  const expected = expectedOf(field, value);
  if (expected !== null)
    throw new UsageError(
      `${flag}: expected ${expected}${isNumber && field.orNull ? ', or none' : ''}, got ${JSON.stringify(given)}`,
    );
  return value;
};

/** A sentence about fields, with the flag in the place of each. */
const inFlags = (name: VerbName, text: string): string => {
  const flags = new Map(flagged(name).map(([key, { flag }]) => [key, flag.split(' ')[0]!]));
  return text.replaceAll(/"?\b(\w+)\b"?/g, (whole, key: string) => flags.get(key) ?? whole);
};

type Given = { readonly [option: string]: unknown };

/** The body that arguments and flags say. Throws UsageError. */
export const bodyOf = <V extends VerbName>(
  name: V,
  flags: object,
  words: readonly (string | undefined)[] = [],
): Body<V> => {
  let at = 0;
  const entries = flagged(name).flatMap(([key, field]) => {
    const typed = isArgument(field) ? words[at++] : (flags as Given)[optionName(field.flag)];
    const value = valueOf(field, typed as string | boolean | undefined);
    return value === undefined ? [] : [[key, value] as const];
  });
  const body = Object.fromEntries(entries);
  const problem = verbOf(name).rule?.(body as never) ?? null;
  if (problem !== null) throw new UsageError(`${name}: ${inFlags(name, problem)}`);
  return body as unknown as Body<V>;
};

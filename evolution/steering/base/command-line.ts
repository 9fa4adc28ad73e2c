// The command of a verb as a line, shown by the page and at the head of commands for many runs.
import { flat } from '../../config/layers.ts';
import type { Json } from '../../types.ts';
import type { Field } from './fields.ts';
import { type Body, commandOf, type VerbName, verbOf } from '../verbs.ts';

type Mapping = { readonly [key: string]: Json };

/** A word of a command line, in quotes where a shell would read more into it. */
const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A text that YAML would read as something else is written as JSON. */
const valueWord = (value: Json): string =>
  typeof value === 'string' && /^[A-Za-z/][\w./:-]*$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : JSON.stringify(value);

export const assignments = (settings: Mapping): readonly string[] =>
  Object.entries(flat(settings)).map(([key, value]) => `${key}=${valueWord(value)}`);

const wordsOf = ({ type, flag, options, file }: Field, value: Json): readonly string[] => {
  if (flag === undefined) return [];
  const [name, isFlag] = [flag.split(' ')[0]!, flag.startsWith('--')];
  if (type === 'flag') return value === true ? [name] : [];
  if (type === 'choice') return value === Object.keys(options!).at(-1) ? [name] : [];
  if (type === 'settings') return assignments(value as Mapping).flatMap((one) => (isFlag ? [name, one] : [one]));
  if (value === null) return isFlag ? [name, 'none'] : ['--remove'];
  return [...(isFlag ? [name] : []), file ?? String(value)];
};

/** The words of a command, each as a shell takes it. */
export const shellLine = (words: readonly string[]): string => ['npx evolve', ...words.map(word)].join(' ');

/** `npx evolve pause demo --now`; `on` is the run or the sweep, or several of them, or none. */
export const commandLine = <V extends VerbName>(name: V, on: readonly string[], body: Body<V>): string => {
  const { fields, alsoFlag } = verbOf(name);
  const values = body as { readonly [key: string]: Json | undefined };
  return shellLine([
    ...commandOf(name).split(' '),
    ...on,
    ...Object.entries(fields).flatMap(([key, field]) => (values[key] === undefined ? [] : wordsOf(field, values[key]))),
    ...(alsoFlag === undefined ? [] : [alsoFlag]),
  ]);
};

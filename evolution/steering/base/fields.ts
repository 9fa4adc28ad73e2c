// The fields of a verb: checks, flags, dialogs and types are made from them.
import type { Json } from '../../types.ts';

/** An option of a choice in words; a stream may have other words than a run with steps. */
type OptionText = string | { readonly steps: string; readonly stream: string };

export type Field = {
  readonly type: 'text' | 'long-text' | 'whole' | 'number' | 'flag' | 'choice' | 'settings';
  /** A clause for `--help`, for forms and for the docs. */
  readonly meaning: string;
  readonly needed?: true;
  readonly orNull?: true;
  /** Bounds of a number, characters of a text, the fewest keys of settings. */
  readonly min?: number;
  readonly max?: number;
  /** A number above 0. */
  readonly positive?: true;
  readonly options?: { readonly [option: string]: OptionText };
  /** The form of a text, and in words. */
  readonly pattern?: RegExp;
  readonly expected?: string;
  /**
   * On the command line: `--reason <text>`, or an argument such as `<name>`; it stands for the last option of a choice.
   */
  readonly flag?: string;
  /** On the command line it is the text of a file, such as one of this name. */
  readonly file?: string;
  /** Its name in a form; a field without one is filled in otherwise. */
  readonly label?: string;
  /** What a form says below it in place of its meaning; empty where the label says all. */
  readonly help?: string;
};
export type Fields = { readonly [name: string]: Field };

type Mapping = { readonly [key: string]: Json };
type PlainOf<F> = F extends { readonly type: 'text' | 'long-text' }
  ? string
  : F extends { readonly type: 'choice'; readonly options: infer O }
    ? keyof O & string
    : F extends { readonly type: 'whole' | 'number' }
      ? number
      : F extends { readonly type: 'flag' }
        ? boolean
        : Mapping;
type ValueOf<F> = PlainOf<F> | (F extends { readonly orNull: true } ? null : never);
type Needed<T> = { [K in keyof T]: T[K] extends { readonly needed: true } ? K : never }[keyof T];

/** The body of these fields. */
export type BodyOf<F> = { readonly [K in Needed<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, Needed<F>>]?: ValueOf<F[K]>;
};

export const optionText = (text: OptionText, stream = false): string =>
  typeof text === 'string' ? text : stream ? text.stream : text.steps;

/** The meaning of a field, in one clause, for the docs. */
export const meaningOf = ({ meaning, options }: Field): string =>
  options === undefined
    ? meaning
    : `${meaning}: ${Object.entries(options)
        .map(([option, text]) => `\`${option}\` ${optionText(text)}`)
        .join(', ')}`;

/** The meaning of its flag, which stands for the last option of a choice. */
export const flagMeaning = ({ meaning, options }: Field): string =>
  options === undefined ? meaning : optionText(Object.values(options).at(-1)!);

/** `--cost-usd <x>` as `costUsd`: the name under which a command has the value. */
export const optionName = (flag: string): string =>
  flag
    .split(' ')[0]!
    .slice(2)
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

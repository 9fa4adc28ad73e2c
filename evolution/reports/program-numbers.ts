// The numbers of a program, an entry each. The page's rows and their files, the headings, cells, order and CSV of its
// table, and the numbers that commands print are made of this table.
import type { Evaluation } from '../scoring/evaluation.ts';
import type { Usage } from '../types.ts';
import { amount, count, duration, score, dollars } from './number-text.ts';

/** How a number is stored in the page's rows. Only `f32` and `f64` tell no number (NaN) from 0. */
export type ColumnType = 'u8' | 'u16' | 'u32' | 'i32' | 'f32' | 'f64';

/** The stored parts of a program. The documents of the store have these fields and more. */
type Scored = {
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly reward: number;
  /** Of its code, in characters. */
  readonly length: number;
};
type Answer = { readonly usage: Usage; readonly costUsd: number };

/** The part that the numbers of a set are read from. */
type Parts = {
  /** Read for every table. */
  readonly base: Scored;
  /** Read with the measured features of the run. */
  readonly features: Scored;
  /** The response alone: calls before the program are paid once for all programs of a group. */
  readonly paid: Answer;
  readonly evaluated: Pick<Evaluation, 'cpuMs' | 'wallMs' | 'peakBytes'>;
};
export type NumberSet = keyof Parts;

type NumberEntry<Part> = {
  readonly type: ColumnType;
  readonly title: string;
  /** Of its column, in pixels at the usual size of letters. */
  readonly width: number;
  /** Null where the program has none. */
  readonly of: (part: Part) => number | null;
  readonly text: (value: number) => string;
  /** The task says which end of it is better; of all other numbers the least comes first. */
  readonly ranks?: true;
};
type Entries<Part> = { readonly [name: string]: NumberEntry<Part> };

/** By the sets of columns of the page, each of which is read when a table first needs one of its numbers. */
export const PROGRAM_NUMBERS = {
  base: {
    score: { type: 'f64', title: 'score', width: 144, of: (program) => program.score, text: score, ranks: true },
    strictScore: {
      type: 'f64',
      title: 'strict score',
      width: 144,
      of: (program) => program.strictScore,
      text: score,
      ranks: true,
    },
    length: { type: 'u32', title: 'length', width: 80, of: (program) => program.length, text: count },
  },
  features: {
    reward: {
      type: 'f32',
      title: 'reward',
      width: 88,
      of: (program) => program.reward,
      text: (value) => score(value, 4),
    },
  },
  paid: {
    tokensIn: { type: 'u32', title: 'tokens in', width: 92, of: ({ usage }) => usage.in, text: amount },
    tokensOut: { type: 'u32', title: 'tokens out', width: 98, of: ({ usage }) => usage.out, text: amount },
    tokens: { type: 'u32', title: 'tokens', width: 84, of: ({ usage }) => usage.in + usage.out, text: amount },
    costUsd: { type: 'f32', title: 'cost', width: 84, of: (answer) => answer.costUsd, text: dollars },
  },
  evaluated: {
    cpuSeconds: {
      type: 'f32',
      title: 'CPU time',
      width: 92,
      of: ({ cpuMs }) => (cpuMs === null ? null : cpuMs / 1000),
      text: duration,
    },
  },
} as const satisfies { readonly [set in NumberSet]: Entries<Parts[set]> };

type Numbers = typeof PROGRAM_NUMBERS;
export type NumberPart<S extends NumberSet> = Parts[S];
export type NumbersOf<S extends NumberSet> = { readonly [name in keyof Numbers[S]]: number | null };
export type NumberName = { [S in NumberSet]: keyof Numbers[S] & string }[NumberSet];

const SETS = Object.keys(PROGRAM_NUMBERS) as NumberSet[];
const entriesOf = (set: NumberSet): Entries<never> => PROGRAM_NUMBERS[set];

export const numbersIn = (set: NumberSet): readonly NumberName[] => Object.keys(PROGRAM_NUMBERS[set]) as NumberName[];
export const numberNames: readonly NumberName[] = SETS.flatMap(numbersIn);
export const isNumber = (name: string): name is NumberName => (numberNames as readonly string[]).includes(name);
export const setOf = (name: NumberName): NumberSet => SETS.find((set) => Object.hasOwn(PROGRAM_NUMBERS[set], name))!;
export const numberEntry = (name: NumberName): NumberEntry<never> => entriesOf(setOf(name))[name]!;

/** All numbers of a set by name; null for those that the program does not have. */
export const numbersOf = <S extends NumberSet>(set: S, part: Parts[S]): NumbersOf<S> =>
  Object.fromEntries(Object.entries(entriesOf(set)).map(([name, { of }]) => [name, of(part as never)])) as NumbersOf<S>;

export const numberText = (name: NumberName, value: number | null | undefined): string =>
  value == null ? 'none' : numberEntry(name).text(value as never);

/** `score 2.636, strict score none, length 1,234`. */
export const numberTexts = <S extends NumberSet>(set: S, part: Parts[S]): string => {
  const numbers: { readonly [name: string]: number | null } = numbersOf(set, part);
  return numbersIn(set)
    .map((name) => `${numberEntry(name).title} ${numberText(name, numbers[name])}`)
    .join(', ');
};

/** Changes with any type or reading of a number, so that rows that were stored before are read again. */
export const numbersVersion = (): string =>
  JSON.stringify(
    SETS.map((set) => Object.entries(entriesOf(set)).map(([name, { type, of }]) => [set, name, type, String(of)])),
  );

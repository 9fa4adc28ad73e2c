// A program's document as a row of numbers.
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import {
  type NumberPart,
  type NumberSet,
  type NumbersOf,
  numbersOf,
} from '../../../evolution/reports/program-numbers.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import { FLAGS } from '../../api/rows/columns.ts';

/** The values that a row takes from other rows. */
export type Around = {
  readonly owner: number;
  /** The step that has it, which in a run forked off another may be the other's. */
  readonly step: number;
  readonly parent: number;
  /** NaN where the parent has none, or there is no parent. */
  readonly parentFit: number;
  /** NaN where nothing was valid before. */
  readonly bestFit: number;
};

const flagsOf = (program: ProgramDocument, { step, parentFit, bestFit }: Around): number => {
  const { fit = Number.NaN, parents, founder, change, idea, rescored } = program;
  const is = (yes: boolean, flag: keyof typeof FLAGS): number => (yes ? FLAGS[flag] : 0);
  return (
    is(step > 0 && parents.length === 0 && founder === undefined && rescored === undefined, 'injected') |
    is(founder === true, 'founder') |
    is(change !== undefined, 'change') |
    is(fit > parentFit, 'helped') |
    is(Number.isNaN(bestFit) ? !Number.isNaN(fit) : fit > bestFit, 'record') |
    is(idea !== undefined, 'idea')
  );
};

/** The numbers of an id, which is `run:step:epoch:slot`. */
export const partsOf = (id: string) => {
  const [run = '', named, epoch, slot] = id.split(':');
  return { run, named: Number(named), epoch: Number(epoch), slot: Number(slot) };
};

export const baseRow = (program: ProgramDocument, around: Around) => {
  const outcome = OUTCOMES.indexOf(program.outcome);
  if (outcome === -1)
    throw new TypeError(`program ${program._id}: expected one of ${OUTCOMES.join(', ')}, got another`);
  const { run: _, ...named } = partsOf(program._id);
  return {
    owner: around.owner,
    step: around.step,
    ...named,
    island: program.island,
    outcome,
    ...rowNumbers('base', program),
    parent: around.parent,
    flags: flagsOf(program, around),
  };
};

/** The numbers of a set as a row has them: NaN for none. */
export const rowNumbers = <S extends NumberSet>(
  set: S,
  part: NumberPart<S>,
): { readonly [name in keyof NumbersOf<S>]: number } => {
  const numbers: { [name: string]: number } = {};
  for (const [name, value] of Object.entries<number | null>(numbersOf(set, part))) numbers[name] = value ?? Number.NaN;
  return numbers as { [name in keyof NumbersOf<S>]: number };
};

/** `measured` are positions in the program's values. */
export const featuresRow = (
  program: ProgramDocument,
  measured: readonly number[],
): { readonly [name: string]: number } => ({
  ...rowNumbers('features', program),
  ...Object.fromEntries(measured.map((position, index) => [`f${index}`, program.values?.[position] ?? Number.NaN])),
});

/** The fit is a score or its negative, so one of a program tells which. Null where this one does not. */
export const betterOf = ({ fit, score, strictScore }: ProgramDocument): 'more' | 'less' | null => {
  if (fit === undefined || fit === 0) return null;
  if (fit === score || fit === strictScore) return 'more';
  return fit === -(score ?? Number.NaN) || fit === -(strictScore ?? Number.NaN) ? 'less' : null;
};

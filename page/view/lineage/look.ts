// The look of the programs of a lineage: their colours with the legend, their forms, the words on their edges.
import { bordersOf, levelOf } from '../../api/pictures/ranked.ts';
import type { Form } from '../../api/pictures/lineage-picture.ts';
import { columnOf, hasFlag, isRecord, parentOf, type Rows } from '../../api/rows/rows.ts';
import { fromWhereTheyDiffer } from '../../api/program/shared-beginning.ts';
import { colourOf, LEVEL_NAMES, levelLegend, SERIES } from '../base/ink.ts';
import { outcomeName } from '../base/text.ts';

export const COLOURINGS = ['score', 'island', 'outcome', 'model'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export const COLOUR_NAMES: readonly string[] = [...SERIES, ...LEVEL_NAMES, '--bad', '--soft'];

export type Coloured = {
  /** The name of the colour of a row. */
  readonly of: (row: number) => string;
  readonly legend: readonly { readonly colour: string; readonly name: string }[];
};
type Programs = {
  readonly rows: Rows;
  readonly fits: Float64Array;
  /** The rows in the picture, which the legend is made for. */
  readonly drawn: readonly number[];
  /** -1 where smaller scores are better. */
  readonly sign: 1 | -1;
};

const byScore = ({ fits, sign }: Programs): Coloured => {
  const borders = bordersOf(fits);
  return {
    of: (row) => (Number.isNaN(fits[row]!) ? '--bad' : LEVEL_NAMES[levelOf(fits[row]!, borders)]!),
    legend: [...levelLegend(borders, sign), { colour: '--bad', name: 'no score' }],
  };
};

export const colouredBy = (by: Colouring, programs: Programs): Coloured => {
  if (by === 'score') return byScore(programs);
  const { rows, drawn } = programs;
  const column = columnOf(rows, by);
  const nameOf = (value: number): string =>
    by === 'island'
      ? `island ${value}`
      : (by === 'outcome' ? outcomeName(rows.names.outcomes[value] ?? '') : rows.names.models[value]) || 'no model';
  const colour = (value: number): string => {
    const name = nameOf(value);
    return name === 'valid' ? LEVEL_NAMES[4]! : name === 'no model' ? '--soft' : colourOf(value);
  };
  const values = [...new Set(drawn.map((row) => column[row]!))].sort((a, b) => a - b);
  return {
    of: (row) => colour(column[row]!),
    legend: values.map((value) => ({ colour: colour(value), name: nameOf(value) })),
  };
};

export const formOf = (rows: Rows, fits: Float64Array, row: number): Form => {
  if (Number.isNaN(fits[row]!)) return 'failed';
  if (isRecord(rows, row)) return 'record';
  return hasFlag(rows, row, 'injected') ? 'injected' : 'valid';
};

/** The initial program is on every island, so nobody comes from another island to its children. */
export const isFromAnotherIsland = (rows: Rows, row: number): boolean => {
  const parent = parentOf(rows, row);
  const [step, island] = [columnOf(rows, 'step'), columnOf(rows, 'island')];
  return parent >= 0 && step[parent] !== 0 && island[row] !== island[parent];
};

/** Characters of a change that stand on its edge. */
const WORDS = 26;

/** A change on its edge: whole words of it, without the beginning that all changes of the picture share. */
export const edgeWords = (summary: string, shared: number): string => {
  const own = fromWhereTheyDiffer(summary, shared);
  return own.length > WORDS ? `${own.slice(0, WORDS).replace(/\s+\S*$/, '')} …` : own;
};

/** More ancestors than these are listed on request. */
const FEW = 24;

/** The rows that the list has at first: those that were better than their parents, the last ones. */
export const listedAtFirst = (trunk: readonly number[], fits: Float64Array): readonly number[] =>
  trunk.length <= FEW
    ? trunk
    : trunk.filter((row, at) => at === 0 || at === trunk.length - 1 || fits[row]! > fits[trunk[at - 1]!]!).slice(-FEW);

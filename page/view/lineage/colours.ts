// By what the programs of a lineage are coloured, and the legend that says so.
import { bordersOf, levelOf } from '../../data/levels.ts';
import { columnOf, type Rows } from '../../data/rows.ts';
import { LEVEL_NAMES, levelLegend } from '../base/levels.ts';
import { outcomeName } from '../run/outcome-names.ts';

export const COLOURINGS = ['score', 'island', 'outcome', 'model'] as const;
export type Colouring = (typeof COLOURINGS)[number];

const SERIES = Array.from({ length: 8 }, (_, index) => `--s${index}`);
export const COLOUR_NAMES: readonly string[] = [...SERIES, ...LEVEL_NAMES, '--bad', '--soft'];

export type Coloured = {
  /** The name of the colour of a row. */
  readonly of: (row: number) => string;
  readonly legend: readonly { readonly colour: string; readonly name: string }[];
};

/** `shown` are the rows in the picture, of which the legend tells. `sign` is -1 where smaller scores are better. */
export const colouredBy = (
  by: Colouring,
  {
    rows,
    fits,
    shown,
    sign,
  }: { readonly rows: Rows; readonly fits: Float64Array; readonly shown: readonly number[]; readonly sign: 1 | -1 },
): Coloured => {
  if (by === 'score') {
    const borders = bordersOf(fits);
    return {
      of: (row) => (Number.isNaN(fits[row]!) ? '--bad' : LEVEL_NAMES[levelOf(fits[row]!, borders)]!),
      legend: [...levelLegend(borders, sign), { colour: '--bad', name: 'no score' }],
    };
  }
  const column = columnOf(rows, by);
  const nameOf = (value: number): string =>
    by === 'island'
      ? `island ${value}`
      : (by === 'outcome' ? outcomeName(rows.names.outcomes[value] ?? '') : rows.names.models[value]) || 'no model';
  const colour = (value: number): string =>
    nameOf(value) === 'valid'
      ? LEVEL_NAMES[4]!
      : nameOf(value) === 'no model'
        ? '--soft'
        : SERIES[value % SERIES.length]!;
  const values = [...new Set(shown.map((row) => column[row]!))].sort((a, b) => a - b);
  return {
    of: (row) => colour(column[row]!),
    legend: values.map((value) => ({ colour: colour(value), name: nameOf(value) })),
  };
};

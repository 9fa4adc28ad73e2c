// The names of the colours of levels in the stylesheet, and what each stands for.
import { LEVELS } from '../../data/levels.ts';
import { score } from './text.ts';

export const LEVEL_NAMES: readonly `--level${number}`[] = Array.from(
  { length: LEVELS },
  (_, index) => `--level${index}` as const,
);

/** For a legend: the levels that these borders make, worst first. `sign` is -1 where smaller scores are better. */
export const levelLegend = (
  borders: readonly number[],
  sign: 1 | -1,
): readonly { readonly colour: string; readonly name: string }[] => {
  const short = (value: number): string => score(Number((sign * value).toPrecision(5)));
  return LEVEL_NAMES.slice(LEVELS - 1 - borders.length).map((colour, level) => ({
    colour,
    name:
      level > 0
        ? `from ${short(borders[level - 1]!)}`
        : borders.length === 0
          ? 'all alike'
          : `worse than ${short(borders[0]!)}`,
  }));
};

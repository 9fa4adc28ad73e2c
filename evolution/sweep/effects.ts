// What each swept setting is worth: the share of the variance of the runs' best scores that its values explain by
// themselves. It is epsilon squared of a one-way analysis of variance (Kelley 1935): that of eta squared, less what chance
// makes of as many values, so that a setting with many values is not worth more for that alone.
import { valueText } from '../reports/value-text.ts';
import { meanOf, sumOf } from '../statistics.ts';
import type { Json } from '../types.ts';
import type { SweptGroup } from './report.ts';

type Group = Pick<SweptGroup, 'group' | 'params'>;
type Scored = { readonly group: number; readonly best: number | null };

/** A value of a setting, or a range of values, and the configurations that have it. */
export type Level = { readonly text: string; readonly groups: readonly number[] };

export type Effect = {
  readonly key: string;
  readonly levels: readonly (Level & { readonly runs: number; readonly mean: number | null })[];
  /** From 0 to 1; null where no value has two runs, or nothing differs. */
  readonly share: number | null;
};

const MOST_LEVELS = 6;
const QUARTERS = 4;

export const sweptKeys = (groups: readonly Group[]): readonly string[] => [
  ...new Set(groups.toSorted((a, b) => a.group - b.group).flatMap(({ params }) => Object.keys(params))),
];

/** The values of a setting, numbers ascending, each with its configurations. */
export const levelsOf = (groups: readonly Group[], key: string): readonly Level[] => {
  const text = (value: Json | undefined): string => (value === undefined ? 'as in the base' : valueText(value));
  return [...Map.groupBy(groups, ({ params }) => text(params[key]))]
    .sort(([one, [a]], [other, [b]]) => {
      const [x, y] = [a!.params[key], b!.params[key]];
      return typeof x === 'number' && typeof y === 'number' ? x - y : one < other ? -1 : 1;
    })
    .map(([name, own]) => ({ text: name, groups: own.map(({ group }) => group) }));
};

/** Many numbers, such as those of a random search, as four ranges with about as many values each. */
const ranged = (levels: readonly Level[]): readonly Level[] => {
  if (levels.length <= MOST_LEVELS || levels.some(({ text }) => !Number.isFinite(Number(text)))) return levels;
  return Array.from({ length: QUARTERS }, (_, at) => {
    const border = (quarter: number): number => Math.round((levels.length * quarter) / QUARTERS);
    const own = levels.slice(border(at), border(at + 1));
    return { text: `${own[0]!.text} to ${own.at(-1)!.text}`, groups: own.flatMap((level) => level.groups) };
  });
};

/** Those that explain most come first. */
export const effectsOf = (groups: readonly Group[], runs: readonly Scored[]): readonly Effect[] => {
  const scored = runs.filter((run): run is Scored & { best: number } => run.best !== null);
  return sweptKeys(groups)
    .map((key): Effect => {
      const levels = ranged(levelsOf(groups, key)).map((level) => ({
        ...level,
        bests: scored.filter(({ group }) => level.groups.includes(group)).map(({ best }) => best),
      }));
      return {
        key,
        levels: levels.map(({ bests, ...level }) => ({ ...level, runs: bests.length, mean: meanOf(bests) })),
        share: shareOf(levels.map(({ bests }) => bests)),
      };
    })
    .sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
};

/** Epsilon squared of these samples. */
export const shareOf = (samples: readonly (readonly number[])[]): number | null => {
  const full = samples.filter(({ length }) => length > 0);
  const all = full.flat();
  const mean = meanOf(all);
  const [n, k] = [all.length, full.length];
  if (mean === null || k < 2 || n <= k) return null;
  const squares = (values: readonly number[], around: number): number =>
    sumOf(values.map((value) => (value - around) ** 2));
  const total = squares(all, mean);
  const within = sumOf(full.map((values) => squares(values, meanOf(values)!)));
  // Scores that are alike but for rounding tell nothing.
  if (!(total > n * (1e-12 * mean) ** 2) || !Number.isFinite(total)) return null;
  return Math.min(1, Math.max(0, (total - within - ((k - 1) * within) / (n - k)) / total));
};

// The numbers at an axis: round ones, whole ones of what is counted, and those of a clock.
import { roundTicks } from '../../api/pictures/map.ts';

export type TickSteps = 'whole' | 'decimal' | 'seconds';

const SECONDS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];

/** At most about `most` numbers from `low` to `high`. */
export const ticksBetween = (
  [low, high]: readonly [number, number],
  most: number,
  steps: TickSteps,
): readonly number[] => {
  const step = steps === 'seconds' ? SECONDS.find((one) => (high - low) / one <= most) : undefined;
  // Below a second, and beyond months, the clock has no round times of its own.
  if (step === undefined || high - low < 2) return roundTicks(low, high, most, steps === 'whole' ? 1 : 0);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
};

/** Powers of ten, or of their multiples by 2 and 5 where there are few of them. */
export const logTicks = ([low, high]: readonly [number, number]): readonly number[] => {
  const powers = Array.from(
    { length: Math.max(0, Math.ceil(Math.log10(high)) - Math.floor(Math.log10(low)) + 1) },
    (_, index) => Math.floor(Math.log10(low)) + index,
  );
  const at = (factors: readonly number[]): readonly number[] =>
    powers
      .flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)))
      .filter((value) => value >= low && value <= high);
  const decades = at([1]);
  const by = Math.ceil(decades.length / 7);
  return decades.length < 3 ? at([1, 2, 5]) : decades.filter((_, index) => index % by === 0);
};

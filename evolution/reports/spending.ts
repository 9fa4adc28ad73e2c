// What a run costs from now on, and what its last improvement cost, in words. All functions are pure.
import { dollars } from './number-text.ts';

type Ahead = {
  readonly paid: number;
  /** US dollars an hour. */
  readonly perHour: number;
  /** Until the run ends; null where that is not known. */
  readonly seconds: number | null;
};

/** `$0.40 an hour, about $1.20 when it ends`; null where nothing is paid for. */
export const aheadText = ({ paid, perHour, seconds }: Ahead): string | null =>
  perHour > 0
    ? `${dollars(perHour)} an hour${seconds === null ? '' : `, about ${dollars(paid + (perHour * seconds) / 3600)} when it ends`}`
    : null;

/** What was paid from the best before to the last one, and since; null before there is an improvement. */
export const improvementText = (bests: readonly number[], now: number): string | null => {
  const [before, last] = bests.slice(-2);
  return before === undefined || last === undefined || now <= 0
    ? null
    : `The last improvement cost ${dollars(last - before)}; since then ${dollars(now - last)} was paid.`;
};

// How a parked run waits, in words that count down.
import type { Parked } from '../../../evolution/run-states.ts';
import { duration, exactMoment } from './text.ts';

/** The time of the day is enough where the day is that of the time before. */
const timeOf = (iso: string, beside: string): string => {
  const [text, other] = [exactMoment(iso), exactMoment(beside)];
  return text.slice(0, 10) === other.slice(0, 10) ? text.slice(11) : text;
};

export const parkedWords = ({ since, tries, next, trying }: Parked, nowMs: number): string => {
  const seconds = next === null ? 0 : Math.round((Date.parse(next) - nowMs) / 1000);
  const then =
    trying || (next !== null && seconds <= 0)
      ? 'It is being tried again now.'
      : next === null
        ? 'It waits for a person.'
        : `It tries again by itself in ${duration(seconds)}, at ${timeOf(next, since)}.`;
  return `Parked since ${exactMoment(since).slice(0, 16)}, failed ${tries === 1 ? 'once' : `${tries} times`}. ${then}`;
};

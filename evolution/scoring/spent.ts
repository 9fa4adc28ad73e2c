// Where a program's time went and what it saved on its way, in words. All of it is by the program's own word, but for
// the scores of what it saved.
import type { Direction } from '../types.ts';
import type { Evaluation } from './evaluation.ts';
import { asFit } from './ranking.ts';

type Spent = Pick<Evaluation, 'profile' | 'saves' | 'score'>;

/** The CPU seconds after which nothing better came; null where that is not known. */
const lastBetter = ({ profile, saves, score }: Spent, direction: Direction | null): number | null => {
  if (direction === null || profile === undefined || saves?.scores === undefined) return null;
  const scored = [...saves.scores, { seconds: profile.seconds, score }].flatMap((one) =>
    one.score === null ? [] : [{ seconds: one.seconds, fit: asFit(one.score, direction) }],
  );
  const best = Math.max(...scored.map(({ fit }) => fit));
  return scored.find(({ fit }) => fit === best)?.seconds ?? null;
};

const PERCENT = 10;

/**
 * `linprog 71 %, areas 9 % of 6.1 s of CPU time; 7 saves, the last better after 3.1 s`; empty where nothing is known.
 * `rounded`: in tens of percent, because measured times differ from run to run and a prompt must not.
 */
export const spentText = (spent: Spent, direction: Direction | null, rounded = false): string => {
  const { profile, saves } = spent;
  const whole = profile?.seconds ?? 0;
  const inTens = (percent: number): number => Math.round(percent / PERCENT) * PERCENT;
  const functions = (profile?.functions ?? []).flatMap(({ name, percent }) => {
    const part = rounded ? inTens(percent) : percent;
    return part === 0 ? [] : [`${name} ${part} %`];
  });
  const better = lastBetter(spent, direction);
  const last =
    better === null
      ? ''
      : `, the last better ${rounded ? `at ${Math.min(100, inTens((100 * better) / whole))} % of it` : `after ${better.toFixed(1)} s`}`;
  const time = rounded ? 'its CPU time' : `${whole.toFixed(1)} s of CPU time`;
  return [
    ...(functions.length === 0 ? [] : [`${functions.join(', ')} of ${time}`]),
    ...(saves === undefined ? [] : [`${saves.count === 1 ? '1 save' : `${saves.count} saves`}${last}`]),
  ].join('; ');
};

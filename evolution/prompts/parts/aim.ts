// What a request asks for in the common frame: one mode, which the rank of the program to change decides with it, and a
// word where the best value known is reached.
import type { ChangeLabel } from '../../deltas/delta.ts';
import type { Operator } from '../../exploration/schedule.ts';
import { isBetter } from '../../scoring/ranking.ts';
import type { Task } from '../../task/task.ts';
import type { Direction, Outcome } from '../../types.ts';
import { showNumber } from './program-card.ts';

/** `initial`: the program is the one that the search began with, and nothing of it is worth keeping yet. */
export type Mode = Operator | 'initial';

export type Aim = {
  /** Null: the model chooses. */
  readonly mode: Mode | null;
  /** The place of the program to change by score, where others are better; null or left out: none is. */
  readonly rank?: { readonly place: number; readonly of: number } | null | undefined;
  /** The best value known, where the program to change or the best program has it; null or left out: neither has. */
  readonly reached?: Reached | null | undefined;
  /** The number of programs that share the best score; null or left out: it is nothing to speak of. */
  readonly shared?: number | null | undefined;
};

type Reached = {
  readonly by: 'current' | 'best';
  readonly value: number;
  /** The best value known. */
  readonly known: number;
  /** `passes`: the best value known is of other data. */
  readonly how: 'equals' | 'beats' | 'passes' | 'final';
  /** The value that nothing can beat; null: none is proven. */
  readonly bound: number | null;
};

type Goal = Pick<Task, 'scoreName' | 'direction'>;

/** Beyond so many digits two values are the same. */
const SAME = 1e-9;

/**
 * What the better of the two programs has of the best value known; null where it is below it. Data that are drawn anew
 * may be easier than those of the value known, so to equal it says nothing there.
 */
export const reachedBy = (
  { references, direction, bound, data }: Pick<Task, 'references' | 'direction' | 'bound' | 'data'>,
  scores: { readonly current: number | null; readonly best: number | null },
): Reached | null => {
  const value = references.find(({ best }) => best === true)?.value;
  if (value === undefined) return null;
  const { current, best } = scores;
  const by = best !== null && (current === null || isBeyond(direction, best, current)) ? 'best' : 'current';
  const score = scores[by];
  if (score === null || isBeyond(direction, value, score)) return null;
  const has = { by, value: score, known: value, bound: bound?.value ?? null } as const;
  if (bound !== undefined && !isBeyond(direction, bound.value, score)) return { ...has, how: 'final' };
  const beats = isBeyond(direction, score, value);
  if (data === 'drawn') return beats ? { ...has, how: 'passes' } : null;
  return beats ? { ...has, how: 'beats' } : { ...has, value, how: 'equals' };
};

const isBeyond = (direction: Direction, one: number, other: number): boolean =>
  isBetter(direction, one, other) && Math.abs(one - other) > SAME * Math.abs(other);

/** The request: refine, explore or, where neither was drawn, either. */
export const aimWords = ({ mode, rank = null, ...aim }: Aim, goal: Goal, parent: Outcome): string => {
  const better = `${goal.direction === 'maximise' ? 'raises' : 'lowers'} ${goal.scoreName}`;
  if (parent !== 'valid')
    return `The current program fails. Propose one change that makes it valid and, if you can, ${better} beyond the best result so far.`;
  return [modeWords(mode, better, rank), ...ceilingWords(aim, goal)].join(' ');
};

const modeWords = (mode: Mode | null, better: string, rank: NonNullable<Aim['rank']> | null): string => {
  const place = rank === null ? '' : `, number ${rank.place} of ${rank.of} by score`;
  switch (mode) {
    case 'initial':
      return `The current program is the one that the search began with${place}, and nothing of it has to stay. Propose one method that ${better} ${rank === null ? 'far beyond it' : 'beyond the best'}.`;
    case 'exploit':
      return rank === null
        ? `Refine: go on from the current program. Find what limits it, and propose one idea for that part that ${better}. Keep what works; a better method for the part is worth more than a changed constant.`
        : `Refine: go on from the current program${place}. Find what keeps it below the best, and propose one idea for that part that ${better} beyond the best. A better method for the part is worth more than a changed constant.`;
    case 'explore':
      return `Explore: propose one change to another method, another representation or another kind of mathematics that ${better}, now or once it is refined. A repair or a tuned constant is not wanted.`;
    case null:
      return `Find what limits the current program${place}. Then refine that part, or explore another method where refining has stopped helping, with one new idea that ${better}${rank === null ? '' : ' beyond the best'}. A better method is worth more than a changed constant.`;
  }
};

/** That the search may have to leave the basin that it is in; empty where nothing says so. */
export const ceilingWords = ({ reached, shared }: Pick<Aim, 'reached' | 'shared'>, goal: Goal): readonly string[] => {
  if (reached != null) return [reachedWords(reached, goal)];
  return shared == null
    ? []
    : [`${shared} programs of this search share its best score to all digits shown: ${BASIN}, not one more of them.`];
};

const BASIN = 'another basin is needed';

const reachedWords = ({ by, value, known, how, bound }: Reached, { scoreName, direction }: Goal): string => {
  const has = `The ${by} program`;
  const shown = `${scoreName} = ${showNumber(value)}`;
  const beyond = direction === 'maximise' ? 'above' : 'below';
  if (how === 'final') return `${has} has ${shown}, which nothing can beat.`;
  const proven = bound === null ? '' : ` Nothing can be ${beyond} ${showNumber(bound)}.`;
  if (how === 'passes')
    return `${has} has ${shown} and has passed the best value known, ${showNumber(known)} on other data.${proven}`;
  const more = `Only a value ${beyond} it counts: ${BASIN}, not more digits.`;
  return `${has} ${how === 'equals' ? 'equals' : 'is beyond'} the best value known, ${shown}. ${more}${proven}`;
};

const CHANGE: { readonly [label in ChangeLabel]?: readonly [did: string, advice: string] } = {
  improved: ['made the program better', 'go on in that direction'],
  degraded: ['made the program worse', 'mend it'],
  unchanged: ['left its score as it was', 'change another part'],
};

/**
 * What the change that made the program did to its score, with advice only where the request is to refine; empty where
 * nobody made it, or where it fails, which the request says. `numbers` are the scores before and after, or empty.
 */
export const lastChange = (label: ChangeLabel | null, mode: Mode | null, numbers: string): string => {
  const change = label === null ? undefined : CHANGE[label];
  return change === undefined
    ? ''
    : `- Last change: it ${change[0]}${numbers}${mode === 'exploit' ? `: ${change[1]}` : ''}`;
};

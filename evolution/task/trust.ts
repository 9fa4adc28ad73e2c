// How far the scores of a task can be trusted: a ladder of four rungs, computed from what a check found and never said by the
// task itself.
import type { Task } from './task.ts';

export const TRUST = ['runnable', 'isolated', 'checked', 'cheat-proof'] as const;
export type Trust = (typeof TRUST)[number];

/** What holds on a rung, and what the next one needs. */
const RUNGS: { readonly [rung in Trust]: { readonly holds: string; readonly next: string | null } } = {
  runnable: {
    holds: 'the evaluator runs beside the program, which can change what it computes',
    next: 'an evaluator apart from the program: kind: solution or kind: function',
  },
  isolated: {
    holds: 'the evaluator is apart from the program',
    next: 'golden cases that pass, in fixtures/golden.json',
  },
  checked: {
    holds: 'the evaluator is apart from the program and gives its golden cases their values',
    next: 'cheats that all fail, in a check with --strict',
  },
  'cheat-proof': { holds: 'golden cases have their values and no known cheat has a score', next: null },
};
const FIRST = 'an initial program that has a score';

export const trustText = (trust: Trust): string => `${trust}: ${RUNGS[trust].holds}`;

export const nextRung = (trust: Trust | null): string | null => (trust === null ? FIRST : RUNGS[trust].next);

type Found = { readonly check: string; readonly ok: boolean };

/** The highest rung of which everything was looked at and found well; null where not even the initial program runs. */
export const trustOf = (kind: Task['kind'], findings: readonly Found[]): Trust | null => {
  const all = (named: RegExp): boolean => {
    const own = findings.filter(({ check }) => named.test(check));
    return own.length > 0 && own.every(({ ok }) => ok);
  };
  const climbed = [all(/^initial.*: valid$/), kind !== 'script', all(/^golden: /), all(/^cheats?: /)];
  const missing = climbed.indexOf(false);
  return TRUST[(missing < 0 ? TRUST.length : missing) - 1] ?? null;
};

/** The rung of a run that begins: of its kind, for no run goes on without a valid start, or what a check found before. */
export const trustAtStart = ({ kind }: Pick<Task, 'kind'>, checked: Trust | null): Trust => {
  const own = kind === 'script' ? 'runnable' : 'isolated';
  return checked !== null && TRUST.indexOf(checked) > TRUST.indexOf(own) ? checked : own;
};

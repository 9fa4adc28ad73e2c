// What a person may do next with a run that is at work, by what is known of it: one table of rules. Each rule is a
// condition, a sentence, and the verbs that it proposes with their bodies. The page, `evolve status` and `evolve doctor`
// read it.
import type { StopReason } from '../../budget/limits.ts';
import type { RunConfig } from '../../config/run-config.ts';
import { LIMIT_TEXTS } from '../../reports/limit-texts.ts';
import { count, duration } from '../../reports/number-text.ts';
import type { Outcome } from '../../types.ts';
import { commandLine } from '../base/command-line.ts';
import { type Body, type RunVerb, verbOf } from '../verbs.ts';

/** A verb with the body that is proposed. `title` is the text of its button where that is not the verb's own. */
export type Move = {
  readonly [V in RunVerb]: {
    readonly verb: V;
    readonly body: Body<V>;
    readonly title?: string;
    /** Its values are those that the run has: a person writes others in their place. */
    readonly isToFill?: true;
  };
}[RunVerb];

export type Advice = {
  readonly about: 'gain' | 'failures' | 'limit' | `tracker ${string}`;
  /** A sentence, without its full stop. */
  readonly what: string;
  readonly moves: readonly Move[];
};

export type LimitUse = { readonly limit: StopReason; readonly of: number; readonly spent: number };

export type Facts = {
  readonly config: Pick<RunConfig, 'diff' | 'exploration' | 'limits' | 'model' | 'repair' | 'selection'>;
  readonly steps: number;
  /** What was made since the best program; null before there is one. `seconds` counts no pauses. */
  readonly sinceBest: {
    readonly step: number;
    readonly programs: number;
    readonly seconds: number | null;
  } | null;
  /** The programs of the last steps by their outcome, and the most frequent reason of each failure. */
  readonly recent: {
    readonly programs: number;
    readonly failures: { readonly [outcome in Outcome]?: number };
    readonly reasons: { readonly [outcome in Outcome]?: string };
  } | null;
  readonly limits: readonly LimitUse[];
};

/** From this share of a limit on, people are warned. */
export const WARN_SHARE = 0.8;
/** A run is told to stand still after so many steps, a quarter of all, or so long. */
const STILL_STEPS = 10;
const STILL_SHARE = 0.25;
const STILL_SECONDS = 7_200;
/** So many programs are needed to speak of shares, and such a share of one failure is told. */
const LEAST_PROGRAMS = 20;
const MANY = 0.2;

/** Limits on what is paid. To reach another one is the end that was wished for. */
const PAID: readonly StopReason[] = ['tokens', 'costUsd', 'wallSeconds'];

/** The share of a limit that is spent; null for a score. */
export const shareOfLimit = ({ limit, of, spent }: LimitUse): number | null =>
  limit === 'targetScore' ? null : of <= 0 ? 1 : Math.min(1, Math.max(0, spent / of));

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const STOP: Move = { verb: 'stop', body: { mode: 'step' } };
const hint = (text: string): Move => ({ verb: 'hint', body: { hint: text } });

/** More exploration, by the setting that the run's method goes by; none where it has none. */
const explore = ({ exploration, selection, model }: Facts['config']): readonly Move[] => {
  const title = 'Explore more';
  const more = (value: number, most = 1): number =>
    Number(Math.min(most, Math.max(2 * value, value + 0.1)).toPrecision(2));
  const set = (patch: Body<'set'>['patch']): readonly Move[] => [{ verb: 'set', body: { patch }, title }];
  if (exploration.schedule === 'constant') return set({ exploration: { start: more(exploration.start) } });
  if (exploration.schedule !== 'none') return set({ exploration: { min: more(exploration.min, exploration.max) } });
  if (selection.kind === 'puct') return set({ selection: { c: more(selection.c, 1_000) } });
  if (selection.kind === 'mixture' && selection.exploration + selection.exploitation < 1)
    return set({ selection: { exploration: more(selection.exploration, 1 - selection.exploitation) } });
  return model.kind === 'offline' || model.temperature >= 1.5
    ? []
    : set({ model: { temperature: Number((model.temperature + 0.2).toPrecision(2)) } });
};

/** What may help against a failure, the surest first. */
const against = (
  outcome: Outcome,
  reason: string | undefined,
  { diff, repair, ...config }: Facts['config'],
): readonly Move[] => {
  switch (outcome) {
    case 'no_diff':
      return repair.rounds === 0
        ? [{ verb: 'set', body: { patch: { repair: { rounds: 1 } } }, title: 'Ask once more' }]
        : diff.accept === 'either'
          ? [hint('Answer with SEARCH/REPLACE blocks that match the program, or with the whole program in a fence.')]
          : [{ verb: 'set', body: { patch: { diff: { accept: 'either' } } }, title: 'Take whole programs too' }];
    case 'no_change':
    case 'duplicate':
      return explore({ diff, repair, ...config });
    default:
      return reason === undefined ? [] : [hint(`Many programs fail, mostly with: ${reason}. Avoid this.`)];
  }
};

export const FAILED: { readonly [outcome in Outcome]?: string } = {
  invalid: 'invalid',
  no_solution: 'without a solution',
  no_diff: 'without an edit that could be taken',
  no_change: 'the same as their parent',
  duplicate: 'the same as an earlier one',
};

const RULES: readonly ((facts: Facts) => Advice | null)[] = [
  ({ limits }) => {
    const [near] = limits
      .map((one) => ({ ...one, share: shareOfLimit(one) ?? 0 }))
      .filter(({ limit, share }) => PAID.includes(limit) && share >= WARN_SHARE && share < 1)
      .toSorted((a, b) => b.share - a.share);
    if (near === undefined) return null;
    const { limit, of, spent, share } = near;
    const [name, text] = LIMIT_TEXTS[limit];
    const what = `${percent(share)} of its limit on ${name} is spent, ${text(spent)} of ${text(of)}; then the run ends`;
    return { about: 'limit', what, moves: [{ verb: 'extend', body: { [limit]: Number((2 * of).toPrecision(6)) } }] };
  },
  ({ sinceBest, steps, config }) => {
    if (sinceBest === null) return null;
    const { step, programs, seconds } = sinceBest;
    const still = steps - step;
    const isLong = still >= STILL_STEPS && still >= STILL_SHARE * steps;
    if (!isLong && (seconds ?? 0) < STILL_SECONDS) return null;
    const time = seconds === null ? '' : `, ${duration(Math.round(seconds))}`;
    return {
      about: 'gain',
      what: `No new best since step ${step}: ${count(programs)} programs${time}`,
      moves: [
        ...(config.model.kind === 'offline' ? [] : [hint('Try an approach of another kind than the programs above.')]),
        ...explore(config),
        STOP,
      ],
    };
  },
  ({ recent, config }) => {
    if (recent === null || recent.programs < LEAST_PROGRAMS) return null;
    const [outcome, many] =
      (Object.entries(recent.failures)
        .filter(([name]) => Object.hasOwn(FAILED, name))
        .toSorted(([, a], [, b]) => b - a)[0] as [Outcome, number] | [undefined, undefined]) ?? [];
    if (outcome === undefined || many === undefined || many < MANY * recent.programs) return null;
    const reason = recent.reasons[outcome];
    return {
      about: 'failures',
      what: `${percent(many / recent.programs)} of the last ${count(recent.programs)} programs are ${FAILED[outcome]}${reason === undefined ? '' : `, mostly “${reason}”`}`,
      moves: config.model.kind === 'offline' ? [] : against(outcome, reason, config),
    };
  },
];

export const adviceOn = (facts: Facts): readonly Advice[] => RULES.flatMap((rule) => rule(facts) ?? []);

export const moveTitle = ({ verb, title }: Move): string => title ?? verbOf(verb).title;

/** The command of a move: `npx evolve stop demo`. */
export const moveCommand = (run: string, { verb, body }: Move): string => commandLine<RunVerb>(verb, [run], body);

/** Lines for the terminal: the sentence, then its commands. */
export const adviceLines = (run: string, { what, moves }: Advice): readonly string[] => [
  what,
  ...moves.map((move) => moveCommand(run, move)),
];

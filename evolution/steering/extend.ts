// Extend: new limits. A run that is under way goes on with them, one that has ended is opened again.
import { LIMIT_FLAGS, setLimits } from '../budget/limits.ts';
import type { Limits } from '../config/run-config.ts';
import type { Json } from '../types.ts';
import type { Field } from './base/fields.ts';
import { type Acted, always, ended, evolve, type Situation, type Verb } from './base/verb.ts';

const limit = <L extends keyof Limits>(name: L, label: string, meaning: string) =>
  ({
    type: 'number',
    orNull: true,
    ...(name === 'targetScore' ? {} : { positive: true }),
    label,
    meaning,
    flag: `${LIMIT_FLAGS[name]} <n>`,
  }) as const satisfies Field;

const LIMITS = {
  steps: limit('steps', 'Steps', 'steps in all'),
  programs: limit('programs', 'Programs', 'programs in all'),
  tokens: limit('tokens', 'Tokens', 'tokens in all'),
  costUsd: limit('costUsd', 'US dollars', 'US dollars in all'),
  wallSeconds: limit('wallSeconds', 'Seconds since it began', 'seconds since the run began'),
  targetScore: limit('targetScore', 'Target score', 'score at which the run ends'),
  noImprovementPrograms: limit(
    'noImprovementPrograms',
    'Programs without a better one',
    'programs made since the best score last improved',
  ),
  stagnantEpochs: limit('stagnantEpochs', 'Steps without progress', 'steps without a better best of any island'),
} as const satisfies { readonly [name in keyof Limits]: Field };

export type NewLimits = { readonly [name in keyof Limits]?: number | null };

export const limitsText = (limits: Limits): string =>
  setLimits(limits)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'none';

export const extend = {
  title: 'Extend',
  brief: 'give a run new limits, or none; a finished run goes on',
  group: 'Steer a run',
  fields: {
    ...LIMITS,
    add: {
      type: 'flag',
      label: 'Add these numbers to the present limits',
      meaning: 'add the numbers to the present limits',
      flag: '--add',
    },
  },
  rule: ({ add, ...limits }: NewLimits & { readonly add?: boolean }) => {
    const entries = Object.entries(limits);
    const removed = entries.find(([, value]) => value === null);
    if (entries.length === 0) return `expected at least one of ${Object.keys(LIMITS).join(', ')}`;
    return add && removed ? `"${removed[0]}" expected a number to add, got null` : null;
  },
  message: { kind: 'update', examples: [{ steps: 20, add: true }, { steps: 100 }, { tokens: null }] },
  change: ({ add = false, ...limits }: NewLimits & { readonly add?: boolean }) => ({
    kind: 'extend',
    limits: limits as Json,
    add,
  }),
  many: true,
  dry: true,
  rank: 5,
  refuses: always,
  words: (now: Situation) => ({
    what: ended(now)
      ? `Run ${now.run} gets these limits, is opened again and goes on until one of them ends it.`
      : `Run ${now.run} goes on with these limits.`,
    undo: 'Limits can be changed again at any time; what was spent by then is spent.',
    cost: 'It may spend up to the new limits.',
  }),
  done: ({ run }: Acted, _: object, { limits, opened }: { readonly limits: Limits; readonly opened: boolean }) =>
    `${run}: limits are now ${limitsText(limits)}${opened ? '; it goes on' : ''}`,
  next: (run) => `${evolve(`watch ${run}`)} shows it`,
} as const satisfies Verb;

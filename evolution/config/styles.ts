// The styles of prompts: placeholders, and traits by which the rest of the system tells styles apart, never by name.

const COMMON = [
  'task',
  'problem',
  'advice',
  'parent',
  'code',
  'metrics',
  'idea',
  'hints',
  'edit_rules',
  'goal',
  'score_name',
  'direction',
] as const;
export const both = <const N extends readonly string[]>(names: N) => ({ system: names, user: names });
/** The placeholders that every style without a composer of its own has (activities/step/ask/prompts/compose.ts). */
const PLAIN = both([...COMMON, 'tried', 'programs', 'ancestors', 'returned']);
const GOAL = ['answer_form', 'improves', 'score_name', 'direction'] as const;

type StyleTraits = {
  /** The placeholders that each section of the template may name (docs/prompts.md, Templates). */
  readonly placeholders: { readonly [section: string]: readonly string[] };
  /** Lengths of the initial program that a prompt with so many other programs is likely to hold. */
  readonly growth: (others: number) => number;
  /** A prompt shows what was made in the run so far: attempts on the parent, other groups, the best program. */
  readonly showsAttempts: boolean;
  /** A prompt shows the parent; without it every parent must be the initial program. */
  readonly showsParent: boolean;
  /** The statement of the problem explains the metrics that the prompt shows. */
  readonly statesMetrics: boolean;
  /** An answer holds a delta beside its edits, and other programs are shown by theirs (DeltaEvolve 4.3). */
  readonly asksForDelta: boolean;
};

/** A search begins with a short program and goes on with longer ones. */
const GROWTH = 4;
/** The length of a delta, as a share of a program. */
const DELTA = 0.3;

const SEARCHING = {
  growth: (others: number) => GROWTH * (1 + others),
  showsAttempts: true,
  showsParent: true,
  statesMetrics: true,
  asksForDelta: false,
} as const;

export const STYLES = {
  theta: { ...SEARCHING, placeholders: PLAIN },
  openevolve: {
    ...SEARCHING,
    placeholders: both([
      ...COMMON,
      'tried',
      'information',
      'artifacts',
      'attempts',
      'best',
      'diverse',
      'inspirations',
      'programs',
      'returned',
    ]),
  },
  delta: {
    ...SEARCHING,
    growth: (others: number) => GROWTH * (1 + others * DELTA),
    asksForDelta: true,
    placeholders: both([...COMMON, 'tried', 'information', 'programs', 'returned', 'delta_rules', 'answer_form']),
  },
  conversation: {
    ...SEARCHING,
    placeholders: {
      ...both([
        'problem',
        'prompt',
        'limits',
        'parent',
        'inspirations',
        'failure',
        'tried',
        'returned',
        'idea',
        'hints',
        'edit_rules',
        'goal',
        'answer_form',
        'cpu_seconds',
        'memory',
        'score_name',
        'direction',
      ]),
      /** The user's turn of an earlier version. */
      ancestor: ['parent', 'back', 'score_name', 'direction'],
      /** The values of `goal`, where a group refines and where it explores. */
      exploit: GOAL,
      explore: GOAL,
    },
  },
  proposal: {
    ...SEARCHING,
    placeholders: both([...COMMON, 'tried', 'best', 'previous_idea', 'evolved_prompt', 'answer_form']),
  },
  'task-only': {
    placeholders: both(COMMON),
    growth: () => 1,
    showsAttempts: false,
    showsParent: false,
    statesMetrics: false,
    asksForDelta: false,
  },
} as const satisfies { readonly [style: string]: StyleTraits };

export type StyleName = keyof typeof STYLES;
export const STYLE_NAMES = Object.keys(STYLES) as [StyleName, ...StyleName[]];

/** The traits of the style that the settings name. */
export const styleOf = ({ prompt: { style } }: { readonly prompt: { readonly style: StyleName } }): StyleTraits =>
  STYLES[style];

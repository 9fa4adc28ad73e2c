// What templates hold and may name: of each template its sections, of each section its placeholders (docs/prompts.md, Templates). Used by the builders, which
// give a value to each, and by whoever reads templates.

const COMMON = ['task', 'parent', 'code', 'metrics', 'idea', 'hints', 'edit_rules', 'goal', 'score_name', 'direction'] as const;
const both = <const N extends readonly string[]>(names: N) => ({ system: names, user: names });
const GOAL = ['answer_form', 'improves', 'score_name', 'direction'] as const;

/** Of styles (`prompt.style`): what programs are asked for with. */
export const STYLE_PLACEHOLDERS = {
  theta: both([...COMMON, 'programs', 'ancestors', 'returned']),
  openevolve: both([...COMMON, 'information', 'artifacts', 'attempts', 'best', 'diverse', 'inspirations', 'programs', 'returned']),
  delta: both([...COMMON, 'information', 'programs', 'returned', 'delta_rules', 'answer_form']),
  proposal: both([...COMMON, 'previous_idea', 'evolved_prompt', 'answer_form']),
  conversation: {
    ...both(['prompt', 'parent', 'inspirations', 'failure', 'returned', 'idea', 'hints', 'edit_rules', 'goal', 'answer_form', 'cpu_seconds', 'memory', 'score_name', 'direction']),
    /** The user's turn of an earlier version. */
    ancestor: ['parent', 'back', 'score_name', 'direction'],
    /** `goal`, where a group refines and where it explores. */
    exploit: GOAL, explore: GOAL,
  },
  'task-only': both(COMMON),
} as const;

/** Of the calls beside programs: ideas, judgements, edited prompts, missing deltas. */
export const REQUEST_PLACEHOLDERS = {
  idea: both(['task', 'previous_idea', 'code', 'metrics', 'programs', 'hints', 'score_name', 'direction']),
  judge: { user: ['proposal', 'title', 'idea'] },
  meta: both(['prompt', 'parent', 'edit_rules']),
  repair: both(['delta_rules', 'before', 'summary', 'plan', 'patch', 'wanted']),
} as const;

const PLACEHOLDERS = { ...STYLE_PLACEHOLDERS, ...REQUEST_PLACEHOLDERS };

export type TemplateStyle = keyof typeof STYLE_PLACEHOLDERS;
export type TemplateName = keyof typeof PLACEHOLDERS;
export const TEMPLATE_NAMES = Object.keys(PLACEHOLDERS) as readonly TemplateName[];

type Sections<N extends TemplateName> = (typeof PLACEHOLDERS)[N];
export type SectionOf<N extends TemplateName> = keyof Sections<N> & string;
type NamesIn<T> = T extends readonly (infer Name extends string)[] ? Name : never;

/** A value for each placeholder of a template, or of one of its sections; empty: there is nothing to say. */
export type ValuesOf<N extends TemplateName, S extends SectionOf<N> = SectionOf<N>> = { readonly [name in NamesIn<Sections<N>[S]>]: string };

/** The placeholders of each section of a template. */
export const sectionsOf = <N extends TemplateName>(name: N): { readonly [section in SectionOf<N>]: readonly string[] } => PLACEHOLDERS[name] as never;

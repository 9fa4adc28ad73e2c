// What templates may name, style by style (docs/prompts.md, Templates). Used by the builders, which give a value to each, and by whoever reads templates.

const COMMON = ['task', 'parent', 'code', 'metrics', 'idea', 'hints', 'edit_rules', 'goal', 'score_name', 'direction'] as const;

export const PLACEHOLDERS = {
  theta: [...COMMON, 'programs', 'ancestors', 'returned'],
  openevolve: [...COMMON, 'information', 'artifacts', 'attempts', 'best', 'diverse', 'inspirations', 'programs', 'returned'],
  delta: [...COMMON, 'information', 'programs', 'returned', 'delta_rules'],
  proposal: [...COMMON, 'previous_idea', 'evolved_prompt'],
} as const;

/** Styles whose prompts are templates. */
export type TemplateStyle = keyof typeof PLACEHOLDERS;
export const TEMPLATE_STYLES = Object.keys(PLACEHOLDERS) as readonly TemplateStyle[];

/** A value for each placeholder; empty: there is nothing to say. */
export type ValuesOf<S extends TemplateStyle> = { readonly [name in (typeof PLACEHOLDERS)[S][number]]: string };

// The template of a style: the task's own, else the shipped one beside this file (docs/prompts.md, Templates). Called by compose.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLACEHOLDERS, type TemplateStyle } from '../../evolution/prompts/placeholders.ts';
import { parseTemplate, type Template } from '../../evolution/prompts/template.ts';
import type { Task } from '../../evolution/task.ts';

const shipped = new Map<TemplateStyle, Template>();

export const hasTemplate = (style: string): style is TemplateStyle => Object.hasOwn(PLACEHOLDERS, style);

/** The task's template was checked when the task was loaded. */
export const templateFor = (style: TemplateStyle, { id, templates }: Pick<Task, 'id' | 'templates'>): Template => {
  const own = templates?.[style];
  return own === undefined ? shippedTemplate(style) : read(style, own, join('tasks', id, 'prompts', `${style}.md`));
};

/** Read once a process. */
export const shippedTemplate = (style: TemplateStyle): Template => {
  const file = join(import.meta.dirname, 'templates', `${style}.md`);
  const template = shipped.get(style) ?? read(style, readFileSync(file, 'utf8'), file);
  shipped.set(style, template);
  return template;
};

const read = (style: TemplateStyle, text: string, file: string): Template => {
  const parsed = parseTemplate(text, { file, known: PLACEHOLDERS[style] });
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.template;
};

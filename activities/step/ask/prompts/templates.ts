// Gives the template of a style or of a request beside programs: the task's own, or else the shipped one in this folder
// (docs/prompts.md, Templates).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  parseTemplate,
  sectionsOf,
  type TemplateName,
  type TemplateOf,
} from '../../../../evolution/prompts/parts/template.ts';
import type { Task } from '../../../../evolution/task/task.ts';

const shipped = new Map<TemplateName, TemplateOf<TemplateName>>();

/** The task's own template was checked when the task was loaded. */
export const templateFor = <N extends TemplateName>(
  name: N,
  { id, templates }: Pick<Task, 'id' | 'templates'>,
): TemplateOf<N> => {
  const own = templates?.[name];
  return own === undefined ? shippedTemplate(name) : read(name, own, join('tasks', id, 'prompts', `${name}.md`));
};

/** Read once in each process. */
export const shippedTemplate = <N extends TemplateName>(name: N): TemplateOf<N> => {
  const file = join(import.meta.dirname, 'templates', `${name}.md`);
  const template = (shipped.get(name) as TemplateOf<N> | undefined) ?? read(name, readFileSync(file, 'utf8'), file);
  shipped.set(name, template);
  return template;
};

const read = <N extends TemplateName>(name: N, text: string, file: string): TemplateOf<N> => {
  const parsed = parseTemplate(text, { file, sections: sectionsOf(name) });
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.template;
};

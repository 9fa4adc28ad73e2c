// Gives the template of a style or of a request beside programs: the task's own, or else the shipped one in this folder
// (docs/prompts.md, Templates).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  parseTemplate,
  sectionsOf,
  type TemplateName,
  type TemplateOf,
} from '../../../../evolution/prompts/parts/template.ts';
import type { PromptSettings } from '../../../../evolution/config/run-config.ts';
import type { Task } from '../../../../evolution/task/task.ts';

type Frame = PromptSettings['frame'];
const shipped = new Map<string, TemplateOf<TemplateName>>();

/** The task's own template was checked when the task was loaded. */
export const templateFor = <N extends TemplateName>(
  name: N,
  { id, templates }: Pick<Task, 'id' | 'templates'>,
  frame: Frame = 'common',
): TemplateOf<N> => {
  const own = templates?.[name];
  return own === undefined ? shippedTemplate(name, frame) : read(name, own, join('tasks', id, 'prompts', `${name}.md`));
};

/** Read once in each process. The papers' form has the order of the papers, where a template of it stands. */
export const shippedTemplate = <N extends TemplateName>(name: N, frame: Frame = 'common'): TemplateOf<N> => {
  const key = `${frame} ${name}`;
  const known = shipped.get(key) as TemplateOf<N> | undefined;
  if (known !== undefined) return known;
  const folder = join(import.meta.dirname, 'templates');
  const paper = join(folder, 'paper', `${name}.md`);
  const file = frame === 'paper' && existsSync(paper) ? paper : join(folder, `${name}.md`);
  const template = read(name, readFileSync(file, 'utf8'), file);
  shipped.set(key, template);
  return template;
};

const read = <N extends TemplateName>(name: N, text: string, file: string): TemplateOf<N> => {
  const parsed = parseTemplate(text, { file, sections: sectionsOf(name) });
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.template;
};

// A task's own templates of prompts, `prompts/<style>.md` of its folder, checked (docs/prompts.md, Templates). Called by load-task.ts.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { PLACEHOLDERS, TEMPLATE_STYLES } from '../../evolution/prompts/placeholders.ts';
import { parseTemplate } from '../../evolution/prompts/template.ts';
import type { Task } from '../../evolution/task.ts';
import { TaskError } from './read-yaml.ts';
import type { TaskFile } from './task-schema.ts';

/** Styles that fill no template: a file of that name would be read by nobody. */
const WITHOUT: readonly string[] = ['conversation', 'task-only'];

/** None: undefined. Throws TaskError with file and line of every problem. */
export const readTemplates = async (folder: string, { prompts }: Pick<TaskFile, 'prompts'>): Promise<Task['templates']> => {
  const parts = new Set(prompts.map(({ file }) => normalize(file)));
  const problems: string[] = [];
  const found: { [style: string]: string } = {};
  for (const style of WITHOUT) {
    const file = join('prompts', `${style}.md`);
    if (existsSync(join(folder, file)) && !parts.has(file)) problems.push(`${join(folder, file)}:1: style ${style} has no template: expected one of ${TEMPLATE_STYLES.join(', ')}`);
  }
  for (const style of TEMPLATE_STYLES) {
    const file = join('prompts', `${style}.md`);
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    if (parts.has(file)) {
      problems.push(`${path}:1: this is the name of the template of style ${style}, and task.yaml lists the file as a prompt: give the prompt's file another name`);
      continue;
    }
    const text = await readFile(path, 'utf8').catch((error: Error) => { throw new TaskError(`${path}: expected a template, got ${error.message}`, { cause: error }); });
    const parsed = parseTemplate(text, { file: path, known: PLACEHOLDERS[style] });
    if (parsed.kind === 'problems') problems.push(...parsed.problems);
    else found[style] = text;
  }
  if (problems.length > 0) throw new TaskError(problems.join('\n'));
  return Object.keys(found).length === 0 ? undefined : found;
};

// A task's own templates of prompts, `prompts/<name>.md` of its folder, checked (docs/prompts.md, Templates). Called by load-task.ts.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { sectionsOf, TEMPLATE_NAMES } from '../../evolution/prompts/placeholders.ts';
import { parseTemplate } from '../../evolution/prompts/template.ts';
import type { Task } from '../../evolution/task.ts';
import { TaskError } from './read-yaml.ts';
import type { TaskFile } from './task-schema.ts';

/** None: undefined. Throws TaskError with file and line of every problem. */
export const readTemplates = async (folder: string, { prompts }: Pick<TaskFile, 'prompts'>): Promise<Task['templates']> => {
  const parts = new Set(prompts.map(({ file }) => normalize(file)));
  const problems: string[] = [];
  const found: { [name: string]: string } = {};
  for (const name of TEMPLATE_NAMES) {
    const file = join('prompts', `${name}.md`);
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    if (parts.has(file)) {
      problems.push(`${path}:1: this is the name of the template ${name}, and task.yaml lists the file as a prompt: give the prompt's file another name`);
      continue;
    }
    const text = await readFile(path, 'utf8').catch((error: Error) => { throw new TaskError(`${path}: expected a template, got ${error.message}`, { cause: error }); });
    const parsed = parseTemplate(text, { file: path, sections: sectionsOf(name) });
    if (parsed.kind === 'problems') problems.push(...parsed.problems);
    else found[name] = text;
  }
  if (problems.length > 0) throw new TaskError(problems.join('\n'));
  return Object.keys(found).length === 0 ? undefined : found;
};

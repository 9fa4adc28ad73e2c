// Reads YAML against a schema; every error names file, line and key.
import { normalize } from 'node:path';
import type { z } from 'zod';
import { readYamlText } from '../../evolution/config/yaml.ts';
import { parseTemplate, sectionsOf, TEMPLATE_NAMES } from '../../evolution/prompts/parts/template.ts';
import type { Task } from '../../evolution/task/task.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

/** A rule that the schema cannot say: the path of the key, and what is wrong with it. */
type Broken = readonly [path: readonly (string | number)[], problem: string];

/** `file`: how messages name it. `rules` are checked where the schema finds nothing. */
export const readYaml = <T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  rules: (value: T) => readonly Broken[] = () => [],
): T => {
  const read = readYamlText(text);
  if (read.kind === 'problems')
    throw new TaskError(read.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join('\n'));
  if (read.value === undefined) throw new TaskError(`${file}:1: expected a task, got an empty file`);
  const parsed = schema.safeParse(read.value);
  const broken = parsed.success ? rules(parsed.data) : parsed.error.issues.map(brokenBy);
  if (parsed.success && broken.length === 0) return parsed.data;
  throw new TaskError(
    broken
      .map(([path, problem]) => `${file}:${read.placeOf(path).line}: ${path.join('.') || 'the file'}: ${problem}`)
      .join('\n'),
  );
};

const brokenBy = (issue: z.core.$ZodIssue): Broken => {
  const path = issue.path as Broken[0];
  return issue.code === 'unrecognized_keys' ? [[...path, issue.keys[0]!], 'unknown key'] : [path, issue.message];
};

/**
 * Reads and checks a task's own templates of prompts, `prompts/<name>.md` of its folder (docs/prompts.md, Templates).
 * Undefined where it has none. Throws TaskError with file and line of every problem.
 */
export const readTemplates = async (
  files: TaskFiles,
  { prompts }: Pick<TaskFile, 'prompts'>,
): Promise<Task['templates']> => {
  const parts = new Set(prompts.map(({ file }) => normalize(file)));
  const problems: string[] = [];
  const found: { [name: string]: string } = {};
  for (const name of TEMPLATE_NAMES) {
    const file = `prompts/${name}.md`;
    const path = files.place(file);
    if (!files.has(file)) continue;
    if (parts.has(file)) {
      problems.push(
        `${path}:1: this is the name of the template ${name}, and task.yaml lists the file as a prompt: give the prompt's file another name`,
      );
      continue;
    }
    const text = await files.text(file);
    const parsed = parseTemplate(text, { file: path, sections: sectionsOf(name) });
    if (parsed.kind === 'problems') problems.push(...parsed.problems);
    else found[name] = text;
  }
  if (problems.length > 0) throw new TaskError(problems.join('\n'));
  return Object.keys(found).length === 0 ? undefined : found;
};

type Values = { readonly [name: string]: string };

/** Shows numbers with ten significant digits, because three decimals would hide all progress near a record. */
export const shown = (value: unknown): string =>
  typeof value === 'number'
    ? String(Number(value.toPrecision(10)))
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** The most characters that values may add to one prompt text. */
const MOST_FILLED = 4_000_000;

/**
 * Fills {placeholders} of a prompt text. `{{name}}` stands for `{name}` itself, and all other braces are text. Throws
 * with the line where the values become too long.
 */
export const fillPlaceholders = (text: string, values: Values): string => {
  let filled = 0;
  return text.replace(
    /\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}/g,
    (found: string, literal: string | undefined, name: string | undefined, at: number) => {
      if (literal !== undefined) return `{${literal}}`;
      const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return found;
      filled += value.length;
      if (filled <= MOST_FILLED) return value;
      const line = text.slice(0, at).split('\n').length;
      throw new Error(`${line}: expected placeholders that stand for at most ${MOST_FILLED} characters, got more`);
    },
  );
};

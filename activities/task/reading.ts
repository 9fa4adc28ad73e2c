// Reads YAML against a schema; every error names file, line and key.
import { normalize } from 'node:path';
import { type Document, isMap, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { parseTemplate, sectionsOf, TEMPLATE_NAMES } from '../../evolution/prompts/template.ts';
import type { Task } from '../../evolution/task.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

type Position = { readonly document: Document; readonly lines: LineCounter; readonly file: string };

const offsetOf = (document: Document, path: readonly PropertyKey[]): number => {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = document.getIn(path.slice(0, depth - 1), true);
    const pair = isMap(parent)
      ? parent.items.find((item) => String((item.key as { value?: unknown } | null)?.value) === String(path[depth - 1]))
      : undefined;
    const node = (pair?.key ?? document.getIn(path.slice(0, depth), true)) as Node | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
};

const describe = ({ document, lines, file }: Position, issue: z.core.$ZodIssue): string => {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = unknown === undefined ? issue.path : [...issue.path, unknown];
  const { line } = lines.linePos(offsetOf(document, path));
  return `${file}:${line}: ${path.map(String).join('.') || 'the file'}: ${unknown === undefined ? issue.message : 'unknown key'}`;
};

/** `file`: how messages name it. */
export const readYaml = <T>(file: string, text: string, schema: z.ZodType<T>): T => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken) throw new TaskError(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message}`);
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  throw new TaskError(parsed.error.issues.map((issue) => describe({ document, lines, file }, issue)).join('\n'));
};

// A task's own templates of prompts, `prompts/<name>.md` of its folder, checked (docs/prompts.md, Templates).
/** None: undefined. Throws TaskError with file and line of every problem. */
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

// Fills {placeholders} of a prompt text; `{{` and `}}` stand for braces. Pure.
type Values = { readonly [name: string]: string };

/** Ten significant digits: three decimals would hide all progress near a record. */
export const shown = (value: unknown): string =>
  typeof value === 'number'
    ? String(Number(value.toPrecision(10)))
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** Throws with the line of the first placeholder that has no value, or of a lone brace. */
export const fillPlaceholders = (text: string, values: Values): string =>
  text.replace(/\{\{|\}\}|\{([A-Za-z_]\w*)\}|[{}]/g, (found: string, name: string | undefined, at: number) => {
    if (found === '{{') return '{';
    if (found === '}}') return '}';
    const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const line = text.slice(0, at).split('\n').length;
    throw new Error(
      name === undefined
        ? `${line}: a lone ${found}: write ${found}${found} for a brace`
        : `${line}: unknown placeholder {${name}}: expected one of ${Object.keys(values).join(', ')}`,
    );
  });

// Reads a YAML file against a schema; every error names file, line and key. Called by load-task.ts.
import { readFile } from 'node:fs/promises';
import { isMap, LineCounter, parseDocument } from 'yaml';
import type { Document, Node } from 'yaml';
import type { z } from 'zod';

export class TaskError extends Error {
  override readonly name = 'TaskError';
}

type Position = { readonly document: Document; readonly lines: LineCounter; readonly file: string };

const offsetOf = (document: Document, path: readonly PropertyKey[]): number => {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = document.getIn(path.slice(0, depth - 1), true);
    const pair = isMap(parent) ? parent.items.find(item => String((item.key as { value?: unknown } | null)?.value) === String(path[depth - 1])) : undefined;
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

export const readYaml = async <T>(file: string, schema: z.ZodType<T>): Promise<T> => {
  const text = await readFile(file, 'utf8').catch((error: Error) => { throw new TaskError(`${file}: ${error.message}`, { cause: error }); });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken) throw new TaskError(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message}`);
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  throw new TaskError(parsed.error.issues.map(issue => describe({ document, lines, file }, issue)).join('\n'));
};

// A task's own templates of prompts: read with the task, refused with file and line before anything starts.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadTask, TaskError } from '../../activities/task/load-task.ts';

const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tasks-'));
  for (const folder of [ID, 'library']) await cp(join(import.meta.dirname, '..', '..', 'tasks', folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

const write = (file: string, ...lines: readonly string[]): Promise<void> => writeFile(join(root, ID, 'prompts', file), lines.join('\n'));
const failure = async (): Promise<string> => loadTask(ID, root).then(() => 'it loaded', (error: Error) => {
  expect(error).toBeInstanceOf(TaskError);
  return error.message.replaceAll(join(root, ID), '');
});
const head = ['<!-- section: system -->', 'S', '<!-- section: user -->'];

test('a task without templates has none; a template is kept as text and leaves prompts and digest as they were', async () => {
  const before = await loadTask(ID, root);
  expect(before).not.toHaveProperty('templates');
  await write('delta.md', ...head, '{{programs}}');
  await write('notes.md', 'read by nobody');
  expect(await loadTask(ID, root)).toEqual({ ...before, templates: { delta: [...head, '{{programs}}'].join('\n') } });
});
test('an unknown placeholder is an error with file and line, and the nearest known name', async () => {
  await write('theta.md', ...head, '{{task}}', '{{paernt}}');
  expect(await failure()).toMatch(/^\/prompts\/theta\.md:5: unknown placeholder \{\{paernt\}\}: did you mean \{\{parent\}\}\? expected one of task, parent, /);
});
test('a placeholder of another style is unknown', async () => {
  await write('proposal.md', ...head, '{{ancestors}}');
  expect(await failure()).toContain('/prompts/proposal.md:4: unknown placeholder {{ancestors}}: expected one of task, ');
});
test('problems of several templates are named together', async () => {
  await write('theta.md', ...head.slice(0, 2));
  await write('delta.md', ...head, '{{task');
  expect((await failure()).split('\n').map((line) => line.split(': ')[0])).toEqual(['/prompts/theta.md:2', '/prompts/delta.md:4']);
});
test('a template of a style that fills none is refused, not overlooked', async () => {
  await write('conversation.md', ...head, '{{task}}');
  expect(await failure()).toBe('/prompts/conversation.md:1: style conversation has no template: expected one of theta, openevolve, delta, proposal');
});
test('a part of the task\'s words may not have a template\'s name', async () => {
  await cp(join(root, ID, 'prompts', 'plateau.md'), join(root, ID, 'prompts', 'delta.md'));
  const yaml = join(root, ID, 'task.yaml');
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('prompts/plateau.md', './prompts/delta.md'));
  expect(await failure()).toContain('/prompts/delta.md:1: this is the name of the template of style delta');
});

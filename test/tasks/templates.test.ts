// A task's own templates of prompts: read with the task, refused with file and line before anything starts.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { taskDigest } from '../../activities/task/task-digest.ts';
import { loadTask } from '../../activities/task/load-task.ts';
import { TaskError } from '../../activities/task/task-files.ts';

const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tasks-'));
  for (const folder of [ID, 'library'])
    await cp(join(import.meta.dirname, '..', '..', 'tasks', folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

const write = (file: string, ...lines: readonly string[]): Promise<void> =>
  writeFile(join(root, ID, 'prompts', file), lines.join('\n'));
const failure = async (): Promise<string> =>
  loadTask(ID, root).then(
    () => 'it loaded',
    (error: Error) => {
      expect(error).toBeInstanceOf(TaskError);
      return error.message.replaceAll(join(root, ID), '');
    },
  );
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
  expect(await failure()).toMatch(
    /^\/prompts\/theta\.md:5: unknown placeholder \{\{paernt\}\}: did you mean \{\{parent\}\}\? expected one of task, problem, advice, parent, /,
  );
});
test('a placeholder of another style is unknown', async () => {
  await write('proposal.md', ...head, '{{ancestors}}');
  expect(await failure()).toContain(
    '/prompts/proposal.md:4: unknown placeholder {{ancestors}}: expected one of task, ',
  );
});
test('problems of several templates are named together', async () => {
  await write('theta.md', ...head.slice(0, 2));
  await write('delta.md', ...head, '{{task');
  expect((await failure()).split('\n').map((line) => line.split(': ')[0])).toEqual([
    '/prompts/theta.md:2',
    '/prompts/delta.md:4',
  ]);
});
test('a template of a conversation has five sections; each has its own placeholders', async () => {
  await write(
    'conversation.md',
    '<!-- section: system -->',
    '{{prompt}}',
    '<!-- section: ancestor -->',
    '{{parent}}',
    '{{hints}}',
    '<!-- section: user -->',
    '{{goal}}',
    '<!-- section: exploit -->',
    'Refine.',
  );
  expect((await failure()).split('\n')).toEqual([
    '/prompts/conversation.md:5: unknown placeholder {{hints}}: expected one of parent, back, score_name, direction',
    '/prompts/conversation.md:9: missing section explore: expected a line <!-- section: explore -->, got system, ancestor, user, exploit',
  ]);
});
test.each([
  [
    'idea',
    '{{previous_ide}}',
    'unknown placeholder {{previous_ide}}: did you mean {{previous_idea}}? expected one of task, problem, advice, aim, tried, best, previous_idea, ',
  ],
  [
    'meta',
    '{{promt}}',
    'unknown placeholder {{promt}}: did you mean {{prompt}}? expected one of prompt, parent, tried, problem, edit_rules',
  ],
  ['repair', '{{code}}', 'unknown placeholder {{code}}: expected one of delta_rules, before, '],
  ['task-only', '{{ancestors}}', 'unknown placeholder {{ancestors}}: expected one of task, problem, advice, parent, '],
])('an unknown placeholder of %s is an error with file and line', async (name, text, problem) => {
  await write(`${name}.md`, ...head, 'U', text);
  expect(await failure()).toContain(`/prompts/${name}.md:5: ${problem}`);
});
test('a judge is asked in one user message: a system section is an error', async () => {
  await write('judge.md', ...head, '{{proposal}}');
  expect(await failure()).toBe('/prompts/judge.md:1: unknown section "system": expected user, once each');
});
test("a part of the task's words may not have a template's name", async () => {
  await cp(join(root, ID, 'prompts', 'plateau.md'), join(root, ID, 'prompts', 'delta.md'));
  const yaml = join(root, ID, 'task.yaml');
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('prompts/plateau.md', './prompts/delta.md'));
  expect(await failure()).toContain(
    '/prompts/delta.md:1: this is the name of the template delta, and task.yaml lists the file as a prompt',
  );
});

test("words and templates are part of the task's digest, and of no evaluation's", async () => {
  const digests = async () => {
    const task = await loadTask(ID, root);
    return [taskDigest(task), task.evaluatorDigest] as const;
  };
  const [task, evaluator] = await digests();
  expect(await digests()).toEqual([task, evaluator]);
  await write('delta.md', ...head, '{{programs}}');
  const [withTemplate, same] = await digests();
  expect([withTemplate === task, same]).toEqual([false, evaluator]);
  await write('delta.md', ...head, '{{programs}}', '{{code}}');
  expect((await digests())[0]).not.toBe(withTemplate);
  await write('delta.md', ...head, '{{programs}}');
  expect(await digests()).toEqual([withTemplate, evaluator]);
  await write('plateau.md', 'Other words.');
  const [words, still] = await digests();
  expect([words === withTemplate, still]).toEqual([false, evaluator]);
});

// The texts of a task's folder from elsewhere are read in time that grows with their length: the worker that reads them
// serves other runs, too.
// Attempts: files, settings and the machine.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTask } from '../../../activities/task/load-task.ts';
import { fillPlaceholders } from '../../../activities/task/reading.ts';
import { docstringOf, hasBlock, marked } from '../../../activities/task/script.ts';
import { writeScaffold } from '../../../client/tasks/task-folder.ts';
import { parseTemplate, sectionsOf } from '../../../evolution/prompts/parts/template.ts';

const root = mkdtempSync(join(tmpdir(), 'task-texts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A reader that takes the square of these lengths needs a minute and more, and one that does not some milliseconds. */
const MOST_CPU_MS = 15_000;
const LINES = 200_000;
const cheap = async (work: () => unknown): Promise<void> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(MOST_CPU_MS);
};

test.each(['\n', '\r', '\u2028'])('empty lines without end in an initial program (%j)', async (end) => {
  const folder = join(root, `empty-lines-${end.charCodeAt(0)}`);
  writeScaffold('solution', `empty-lines-${end.charCodeAt(0)}`, folder);
  const text = `x = 1${end.repeat(LINES)}y = 2\n`;
  writeFileSync(join(folder, 'initial.py'), text);
  await cheap(() => expect(readTask(folder)).rejects.toThrow('expected a line "# EVOLVE-BLOCK-START"'));
  appendFileSync(join(folder, 'initial.py'), '# EVOLVE-BLOCK-START\ndef construct(instance):\n  return 1\n');
  appendFileSync(join(folder, 'initial.py'), '  # EVOLVE-BLOCK-END\r\n');
  await cheap(async () => expect((await readTask(folder)).initialProgram).toContain('y = 2'));
});

test('blanks without end in a line of a template that begins like a section', async () => {
  const read = (text: string) => parseTemplate(text, { file: 'delta.md', sections: sectionsOf('delta') });
  for (const text of ['<!-- section:', '<!-- section: system', '<!--', ''])
    await cheap(() => expect(read(`${text}${' '.repeat(LINES)}x`).kind).toBe('problems'));
  expect(read('  <!--  section :  system   --> \r\n{{nothing}}')).toMatchObject({
    problems: [expect.stringContaining('delta.md:2: '), ...Array(1).fill(expect.stringContaining('delta.md:'))],
  });
});

test('placeholders that stand for more than memory holds', () => {
  const values = { size: 'x'.repeat(100_000) };
  expect(fillPlaceholders('{size}\n'.repeat(40), values)).toHaveLength(40 * 100_001);
  expect(() => fillPlaceholders('{size}\n'.repeat(100_000), values)).toThrow(
    '41: expected placeholders that stand for at most 4000000 characters',
  );
});

test('mistakes without end in a template are told in some lines', () => {
  const read = parseTemplate('x\n'.repeat(10_000), { file: 'delta.md', sections: sectionsOf('delta') });
  expect(read.kind === 'problems' && read.problems.length).toBe(20);
});

test('block markers without end in a program without a block', async () => {
  const many = `def f():\n  return 1\n${'\n# EVOLVE-BLOCK\n'.repeat(LINES / 2)}`;
  await cheap(() => expect(hasBlock(many)).toBe(false));
  expect(hasBlock('import os\r\n  # EVOLVE-BLOCK-START\r\ndef f():\r\n  return 1\r\n# EVOLVE-BLOCK-END\r\n')).toBe(
    true,
  );
  expect(marked('initial.py', many)).toBe(many);
  expect(marked('initial.cpp', 'int x;\n')).toBe('// EVOLVE-BLOCK-START\nint x;\n// EVOLVE-BLOCK-END\n');
});

test("an evaluator's docstring, behind comments without end", async () => {
  await cheap(() => expect(docstringOf(`${'# x\n'.repeat(LINES)}"""Sort fast."""\n`)).toBe('Sort fast.'));
  await cheap(() => expect(docstringOf(`${'#\n\n'.repeat(LINES)}import os\n`)).toBe(''));
});

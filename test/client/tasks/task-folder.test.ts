// evolve task: what is made by `new` passes its check, an OpenEvolve example becomes a task that runs, mistakes are
// named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Benches } from '../../../activities/check/bench.ts';
import { createForkBenches } from '../../support/domain/benches.ts';
import { checkTask } from '../../../activities/check/check-task.ts';
import { loadTask, readTask } from '../../../activities/task/load-task.ts';
import { taskTable } from '../../../cli/commands/tasks/task-list.ts';
import { entryOf, importOpenEvolve, WARNING, writeImported } from '../../../client/tasks/import-openevolve.ts';
import { newFolder, taskFolder, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { dockerHost, never, testHome, testImage } from '../../activities/sandbox/levels/docker.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-task-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('in containers', () => {
  let benches: Benches;
  beforeAll(async () => {
    benches = createForkBenches({
      dockerHost,
      image: await testImage(),
      home: testHome(),
      concurrency: 2,
      log: () => undefined,
    });
  });
  afterAll(() => benches.close());

  for (const kind of ['solution', 'function'] as const)
    test(`a new ${kind} task is whole and scores what it says`, async () => {
      const id = `my-${kind}-2`;
      const folder = newFolder(id, root);
      writeScaffold(kind, id, folder);
      const findings = await checkTask(folder, {
        bench: benches.make,
        parts: ['files', 'golden', 'honest', 'gold', 'initial'],
      });
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      expect(findings.length).toBeGreaterThan(15);
    });

  test('a bare task runs as it is, and all of its findings are about the program', async () => {
    const folder = newFolder('bare', root);
    writeScaffold('bare', 'bare', folder);
    const findings = await checkTask(await taskFolder(folder), { bench: benches.make, parts: ['initial'] });
    expect(findings.map(({ check, ok }) => [check, ok])).toContainEqual(['initial: score', true]);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('an OpenEvolve example runs isolated and is ranked by its combined score', async () => {
    const from = mkdtempSync(join(root, 'example-'));
    writeFileSync(
      join(from, 'initial_program.py'),
      'def helper():\n    return 3\n\ndef run_search():\n    return helper() * 2.0\n',
    );
    writeFileSync(
      join(from, 'evaluator.py'),
      `import importlib.util
from openevolve.evaluation_result import EvaluationResult
def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return EvaluationResult(metrics={"combined_score": program.run_search(), "bad": float("nan")}, artifacts={"log": "x"})
`,
    );
    writeFileSync(
      join(from, 'config.yaml'),
      'prompt:\n  system_message: "Make {it} large."\nevaluator:\n  timeout: 20\n',
    );
    const imported = importOpenEvolve(from, 'imported');
    expect(imported.entry).toBe('run_search');
    expect(imported.notes[0]).toBe(WARNING);
    const folder = newFolder('imported', root);
    writeImported(imported, folder);
    const task = await readTask(folder);
    expect(task.prompts[0]!.text).toContain('Make {it} large.');
    expect(task.limits.cpuSeconds).toBe(20);
    const bench = benches.make(task);
    const result = await bench.evaluator.evaluate(
      { key: 'oe', run: 'test', code: task.initialProgram, seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
      never(),
    );
    await bench.close();
    expect(result).toMatchObject({ outcome: 'valid', score: 6, metrics: { bad: 'nan' }, isolation: 'fork' });
  });
});

describe('mistakes', () => {
  test('an id that is no kebab-case and a folder that is there are refused', () => {
    expect(() => newFolder('My_Task', root)).toThrow(
      'expected an id in kebab-case such as my-problem-12, got "My_Task"',
    );
    expect(() => newFolder('circle-packing-square-26', undefined)).toThrow('exists already');
  });
  test('an unknown task names the known ones and the form of a path', async () => {
    await expect(taskFolder('nope')).rejects.toThrow(
      /unknown task "nope": expected the path of a folder with a task.yaml, or one of .*circle-packing-square-26/,
    );
  });
  test('an example without an evaluator, or with one of another form, is refused with its file', () => {
    const from = mkdtempSync(join(root, 'bad-'));
    writeFileSync(join(from, 'initial_program.py'), 'def f():\n    return 1\n');
    expect(() => importOpenEvolve(from, 'bad')).toThrow(/evaluator\.py: expected this file/);
    writeFileSync(join(from, 'evaluator.py'), 'score = 1\n');
    expect(() => importOpenEvolve(from, 'bad')).toThrow(/evaluator\.py: expected a function evaluate\(program_path\)/);
    expect(() => entryOf('x = 1\n', '')).toThrow('expected at least one function');
  });
  test('an example whose imports are closed, or whose words name limits, is imported and told of both', async () => {
    const from = mkdtempSync(join(root, 'closed-'));
    const block = '# EVOLVE-BLOCK-START\ndef f():\n    return np.pi\n# EVOLVE-BLOCK-END\n';
    writeFileSync(join(from, 'initial_program.py'), `import numpy as np\n${block}`);
    writeFileSync(join(from, 'evaluator.py'), 'def evaluate(path):\n    return {}\n');
    writeFileSync(join(from, 'config.yaml'), 'prompt:\n  system_message: "Be quick.\\nYou have 30 seconds."\n');
    const imported = importOpenEvolve(from, 'closed');
    expect(imported.notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^initial\.py:1: expected imports inside the EVOLVE-BLOCK.*"import numpy as np" outside$/,
        ),
        expect.stringMatching(/^prompts\/task\.md:2: expected no seconds.*"30 seconds"/),
      ]),
    );
    const folder = newFolder('closed', root);
    writeImported(imported, folder);
    expect(await readTask(folder)).toMatchObject({ problem: null, prompts: [{ name: 'task' }] });
  });
});

test('the table of tasks has a line for each, with direction and reference values', async () => {
  const [head, first] = taskTable([await loadTask('circle-packing-square-26')]);
  expect(head).toMatch(/^task\s+kind\s+score\s+initial\s+best known\s+papers$/);
  expect(first).toContain('sum_radii ↑');
});

// evolve task: what is made by `new` passes its check, a folder of a person's own files runs as a task, mistakes
// are named.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Benches } from '../../../activities/check/bench.ts';
import { createDockerBenches, createForkBenches } from '../../support/domain/benches.ts';
import { checkTask } from '../../../activities/check/check-task.ts';
import { loadTask, readTask } from '../../../activities/task/load-task.ts';
import { taskTable } from '../../../cli/commands/tasks/task-list.ts';
import { initTask } from '../../../client/tasks/init-task.ts';
import { newFolder, taskFolder, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { dockerHost, never, testHome, testImage } from '../../activities/sandbox/levels/docker.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-task-'));
afterAll(() => rmSync(root, { recursive: true }));

test('an example is written beside what is there, which stays', () => {
  const folder = mkdtempSync(join(root, 'mine-'));
  writeFileSync(join(folder, 'notes.md'), '__ID__');
  const files = ['evaluator.py', 'initial.py', 'run.yaml', 'task.yaml'];
  expect(writeScaffold('bare', 'mine', folder).toSorted()).toEqual(files);
  expect(readdirSync(folder).toSorted()).toEqual([...files, 'notes.md'].toSorted());
  expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('__ID__');
});

describe('in containers', () => {
  let [benches, single]: Benches[] = [];
  beforeAll(async () => {
    const place = { dockerHost, image: await testImage(), home: testHome(), concurrency: 2, log: () => undefined };
    [benches, single] = [createForkBenches(place), createDockerBenches(place)];
  });
  afterAll(() => Promise.all([benches!.close(), single!.close()]));

  for (const kind of ['solution', 'function'] as const)
    test(`a new ${kind} task is whole and scores what it says`, async () => {
      const id = `my-${kind}-2`;
      const folder = newFolder(id, root);
      writeScaffold(kind, id, folder);
      const findings = await checkTask(folder, {
        bench: benches!.make,
        parts: ['files', 'golden', 'honest', 'gold', 'initial'],
      });
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      expect(findings.length).toBeGreaterThan(15);
    });

  test('a bare task runs as it is, and all of its findings are about the program', async () => {
    const folder = newFolder('bare', root);
    writeScaffold('bare', 'bare', folder);
    const findings = await checkTask(await taskFolder(folder), { bench: benches!.make, parts: ['initial'] });
    expect(findings.map(({ check, ok }) => [check, ok])).toContainEqual(['initial: score', true]);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  for (const level of ['fork', 'docker'] as const)
    test(`a folder of an evaluator, a program and data is a task, and runs isolated on ${level}`, async () => {
      const { folder } = await initTask([exampleFolder(root)], {}, null);
      const task = await readTask(folder);
      expect(task).toMatchObject({ kind: 'script', direction: 'maximise', scoreName: 'combined_score' });
      const bench = (level === 'fork' ? benches : single)!.make(task);
      const job = { run: 'test', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' } as const;
      const run = (key: string, code: string) => bench.evaluator.evaluate({ ...job, key, code }, never());
      const told = { outcome: 'valid', score: 6, metrics: { bad: 'nan', rows: 2 }, isolation: level };
      expect(await run('first', task.initialProgram)).toMatchObject(told);
      // What one program leaves in the modules and the folder is not there for the next.
      const spoiling = 'import siblings\nsiblings.ROWS = 99\nopen("data.csv", "a").write("9,9\\n")\n';
      await run('spoils', `${task.initialProgram}\n${spoiling}`);
      expect(await run('second', task.initialProgram)).toMatchObject(told);
      const broken = await run('broken', 'def run_search():\n    return [][1]\n');
      expect(broken).toMatchObject({ outcome: 'no_solution', score: null });
      expect(broken.reasons[0]).toBe('IndexError: list index out of range (initial_program.py, line 2)');
      await bench.close();
    });
});

/** As OpenEvolve's examples are, with a sibling module and data. */
const exampleFolder = (where: string): string => {
  const from = mkdtempSync(join(where, 'My_Example-'));
  const files = {
    'initial_program.py': 'def helper():\n    return 3\n\ndef run_search():\n    return helper() * 2.0\n',
    'data.csv': 'x,y\n1,2\n3,4\n',
    'siblings.py': 'import csv\nROWS = len(list(csv.DictReader(open("data.csv"))))\n',
    'evaluator.py': `import importlib.util, siblings
from openevolve.evaluation_result import EvaluationResult
def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return EvaluationResult(metrics={"combined_score": program.run_search(), "bad": float("nan"), "rows": siblings.ROWS}, artifacts={"log": "x"})
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(from, name), text);
  return from;
};

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
});

test('the table of tasks has a line for each, with direction and reference values', async () => {
  const [head, first] = taskTable([await loadTask('circle-packing-square-26')]);
  expect(head).toMatch(/^task\s+kind\s+score\s+initial\s+best known\s+papers$/);
  expect(first).toContain('sum_radii ↑');
});

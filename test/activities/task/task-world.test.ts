// What a task declares beside the evaluator image: requirements that no lock can be made of are refused with their line,
// a lock holds for its packages only, and prompts name what is locked.
import { cp, mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { takeTask } from '../../../activities/task/kept-task.ts';
import { readTask, taskOf } from '../../../activities/task/load-task.ts';
import { filesIn, filesOf } from '../../../activities/task/task-files.ts';
import { declaredPackages, lockOfSet } from '../../../activities/task/task-world.ts';
import { undeclaredProblem } from '../../../activities/task/undeclared-imports.ts';
import { settingsSchema } from '../../../evolution/config/settings.ts';
import { taskProblem } from '../../../evolution/methods/rules/task-fit.ts';
import { limitsSection } from '../../../evolution/prompts/parts/statement.ts';
import { AS_IT_IS } from '../../../evolution/task/task-choice.ts';
import { PACKAGE_SET_NAMES, PACKAGE_SETS } from '../../../evolution/config/settings/package-sets.ts';
import { isLock, lockedPackages, pythonOfLock } from '../../../evolution/task/task-world.ts';

const TASKS = join(import.meta.dirname, '..', '..', '..', 'tasks');
const ID = 'circle-packing-square-26';
let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'world-')), ID);
  await cp(join(TASKS, ID), folder, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(join(folder, '..'), { recursive: true, force: true });
});

const declare = async (lines: string, files: { readonly [name: string]: string } = {}): Promise<void> => {
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  await writeFile(join(folder, 'task.yaml'), `${yaml}\n${lines}\n`);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
};
const HASH = 'a'.repeat(64);
/** The lock of what the folder declares, as if it had been resolved to this. */
const lockFor = async (packages: string | string[], lines: string): Promise<string> =>
  `# Python 3.11, ${(await declaredPackages(filesIn(folder, TASKS), { packages }))!.head}\n${lines}\n`;

describe('requirements', () => {
  test.each([
    [
      'pandas\nnumpy >= 2 ; python_version > "3.8"\n--extra-index-url https://download.pytorch.org/whl/cpu\nx[y]~=1 \\\n --hash=sha256:00\n',
      null,
    ],
    ['tool @ https://example.org/tool-1-py3-none-any.whl', null],
    ['# all\npandas\n-r more.txt', 'requirements.txt:3: expected the lines of that file themselves, got "-r more.txt"'],
    ['git+https://github.com/a/b', 'requirements.txt:1: expected a package that a registry has as a wheel'],
    ['a\n-e .', 'requirements.txt:2: expected a package that a registry has as a wheel'],
    ['--index-url https://user:word@host/simple', 'requirements.txt:1: expected a requirement such as pandas>=2'],
    ['pandas numpy', 'requirements.txt:1: expected a requirement'],
    ['--trusted-host x', 'requirements.txt:1: expected a requirement'],
    // Whatever else pip takes for a line or a place would be code of others that it runs.
    ['six>=1\f/abs/evil', 'requirements.txt:1: expected text without control characters'],
    ['# a comment\u2028/abs/evil', 'requirements.txt:1: expected text without control characters'],
    ['six\r/abs/evil', 'requirements.txt:1: expected text without control characters'],
    ['/abs/evil \\', 'requirements.txt:1: expected a package that a registry has as a wheel'],
    ['six>=1 \\ \n/abs/evil', 'requirements.txt:1: expected a requirement'],
    ['evil @ file:///x.tar.gz', 'requirements.txt:1: expected a package that a registry has as a wheel'],
    ['evil @ https://h/evil-1.0.tar.gz?.whl', 'requirements.txt:1: expected a requirement'],
    ['evil @ https://h/${OPENAI_API_KEY}/evil-1.0.whl', 'requirements.txt:1: expected a requirement'],
    ['six>=1 --config-settings a=b', 'requirements.txt:1: expected a requirement'],
    ['--no-binary=:all:', 'requirements.txt:1: expected a requirement'],
  ])('%j', async (text, problem) => {
    await declare('packages: requirements.txt', { 'requirements.txt': text });
    const read = readTask(folder).then(({ world }) => world?.lock);
    await (problem === null ? expect(read).resolves.toBeNull() : expect(read).rejects.toThrow(problem));
  });

  test('a run is refused until they are locked, and each change of them needs another lock', async () => {
    await declare('packages: requirements.txt', { 'requirements.txt': 'pandas\n' });
    await expect(takeTask(folder)).rejects.toThrow(/requirements.lock: expected the versions and hashes/);
    await writeFile(
      join(folder, 'requirements.lock'),
      await lockFor('requirements.txt', `pandas==2.3.1 --hash=sha256:${HASH}`),
    );
    const { task, texts } = await takeTask(folder);
    expect(task.world?.lock).toContain('pandas==2.3.1');
    expect([...texts.keys()]).toContain('requirements.lock');
    expect(task.evaluatorDigest).not.toBe((await readTask(join(TASKS, ID))).evaluatorDigest);
    const lock = await readFile(join(folder, 'requirements.lock'), 'utf8');
    for (const line of [`evil @ file:///x.tar.gz --hash=sha256:${HASH}`, '--no-binary=:all:', '-e .', 'a==1']) {
      await writeFile(join(folder, 'requirements.lock'), `${lock}${line}\n`);
      await expect(takeTask(folder)).rejects.toThrow(/requirements.lock: expected/);
    }
    await writeFile(join(folder, 'requirements.txt'), 'pandas<2\n');
    await expect(takeTask(folder)).rejects.toThrow(/requirements.lock: expected/);
  });

  test('of a project follow uv.lock too', async () => {
    await declare('packages: pyproject.toml', {
      'pyproject.toml': '[project]\ndependencies = ["pandas"]\n',
      'uv.lock': 'version = 1\n',
    });
    await writeFile(
      join(folder, 'requirements.lock'),
      await lockFor('pyproject.toml', `pandas==2.3.1 --hash=sha256:${HASH}`),
    );
    expect((await readTask(folder)).world?.lock).toContain('pandas');
    await writeFile(join(folder, 'uv.lock'), 'version = 2\n');
    expect((await readTask(folder)).world?.lock).toBeNull();
  });
});

test('data files are named by their hashes, which a run needs, and stay inside the folder', async () => {
  await declare('dataFiles: [big.bin]', { 'big.bin': 'data' });
  await expect(takeTask(folder)).rejects.toThrow(/data.lock: expected the hashes/);
  await writeFile(join(folder, 'data.lock'), `${HASH}  big.bin\n`);
  expect((await takeTask(folder)).task.world?.data).toContain('big.bin');
  await declare('', {
    'task.yaml': (await readFile(join(folder, 'task.yaml'), 'utf8')).replace('big.bin', '../big.bin'),
  });
  await expect(readTask(folder)).rejects.toThrow(/dataFiles.0: expected/);
});

describe('environment variables', () => {
  test('are part of what a task is, and those of the shell are kept with the run', async () => {
    vi.stubEnv('TASK_VARIANT', 'three');
    await declare('env: { MODE: fast, REPEATS: 3, TASK_VARIANT: }');
    const taken = await takeTask(folder);
    expect(taken.task.world?.env).toEqual({ MODE: 'fast', REPEATS: '3', TASK_VARIANT: 'three' });
    vi.stubEnv('TASK_VARIANT', 'four');
    expect((await takeTask(folder)).digest).not.toBe(taken.digest);
    expect((await readTask(folder)).evaluatorDigest).not.toBe(taken.task.evaluatorDigest);
    vi.stubEnv('TASK_VARIANT', undefined);
    const kept = await taskOf(filesOf(ID, taken.texts, 'kept'));
    expect(kept).toEqual(taken.task);
    await expect(takeTask(folder)).rejects.toThrow(/task.yaml: env: TASK_VARIANT: expected a value, or a shell/);
  });

  test.each([
    ['{ API_KEY: x }', 'API_KEY: expected no key or password'],
    ['[HF_TOKEN]', 'HF_TOKEN: expected no key or password'],
    ['{ NOTE: sk-abcdefghij0123456789abcd }', 'NOTE: expected no key or password'],
    ['{ PATH: /tmp }', 'PATH: expected another name'],
    ['{ LD_PRELOAD: a.so }', 'LD_PRELOAD: expected another name'],
    ['{ "a b": c }', 'a b: expected the name of an environment variable'],
    ['[NO_SUCH_VARIABLE_HERE]', 'NO_SUCH_VARIABLE_HERE: expected a value, or a shell that has this variable'],
  ])('%s is refused', async (env, problem) => {
    await declare(`env: ${env}`);
    await expect(readTask(folder)).rejects.toThrow(`task.yaml: env: ${problem}`);
  });
});

test('downloads are data files whose hash task.yaml says', async () => {
  await declare(`downloads: [{ url: https://example.org/a.csv, sha256: ${HASH}, file: data/a.csv }]`);
  expect((await takeTask(folder)).task.world?.data).toBe(`${HASH}  data/a.csv\n`);
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  for (const [from, to, problem] of [
    ['data/a.csv', '../a.csv', /downloads.0.file: expected the path/],
    ['https://', 'https://me:word@', /downloads.0.url: expected an address/],
    [HASH, 'abc', /downloads.0.sha256: expected 64/],
  ] as const) {
    await writeFile(join(folder, 'task.yaml'), yaml.replace(from, to));
    await expect(readTask(folder)).rejects.toThrow(problem);
  }
});

test('prompts name the packages with their versions, and a level without an engine is refused', async () => {
  await declare('packages: [pandas]');
  await writeFile(
    join(folder, 'requirements.lock'),
    await lockFor(['pandas'], `pandas==2.3.1 --hash=sha256:${HASH}\nnumpy==2.3.0 --hash=sha256:${HASH}`),
  );
  const task = await readTask(folder);
  expect(limitsSection(task, { acceptSavedOnTimeout: true })).toContain(
    'Python 3.11 with its standard library, numpy 2.3.0, pandas 2.3.1, scipy 1.15; no other package.',
  );
  const evaluation = { sandbox: 'bubblewrap' } as Parameters<typeof taskProblem>[0]['evaluation'];
  expect(taskProblem({ evaluation }, task)?.message).toContain('has no container engine for them');
  expect(taskProblem({ evaluation: { ...evaluation, sandbox: 'fork' } }, task)).toBeNull();
});

describe('a named set of packages', () => {
  const chosen = { ...AS_IT_IS, packages: 'science' } as const;
  const WORDS =
    /^- Python 3\.11 with its standard library, jax [\d.]+, networkx [\d.]+, numba [\d.]+, numpy [\d.]+, ortools [\d.]+, pandas [\d.]+, scikit-learn [\d.]+, scipy [\d.]+, shapely [\d.]+, sympy [\d.]+, torch [\d.]+, what these need; no other package\. There is no GPU\. No network, no files\.$/m;

  test.each(PACKAGE_SET_NAMES)('%s is locked by hash for the Python of the evaluator image', async (set) => {
    const lock = await lockOfSet(set);
    expect(isLock(lock)).toBe(true);
    expect(pythonOfLock(lock)).toBe('3.11');
    const locked = lockedPackages(lock).map(({ name }) => name);
    expect(locked).toEqual(expect.arrayContaining([...PACKAGE_SETS[set]]));
    expect(new Set(locked).size).toBe(locked.length);
  });

  test('is chosen by a task or by a run, and requests say what it is', async () => {
    const byRun = await readTask(folder, TASKS, chosen);
    await declare('packages: science');
    for (const task of [byRun, await readTask(folder)]) {
      expect(task.world).toEqual({ set: 'science', lock: await lockOfSet('science') });
      expect(limitsSection(task, { acceptSavedOnTimeout: true })).toMatch(WORDS);
    }
  });

  test('is refused where a task brings its own, and under another name', async () => {
    await declare('packages: [pandas]');
    await expect(readTask(folder, TASKS, chosen)).rejects.toThrow(
      'evaluation.packages: expected null, since circle-packing-square-26 has packages or an image of its own, got science',
    );
    expect(() => settingsSchema.parse({ evaluation: { packages: 'sciences' } })).toThrow('one of science');
  });
});

describe('imports that nobody declared', () => {
  const sources = { initialProgram: 'import math\n', evaluatorSource: '' };
  const problem = (evaluatorSource: string, world = {}) =>
    undeclaredProblem({ ...sources, evaluatorSource, world }, new Set(['math', 'os', 'numpy', 'fixtures']));
  test('are named with the line to add', () => {
    expect(problem('"""Text.\nimport nothing\n"""\nimport os, sklearn.tree as t\nfrom yaml import load\n')).toBe(
      'evaluator.py:4: imports sklearn, which the image of the task\'s programs does not have: add "packages: [scikit-learn, pyyaml]" to task.yaml, or in Python @d.evaluate(packages=["scikit-learn","pyyaml"])',
    );
    expect(problem('import torch\n', { lock: '' })).toContain('add torch to its packages');
  });
  test("of a person's own evaluator are those of the files that it imports too", () => {
    const files = {
      'evaluate.py': 'import helper\n',
      'helper.py': 'import os\nimport jax\n',
      'unused.py': 'import torch\n',
    };
    const script = { file: 'evaluate.py', program: 'initial.py', entry: '', files };
    const found = undeclaredProblem({ ...sources, script }, new Set(['math', 'os']));
    expect(found).toContain('helper.py:2: imports jax');
    expect(found).toContain('"packages: [jax]"');
  });
  test.each([
    ['import fixtures\nfrom numpy import linalg'],
    ['try:\n    import jax\nexcept ImportError:\n    pass'],
    ['from . import x'],
    ['from candidate import CandidateError'],
  ])('are none in %j', (source) => expect(problem(source)).toBeNull());
});

// Stages of an evaluation, by the guest, the sandbox and the scorer that ship: where a program ends, what is kept of each
// stage, and what task.yaml may not say.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createScorer } from '../../../activities/sandbox/host/scorer.ts';
import { createStaged } from '../../../activities/sandbox/stages/staged.ts';
import { hasFailed } from '../../../activities/store/content/mended.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { limitsSection } from '../../../evolution/prompts/parts/statement.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';

const root = mkdtempSync(join(tmpdir(), 'stages-'));
const launcher = createPlainLauncher();
const sandbox = createConfinedSandbox({ launcher, home: 'h', concurrency: 1, log: () => undefined });
afterAll(async () => {
  await sandbox.close();
  rmSync(root, { recursive: true });
});

const program = (value: string): string =>
  `# EVOLVE-BLOCK-START\ndef construct(instance):\n    return {"n": instance["n"] * ${value}}\n# EVOLVE-BLOCK-END\n`;
const FILES = {
  'initial.py': program('1'),
  'problem.md': 'Make n large.\n',
  'evaluator.py':
    'def evaluate(instance, solution):\n    n = solution["n"]\n    return {"valid": n != 7, "score": float(n), "metrics": {"size_strict": n - 0.5}, "reasons": [] if n != 7 else ["expected no 7, got 7"]}\n',
};
const HEAD = 'title: T\nkind: solution\ndirection: maximise\nscoreName: size\ninstance: {n: 100}\n';
const STAGES = `stages:
  - {name: smoke, instance: {n: 1}, limits: {cpuSeconds: 5}}
  - {name: small-one, instance: {n: 10}, threshold: 20}
`;

let made = 0;
const folderOf = (yaml: string): string => {
  const folder = mkdtempSync(join(root, `task${(made += 1)}-`));
  for (const [name, text] of Object.entries({ ...FILES, 'task.yaml': `${HEAD}${yaml}` }))
    writeFileSync(join(folder, name), text);
  return folder;
};

const staged = async () => {
  const task = await readTask(folderOf(STAGES));
  const gate = { check: async (codes: readonly string[]) => codes.map(() => null), close: async () => undefined };
  const scorerFor = (of: typeof task) => createScorer(launcher, of, () => undefined);
  const { evaluator, close } = createStaged({ sandbox, gate, scorerFor, task });
  const keptOnes = new Map<string, Evaluation>();
  const kept = {
    get: async (key: string) => keptOnes.get(key),
    put: async (key: string, evaluation: Evaluation) => void keptOnes.set(key, evaluation),
  };
  const job = { key: 'k', run: 'r', seed: 1, acceptSavedOnTimeout: false, kept } as const;
  const run = (code: string, scoring: 'tolerant' | 'strict' = 'tolerant') =>
    evaluator.evaluate({ ...job, scoring, code: program(code) }, new AbortController().signal);
  return { task, run, close, keptOnes };
};

test('a program goes on from stage to stage, and where it falls short it has no score', async () => {
  const { run, task, keptOnes, close } = await staged();
  const whole = await run('3');
  expect(whole).toMatchObject({ outcome: 'valid', score: 300 });
  expect(whole.stages).toMatchObject([
    { name: 'smoke', score: 3, passed: true },
    { name: 'small-one', score: 30, passed: true },
    { name: 'whole', score: 300, passed: true },
  ]);

  // What is kept of a stage is not run again: after a crash the evaluation goes on behind it.
  expect([...keptOnes.keys()]).toEqual(['k:stage:smoke', 'k:stage:small-one']);
  keptOnes.delete('k:stage:small-one');
  keptOnes.set('k:stage:smoke', { ...keptOnes.get('k:stage:smoke')!, score: 4 });
  expect((await run('1')).stages).toMatchObject([{ score: 4 }, { name: 'small-one', score: 10, passed: false }]);

  keptOnes.clear();
  const short = await run('1');
  expect(short).toMatchObject({
    outcome: 'invalid',
    score: null,
    metrics: { size_at_small_one: 10 },
    reasons: ['at stage small-one: size = 10, and it goes on from 20 or more'],
  });
  keptOnes.clear();
  // What ranks decides here too: 20 with the tolerance, and 19.5 without it.
  expect((await run('2')).outcome).toBe('valid');
  expect(await run('2', 'strict')).toMatchObject({ outcome: 'invalid', metrics: { size_at_small_one: 19.5 } });
  keptOnes.clear();
  const wrong = await run('7');
  expect(wrong).toMatchObject({ outcome: 'invalid', reasons: ['at stage smoke: expected no 7, got 7'] });
  keptOnes.clear();
  const wrongAtLast = await run('3 if instance["n"] < 100 else 7');
  expect(wrongAtLast.stages?.at(-1)).toMatchObject({ name: 'whole', outcome: 'invalid', passed: false });
  // A model is asked to mend what failed, and not what was too weak.
  const failed = [short, wrong].map((one) =>
    hasFailed({ parent: 'p' }, { ...one, _id: 'k', run: 'r', code: 'c', solution: null } as never),
  );
  expect(failed).toEqual([false, true]);
  await close();

  expect(limitsSection(task, { acceptSavedOnTimeout: true })).toContain(
    '- Stages come before the whole evaluation, which alone gives the score: smoke (n = 1) asks for a valid result; small-one (n = 10) asks for 20 or more. A program that falls short ends there.',
  );
});

test.each([
  ['a name twice', '[{name: a}, {name: a}]', /task\.yaml:6.*stages\.1\.name: expected a name of its own/],
  ['the name of the last', '[{name: whole}]', /stages\.0\.name: expected a name of its own/],
  [
    'thresholds out of order',
    '[{name: a, threshold: 2}, {name: b, threshold: 1}]',
    /stages\.1\.threshold: expected no less than stage a asks for, 2, got 1/,
  ],
  [
    'a function where nothing calls one',
    '[{name: a, function: evaluate_stage1}]',
    /expected in tasks of kind: script only/,
  ],
  ['an unknown key', '[{name: a, budget: 1}]', /stages\.0.*budget/],
])('is refused: %s', async (_what, stages, expected) => {
  await expect(readTask(folderOf(`stages: ${stages}\n`))).rejects.toThrow(expected);
});

// Every cheat of a task through the real pipeline: a defined outcome, never more than the initial program, nothing left behind.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDockerSandbox } from '../../activities/sandbox/docker-sandbox.ts';
import { createEvaluator } from '../../activities/sandbox/evaluate.ts';
import type { Evaluator } from '../../activities/sandbox/evaluate.ts';
import { createDockerGate } from '../../activities/sandbox/gate.ts';
import { createDockerScorer } from '../../activities/sandbox/scorer.ts';
import { loadTask } from '../../activities/task/load-task.ts';
import { containersOf, dockerHost, never, quickLimits, testHome, testImage } from '../activities/sandbox/docker.ts';

const TASK = 'circle-packing-square-26';
const INITIAL = 0.9597642169962064;
const folder = join(import.meta.dirname, '..', '..', 'tasks', TASK, 'fixtures', 'cheats');
const cheats = readdirSync(folder).filter(file => file.endsWith('.py')).map(file => {
  const code = readFileSync(join(folder, file), 'utf8');
  const [outcome = '', ...rest] = (/^# expects: (.*)$/m.exec(code)?.[1] ?? '').split(' ');
  return { file, code, outcome, rest };
});

const home = testHome();
let evaluator: Evaluator;
let initialProgram: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const task = { ...await loadTask(TASK), limits: quickLimits };
  const options = { dockerHost, image: await testImage(), home, log: () => undefined };
  const sandbox = createDockerSandbox({ ...options, concurrency: 2 });
  const scorer = createDockerScorer({ ...options, task });
  const gate = createDockerGate(options);
  evaluator = createEvaluator({ sandbox, scorer, gate, task });
  initialProgram = task.initialProgram;
  close = async () => { await Promise.all([sandbox.close(), scorer.close(), gate.close()]); };
}, 180_000);
afterAll(async () => {
  await close();
  expect(await containersOf(home)).toEqual([]);
}, 60_000);

const evaluate = (key: string, code: string): ReturnType<Evaluator['evaluate']> =>
  evaluator.evaluate({ key, run: 'cheats', code, seed: 7, acceptSavedOnTimeout: false, scoring: 'tolerant' }, never());

const kinds = (rest: readonly string[]): readonly string[] => (rest.length > 0 ? rest : ['ok']);

describe.concurrent('cheats', () => {
  for (const { file, code, outcome, rest } of cheats) test(file, async ({ expect }) => {
    const result = await evaluate(file, code);
    expect({ file, outcome: result.outcome, stderr: result.stderrTail.slice(-300) }).toMatchObject({ outcome });
    if (outcome === 'valid') expect(result.score).toBe(Number(rest[0]));
    else {
      expect(result.score).toBeNull();
      expect(kinds(rest)).toContain(result.execution);
      expect(result.reasons.length).toBeGreaterThan(0);
    }
    expect(result.score ?? 0).toBeLessThanOrEqual(INITIAL);
  }, 60_000);
});

describe('after the cheats', () => {
  test('a program that looks for what an earlier one left finds nothing', async () => {
    const again = cheats.find(({ file }) => file === 'leave-files.py')!;
    expect((await evaluate('again', again.code)).score).toBe(0);
  }, 30_000);

  test('the initial program scores as ever, through the real scorer', async () => {
    const result = await evaluate('initial', initialProgram);
    expect(result).toMatchObject({ outcome: 'valid', execution: 'ok', score: INITIAL, strictScore: 0.9597642169962051, isolation: 'docker' });
    expect(result.metrics['strict_valid']).toBe(false);
  }, 30_000);
});

// The closed-form checks of every task, through the real scorer container (reference `tasks`, 3.1).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDockerScorer } from '../../activities/sandbox/scorer.ts';
import type { Scorer } from '../../activities/sandbox/types.ts';
import { loadTask } from '../../activities/task/load-task.ts';
import type { Json } from '../../evolution/types.ts';
import { dockerHost, never, testHome, testImage } from '../activities/sandbox/docker.ts';

type Case = {
  readonly name: string; readonly solution: Json;
  readonly expected: { readonly valid: boolean; readonly score?: number; readonly sum_radii_strict?: number; readonly strict_valid?: boolean };
};
const TASK = 'circle-packing-square-26';
const cases = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'tasks', TASK, 'fixtures', 'gold.json'), 'utf8')) as readonly Case[];

describe(TASK, () => {
  let scorer: Scorer;
  beforeAll(async () => {
    scorer = createDockerScorer({ dockerHost, image: await testImage(), home: testHome(), log: () => undefined, task: await loadTask(TASK) });
  }, 180_000);
  afterAll(() => scorer.close());

  for (const { name, solution, expected } of cases) test(name, async () => {
    const score = await scorer.score(solution, never());
    expect(score.valid).toBe(expected.valid);
    if (!expected.valid) {
      expect(score).toMatchObject({ score: null, strictScore: null });
      expect(score.reasons.length).toBeGreaterThan(0);
      return;
    }
    const got = { valid: score.valid, score: score.score, ...score.metrics };
    expect(got).toMatchObject(expected);
    expect(score.strictScore).toBe(score.metrics['sum_radii_strict']);
  }, 30_000);
});

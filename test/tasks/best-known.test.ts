// What is flagged as the best known value of a task was given by the task's own evaluator, so that a program can reach
// it: to a solution in the fixtures, or to one of which the reference says where it can be fetched.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGold, readGolden } from '../../activities/check/fixtures.ts';
import { listTasks, loadTask, TASKS_ROOT } from '../../activities/task/load-task.ts';

/** The values that fixtures of the task have under its evaluator; the strict ones where there are two. */
const scoresOf = async (folder: string): Promise<readonly number[]> => [
  ...(await readGold(folder)).map(({ score, strict }) => (typeof strict === 'number' ? strict : score)),
  ...(await readGolden(folder)).flatMap(({ expected: { score } }) => (typeof score === 'number' ? [score] : [])),
];

test.each(await listTasks())('%s names a best value that its evaluator has given', async (id) => {
  const { references } = await loadTask(id);
  const best = references.find((reference) => reference.best === true);
  expect(best, 'a reference with best: true').toBeDefined();
  const { name, value, fetch } = best!;
  if (fetch !== undefined) return;
  const nearest = Math.min(...(await scoresOf(join(TASKS_ROOT, id))).map((score) => Math.abs(score - value)));
  expect(nearest, `${name}, ${value}: the score of a fixture, or fetch`).toBeLessThanOrEqual(1e-9 * Math.abs(value));
});

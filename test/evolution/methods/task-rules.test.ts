// Settings that a task cannot be run under are refused before the run exists.
import { expect, test } from 'vitest';
import { loadTask } from '../../../activities/task/load-task.ts';
import { prepareRun } from '../../../client/start-run.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { taskProblem } from '../../../evolution/methods/rules.ts';

const resolved = (task: string, sandbox: 'fast' | 'docker' | 'auto' | 'bubblewrap') =>
  resolveConfig([{ settings: { task, evaluation: { sandbox } }, where: () => 'run.yaml, line 3' }]);

test.each(['fast', 'bubblewrap'] as const)('a task in another language on the level %s', async (sandbox) => {
  const place = { home: resolveHome({ EVOLVE_HOME: '/nowhere' }), env: {} };
  await expect(prepareRun(place, resolved('golomb-ruler-12', sandbox), undefined)).rejects.toThrow(
    `run.yaml, line 3: evaluation.sandbox: expected docker or auto, since programs of golomb-ruler-12 are in javascript and the level ${sandbox} runs Python only, got ${sandbox}`,
  );
});
test.each(['fast', 'bubblewrap'] as const)('a task whose score is a time on the level %s', async (sandbox) => {
  const place = { home: resolveHome({ EVOLVE_HOME: '/nowhere' }), env: {} };
  await expect(prepareRun(place, resolved('efficient-convolution', sandbox), undefined)).rejects.toThrow(
    `run.yaml, line 3: evaluation.sandbox: expected docker or auto, since the score of efficient-convolution is a time and the level ${sandbox} cannot keep a program on a core of its own, got ${sandbox}`,
  );
});
test('auto, where that is bubblewrap', async () => {
  const timed = await loadTask('efficient-convolution');
  const { config } = resolved('efficient-convolution', 'auto');
  expect(taskProblem(config, timed, 'bubblewrap')).toEqual({
    key: 'evaluation.sandbox',
    message:
      'expected a Docker engine, since the score of efficient-convolution is a time and the level bubblewrap cannot keep a program on a core of its own, got auto, which is bubblewrap on this machine: install Docker (`npx evolve doctor` says how)',
  });
});
test('what fits', async () => {
  const [other, python, timed] = await Promise.all(
    ['golomb-ruler-12', 'circle-packing-square-26', 'efficient-convolution'].map((id) => loadTask(id)),
  );
  expect([
    taskProblem(resolved('golomb-ruler-12', 'auto').config, other!),
    taskProblem(resolved('golomb-ruler-12', 'docker').config, other!),
    taskProblem(resolved('circle-packing-square-26', 'fast').config, python!),
    taskProblem(resolved('efficient-convolution', 'docker').config, timed!),
  ]).toEqual([null, null, null, null]);
});

// Settings that a task cannot be run under are refused before the run exists.
import { cpus } from 'node:os';
import { expect, test } from 'vitest';
import { loadTask } from '../../../activities/task/load-task.ts';
import { prepareRun } from '../../../client/runs/start-run.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { firstReached } from '../../../evolution/budget/limits.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { fitProblem, taskProblem, withBar } from '../../../evolution/methods/rules/task-fit.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const resolved = (task: string, sandbox: 'fork' | 'docker' | 'auto' | 'bubblewrap') =>
  resolveConfig([{ settings: { task, evaluation: { sandbox } }, where: () => 'run.yaml, line 3' }]);

test('a task in another language where there is no container engine', async () => {
  const place = { home: resolveHome({ EVOLVE_HOME: '/nowhere' }), env: {} };
  await expect(prepareRun(place, resolved('golomb-ruler-12', 'bubblewrap'), undefined)).rejects.toThrow(
    `run.yaml, line 3: evaluation.sandbox: expected fork or docker or auto, since golomb-ruler-12 has packages, a language, an image or data files of its own and the level bubblewrap has no container engine for them, got bubblewrap`,
  );
});
// Attempt: programs and scores.
test.each(['fork', 'bubblewrap'] as const)('a task whose score is a time on the level %s', async (sandbox) => {
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
    taskProblem(resolved('golomb-ruler-12', 'fork').config, other!),
    taskProblem(resolved('circle-packing-square-26', 'fork').config, python!),
    taskProblem(resolved('efficient-convolution', 'docker').config, timed!),
  ]).toEqual([null, null, null, null]);
});

// Attempt: programs and scores.
test('a metric that is an axis must be one that the evaluator can report', async () => {
  const [task, other] = await Promise.all([loadTask('circle-packing-square-26'), loadTask('hadamard-29')]);
  const problem = (feature: string | { readonly name: string }, map = 'grid') =>
    fitProblem(configFrom({ population: { map, features: ['score', feature] } }), task);
  for (const fits of ['length', 'metric:smallest_radius', 'metric:sum_radii', 'metric:sum_radii_strict'])
    expect(problem(fits)).toBeNull();
  expect(problem('metric:orthogonal_share')).toMatchObject({ key: 'population.features.1' });
  expect(problem({ name: 'metric:smallest-radius' })).toEqual({
    key: 'population.features.1.name',
    message:
      'expected a metric that the evaluator of circle-packing-square-26 reports (smallest_radius, largest_radius, ...), got smallest-radius; the nearest is smallest_radius',
  });
  expect(problem('metric:orthogonal_share', 'none')).toBeNull();
  const config = configFrom({ task: other.id, population: { features: ['metric:orthogonal_share'] } });
  expect(fitProblem(config, other)).toBeNull();
});

test('a program can have no more cores than the machine has', async () => {
  const place = { home: resolveHome({ EVOLVE_HOME: '/nowhere' }), env: {} };
  const cores = cpus().length + 1;
  const wanted = resolveConfig([{ settings: { evaluation: { cores } }, where: () => 'run.yaml, line 3' }]);
  await expect(prepareRun(place, wanted, undefined)).rejects.toThrow(
    `run.yaml, line 3: evaluation.cores: expected at most ${cores - 1}, the cores of this machine, got ${cores}.`,
  );
  const elsewhere = { ...place, env: { DOCKER_HOST: 'tcp://192.0.2.1:2375' } };
  expect((await prepareRun(elsewhere, wanted, undefined)).taken.task.limits.cores).toBe(cores);
});
test('a task whose score is a time has one core', async () => {
  const timed = await loadTask('efficient-convolution');
  const of = (cores: number) => configFrom({ task: timed.id, evaluation: { cores } });
  expect(fitProblem(of(1), timed)).toBeNull();
  expect(fitProblem(of(2), timed)).toEqual({
    key: 'evaluation.cores',
    message:
      'expected 1 or null, since the score of efficient-convolution is a time that is measured on a core of its own, got 2',
  });
});

test('limits.targetScore: bar is the best value known of the task, and an error where it has none', async () => {
  const task = await loadTask('max-min-distance-14-3');
  const config = configFrom({ task: task.id, limits: { targetScore: 'bar' } });
  const { targetScore } = withBar(config, task).limits;
  const best = 4.165783474580074;
  expect(firstReached({ ...config.limits, targetScore }, { ...NOTHING_SPENT, best }, NO_NEXT, 'minimise')).toBe(
    'targetScore',
  );
  expect(
    firstReached({ ...config.limits, targetScore }, { ...NOTHING_SPENT, best: 4.1658 }, NO_NEXT, 'minimise'),
  ).toBeNull();
  expect(() => withBar(config, { ...task, references: [] })).toThrow(
    /limits\.targetScore: bar is the best value known/,
  );
});

const NOTHING_SPENT = { steps: 0, programs: 0, tokens: 0, costUsd: 0, wallSeconds: 0, sinceBest: 0, stagnantEpochs: 0 };
const NO_NEXT = { programs: 1, tokens: 0, costUsd: 0 };

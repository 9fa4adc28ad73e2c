// The bounds of a shaped reward come from the task unless somebody sets them.
import { expect, test } from 'vitest';
import { loadTask } from '../../../activities/task/load-task.ts';
import { resolveSettings } from '../../../client/runs/settings.ts';

const reward = (settings: object) => resolveSettings([{ settings, where: () => '--set' }], {}).config.reward;

test('a shaped reward takes L, U, alpha and k from the task', async () => {
  const { shaping } = await loadTask('third-autocorrelation');
  expect(shaping).toBeDefined();
  expect(reward({ task: 'third-autocorrelation', reward: { kind: 'shaped' } })).toEqual({ kind: 'shaped', ...shaping });
});
test('what is set wins over the task', () => {
  expect(reward({ task: 'third-autocorrelation', reward: { kind: 'shaped', upper: 4 } })).toMatchObject({ upper: 4 });
});
test('a task that shapes nothing needs its bounds', () => {
  expect(() => reward({ task: 'circle-packing-square-26', reward: { kind: 'shaped' } })).toThrow(
    'a shaped reward needs both bounds: set reward.lower',
  );
});
test('an unknown task is left to the check of the task', () => {
  expect(reward({ task: 'nope' })).toMatchObject({ lower: null });
});

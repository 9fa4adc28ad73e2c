// What the tests of the trainers' worker run: the two activities, with a heartbeat that notices a killed worker soon.
import { proxyActivities } from '@temporalio/workflow';
import type { TrainerActivities, UpdateOrder, UpdateResult } from '../../activities/interface/learning.ts';

const trainer = proxyActivities<TrainerActivities>({
  taskQueue: 'evolve-rl',
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 1, maximumAttempts: 25 },
});

export async function applyThenPublish(
  order: UpdateOrder,
): Promise<{ readonly result: UpdateResult; readonly model: string }> {
  const result = await trainer.applyUpdate(order);
  const { model } = await trainer.publishPolicy(order);
  return { result, model };
}

// Rates of the queues of activities: how many a second the Temporal server hands out, over all workers together. The
// server keeps them, so they hold until somebody changes them, whatever is restarted.
import proto from '@temporalio/proto';
import { EVALUATION_QUEUE, needsOf } from '../../evolution/hosts/needs.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { Engine } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';

type Asked = Pick<Engine, 'connection' | 'namespace'>;
const { TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;

export type QueueRate = {
  readonly queue: string;
  /** Activities a second; null where no rate is set. */
  readonly perSecond: number | null;
  /** The reason that was given when it was set. */
  readonly reason: string | null;
  /** Activities that wait, as the server estimates it. */
  readonly waiting: number;
};

/** The queue of workflows has no rate, since messages of people go through it. */
const LIMITED = Object.values(QUEUES).filter((queue) => queue !== QUEUES.workflow);
const MOST_PER_SECOND = 100_000;

/** `needed` are the evaluation queues that runs need besides the common one. */
export const queueRates = async (
  { connection, namespace }: Asked,
  needed: readonly string[],
): Promise<readonly QueueRate[]> =>
  Promise.all(
    [...new Set([...LIMITED, ...needed])].map(async (queue) => {
      const { config, stats } = await connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
        reportConfig: true,
        reportStats: true,
      });
      const { rateLimit, metadata } = config?.queueRateLimit ?? {};
      return {
        queue,
        perSecond: rateLimit?.requestsPerSecond ?? null,
        reason: rateLimit == null ? null : (metadata?.reason ?? null),
        waiting: Number(stats?.approximateBacklogCount ?? 0),
      };
    }),
  );

/** The rate that a person typed; null means none. */
export const readRate = (queue: string, text: string): number | null => {
  if (!LIMITED.includes(queue as never) && (queue === EVALUATION_QUEUE || needsOf(queue) === null))
    throw new UsageError(
      `queue: expected ${LIMITED.join(', ')} or ${EVALUATION_QUEUE}-<needs>, got ${JSON.stringify(queue)}`,
    );
  if (text === 'off') return null;
  const rate = Number(text);
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text) || rate > MOST_PER_SECOND)
    throw new UsageError(
      `rate of ${queue}: expected activities a second from 0 to ${MOST_PER_SECOND}, or off, got ${JSON.stringify(text)}`,
    );
  return rate;
};

export const setQueueRate = async (
  { connection, namespace }: Asked,
  { queue, perSecond, reason }: Pick<QueueRate, 'queue' | 'perSecond'> & { readonly reason: string },
): Promise<void> => {
  await connection.workflowService.updateTaskQueueConfig({
    namespace,
    identity: 'evolve rates',
    taskQueue: queue,
    taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
    updateQueueRateLimit: {
      ...(perSecond === null ? {} : { rateLimit: { requestsPerSecond: perSecond } }),
      reason,
    },
  });
};

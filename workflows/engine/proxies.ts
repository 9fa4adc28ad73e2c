// The proxies say how long each kind of activity may take, and how it is retried. Heartbeats, which every worker sends
// for every activity, bound the time until a dead worker is noticed; start-to-close bounds an activity that lives but
// hangs.
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { ModelLearning, StoreLearning, TrainerActivities } from '../../activities/interface/learning.ts';
import type { StoreActivities } from '../../activities/interface/run.ts';
import type { ResultActivities } from '../../activities/interface/results.ts';
import type { EvaluationActivities, ModelActivities } from '../../activities/interface/step.ts';
import type { SweepActivities } from '../../activities/interface/sweep.ts';
import { PRIORITY } from '../../evolution/schedule/sharing.ts';
import { HEARTBEAT_SECONDS } from './heartbeat.ts';
import { REFUSED_UPDATE } from './park.ts';
import { QUEUES } from './queues.ts';

const FATAL = ['ConfigError', 'BadRequest', 'ModelRefused', 'SupersededError', 'ConflictError'];
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

const HEARTBEAT = `${HEARTBEAT_SECONDS} seconds` as const;
/** The trainers' worker sends its heartbeats at most every 5 s. */
const TRAINER_SECONDS = 20;

const IN_STORE: ActivityOptions = {
  taskQueue: QUEUES.db,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '200 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '5 seconds',
    maximumAttempts: 20,
    nonRetryableErrorTypes: FATAL,
  },
};

// Where a proxy names no priority, an activity has that of its workflow, with the run as fairness key
// (evolution/schedule/sharing.ts). One that is named replaces the number alone.
export const store = proxyActivities<StoreActivities>(IN_STORE);

/** Messages to a run, what it writes of itself, and commits: they go before the plans and edits of all other runs. */
export const urgent = proxyActivities<StoreActivities>({ ...IN_STORE, priority: { priorityKey: PRIORITY.control } });

/** A batch of a policy's update may be large, and is packed and hashed before it is stored. */
export const learning = proxyActivities<StoreLearning>({
  taskQueue: QUEUES.db,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '200 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '5 seconds',
    maximumAttempts: 10,
    nonRetryableErrorTypes: [...FATAL, 'BadBatch'],
  },
});

/**
 * An update may take hours. Whether the Python worker lives is what its heartbeats say; they come more slowly than ours,
 * because Python does one thing at a time. Where nobody takes the update, the wait for a worker ends it, so that a run
 * without a trainer says so.
 */
export const trainer = proxyActivities<TrainerActivities>({
  taskQueue: QUEUES.rl,
  scheduleToStartTimeout: '2 minutes',
  startToCloseTimeout: '24 hours',
  heartbeatTimeout: `${Math.max(TRAINER_SECONDS, HEARTBEAT_SECONDS)} seconds`,
  cancellationType,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
    maximumAttempts: 10,
    nonRetryableErrorTypes: [...FATAL, ...REFUSED_UPDATE, 'NoSpace', 'MissingCheckpoint'],
  },
});

/** An attempt waits for a server that loads the policy, so few of them are enough. */
export const verification = proxyActivities<ModelLearning>({
  taskQueue: QUEUES.llm,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '10 seconds',
    maximumAttempts: 3,
    nonRetryableErrorTypes: FATAL,
  },
});

/** The end of a run waits for its files, but not for long: where they cannot be written, it ends without them. */
export const results = proxyActivities<ResultActivities>({
  taskQueue: QUEUES.db,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '5 seconds',
    maximumAttempts: 5,
    nonRetryableErrorTypes: FATAL,
  },
});

/**
 * Sweeps have a queue of their own, because one of these activities waits for runs and must not hold a slot that runs
 * need.
 */
export const sweeping = proxyActivities<SweepActivities>({
  taskQueue: QUEUES.sweep,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '20 seconds',
    maximumAttempts: 20,
    nonRetryableErrorTypes: FATAL,
  },
});

const OF_MODEL: ActivityOptions = {
  taskQueue: QUEUES.llm,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '20 seconds',
    maximumAttempts: 8,
    nonRetryableErrorTypes: FATAL,
  },
};

export const model = proxyActivities<Pick<ModelActivities, 'generate' | 'ask'>>(OF_MODEL);

/** Each request has a time of its own, but the last one waits until the rate of the endpoint lets it go. */
export const batched = proxyActivities<Pick<ModelActivities, 'generateBatch'>>({
  ...OF_MODEL,
  startToCloseTimeout: '24 hours',
});

/**
 * Embeddings go before responses that wait in the same queue, because programs that have come are not to wait for those
 * still to be asked for.
 */
export const embedding = proxyActivities<Pick<ModelActivities, 'embed'>>({
  taskQueue: QUEUES.llm,
  priority: { priorityKey: PRIORITY.control },
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '20 seconds',
    maximumAttempts: 8,
    nonRetryableErrorTypes: FATAL,
  },
});

const IN_SANDBOX: ActivityOptions = {
  taskQueue: QUEUES.eval,
  // Programs may run for many minutes each and wait for a core. Whether the worker lives is what its heartbeat says.
  startToCloseTimeout: '24 hours',
  heartbeatTimeout: HEARTBEAT,
  cancellationType,
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '10 seconds',
    maximumAttempts: 6,
    nonRetryableErrorTypes: FATAL,
  },
};

export const evaluation = proxyActivities<Pick<EvaluationActivities, 'evaluate'>>(IN_SANDBOX);

export const hiddenScores = proxyActivities<Pick<EvaluationActivities, 'evaluateHidden'>>(IN_SANDBOX);

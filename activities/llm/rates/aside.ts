// The requests to models that a worker has in hand. Activities that wait for the rate of an endpoint take no slot of
// it: a run with a low rate would else take all of them, and requests of other runs would not even reach the worker.
// And while half as many requests wait for a place as there are places, it takes no further ones, which other hosts may
// take.
import { Context } from '@temporalio/activity';

export type Aside = {
  /** The activities of which a request waits. */
  waiting(): number;
  /** Does the work, and counts the activity that asks for it as waiting meanwhile. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** The requests that wait for a place among those in flight. */
  queued(): number;
  /** Waits for a place. */
  place<T>(work: () => Promise<T>): Promise<T>;
  /** Is called when the worker may be able to take more in hand than before. */
  onMore(listener: () => void): void;
};

export const createAside = (): Aside => {
  /** The number of waiting requests of each activity, by its attempt. */
  const requests = new Map<string, number>();
  const listeners: (() => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  let queued = 0;
  return {
    waiting: () => requests.size,
    async during(work) {
      const attempt = attemptNow();
      const before = requests.get(attempt) ?? 0;
      requests.set(attempt, before + 1);
      if (before === 0) tell();
      try {
        return await work();
      } finally {
        const left = requests.get(attempt)! - 1;
        if (left > 0) requests.set(attempt, left);
        else requests.delete(attempt);
      }
    },
    queued: () => queued,
    async place(work) {
      queued += 1;
      try {
        return await work();
      } finally {
        queued -= 1;
        tell();
      }
    },
    onMore: (listener) => void listeners.push(listener),
  };
};

const attemptNow = (): string => {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return `${workflowExecution?.runId} ${activityId} ${attempt}`;
};

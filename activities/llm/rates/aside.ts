// The requests to models that a worker has in hand. Activities that wait for the rate of an endpoint take no slot of
// it: a run with a low rate would else take all of them, and requests of other runs would not even reach the worker.
// And while half as many requests wait for a place as there are places, it takes no further ones, which other hosts may
// take.
import { Context } from '@temporalio/activity';

export class Aside {
  /** The number of waiting requests of each activity, by its attempt. */
  readonly #requests = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];
  #queued = 0;

  /** The number of activities of which a request waits. */
  waiting(): number {
    return this.#requests.size;
  }

  /** Does the work, and counts the activity that asks for it as waiting meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const attempt = attemptNow();
    const before = this.#requests.get(attempt) ?? 0;
    this.#requests.set(attempt, before + 1);
    if (before === 0) this.#tell();
    try {
      return await work();
    } finally {
      const left = this.#requests.get(attempt)! - 1;
      if (left > 0) this.#requests.set(attempt, left);
      else this.#requests.delete(attempt);
    }
  }

  /** The number of requests that wait for a place among those in flight. */
  queued(): number {
    return this.#queued;
  }

  /** Waits for a place. */
  async place<T>(work: () => Promise<T>): Promise<T> {
    this.#queued += 1;
    try {
      return await work();
    } finally {
      this.#queued -= 1;
      this.#tell();
    }
  }

  /** `listener` is called when the worker may be able to take more in hand than before. */
  onMore(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const attemptNow = (): string => {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return `${workflowExecution?.runId} ${activityId} ${attempt}`;
};

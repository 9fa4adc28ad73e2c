// Evaluations on hosts of a kind: a task that needs something of its host has a queue of its own, which few hosts poll.
// Whether one is there is asked when a step is planned, and again where nobody has taken an evaluation for long.
import { TimeoutFailure } from '@temporalio/workflow';
import { TimeoutType } from '@temporalio/common';
import { causesOf } from '../../evolution/root-cause.ts';
import type { RunId } from '../../evolution/types.ts';
import { store } from './proxies.ts';

/** A queue may be long because its hosts are busy, so this says nothing by itself. */
const UNTAKEN = '30 minutes';

type Hosted = { readonly taskQueue?: string; readonly scheduleToStartTimeout?: string };

/**
 * Schedules evaluations on this queue; left out is the queue of all hosts, and then nothing is asked besides. Fails with
 * type NoHost where no host serves the queue.
 */
export const onHosts = <T>(
  { run, queue }: { readonly run: RunId; readonly queue?: string | undefined },
  schedule: (options: Hosted) => Promise<T>,
): Promise<T> => (queue === undefined ? schedule({}) : untilTaken({ run, queue }, schedule));

const untilTaken = async <T>(
  { run, queue }: { readonly run: RunId; readonly queue: string },
  schedule: (options: Hosted) => Promise<T>,
): Promise<T> => {
  for (;;) {
    try {
      return await schedule({ taskQueue: queue, scheduleToStartTimeout: UNTAKEN });
    } catch (error) {
      if (!isUntaken(error)) throw error;
    }
    await store.requireHost.executeWithOptions({ summary: `look for a host that serves ${queue}` }, [{ run, queue }]);
  }
};

const isUntaken = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) => cause instanceof TimeoutFailure && cause.timeoutType === TimeoutType.SCHEDULE_TO_START,
  );

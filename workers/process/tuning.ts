// The amount of work that a Temporal worker takes in hand, and how it asks for it. The reasons of the numbers:
// docs/operations/sharing.md, Tuning of workers.
import type {
  ActivitySlotInfo,
  CustomSlotSupplier,
  SlotPermit,
  SlotReserveContext,
  WorkerOptions,
} from '@temporalio/worker';
import { availableParallelism, freemem, totalmem } from 'node:os';
import type { Aside } from '../../activities/llm/rates/aside.ts';
import type { Cores } from '../../activities/sandbox/host/cores.ts';

/** Requests for work that wait at the server when there is little of it: so many tasks at once find one at once. */
const FEW_POLLERS = 4;
const MOST_POLLERS = 10;

/** The server says how much work there is, and so many requests for it wait there. */
const pollers = (most: number): NonNullable<WorkerOptions['activityTaskPollerBehavior']> => ({
  type: 'autoscaling',
  minimum: Math.min(FEW_POLLERS, most),
  initial: Math.min(FEW_POLLERS, most),
  maximum: most,
});

/** A worker of activities that holds so many at once. */
export const activitySlots = (
  slots: number,
  most = MOST_POLLERS,
): Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions' | 'activityTaskPollerBehavior'> => ({
  maxConcurrentActivityTaskExecutions: slots,
  activityTaskPollerBehavior: pollers(Math.min(most, slots)),
});

/** Activities that wait for a rate, at most, as a multiple of the others that a worker holds. */
const HELD_ASIDE = 3;

/**
 * Gives out the right to take an activity of models in hand, as long as the requests that wait for a slot are fewer than
 * half of the slots. Activities that wait for the rate of an endpoint do not count, up to a number that bounds memory
 * and heartbeats.
 */
export const modelSlots = (
  { most, inFlight }: { readonly most: number; readonly inFlight: number },
  aside: Pick<Aside, 'waiting' | 'queued' | 'onMore'>,
): CustomSlotSupplier<ActivitySlotInfo> => {
  const taken = new Set<Taken>();
  return supplier({
    taken,
    free: () => taken.size - Math.min(aside.waiting(), HELD_ASIDE * most) < most && aside.queued() < inFlight / 2,
    onChange: (listener) => aside.onMore(listener),
  });
};

const WORKFLOW_POLLERS = 5;

/**
 * Each of the two queues of workflow tasks, the sticky one and the common one, holds a slot for each of its requests and
 * one more. There are enough of them that neither queue keeps the other one out.
 */
export const WORKFLOW_TASKS = {
  maxConcurrentWorkflowTaskExecutions: 2 * (WORKFLOW_POLLERS + 1),
  workflowTaskPollerBehavior: pollers(WORKFLOW_POLLERS),
  maxCachedWorkflows: 100,
  stickyQueueScheduleToStartTimeout: '1s',
} as const satisfies Partial<WorkerOptions>;

/** Programs in hand for each core: one runs, and the next one is read and waits. */
export const PER_CORE = 2;

/**
 * Gives out the right to take an activity in hand, over all queues of a process: as long as there are fewer than twice
 * as many as cores, and fewer programs wait for cores than run at once. An activity may hold several programs, and what
 * one host has in hand no other host can take, and no run of a higher priority can go before.
 */
export const evaluationSlots = (
  cores: Pick<Cores, 'all' | 'waiting' | 'onFewer'>,
  /** Activities of a queue that are in hand at most, where something else than cores is scarce. */
  mostOn: (queue: string) => number = () => Infinity,
): CustomSlotSupplier<ActivitySlotInfo> => {
  const most = PER_CORE * cores.all;
  const taken = new Set<Taken>();
  // A slot that waits for work at one queue must not keep another queue's work out, so only the queue's own count.
  const free = (queue: string): boolean => {
    const own = [...taken].filter((one) => one.queue === queue).length;
    const held = [...taken].filter((one) => one.used || one.queue === queue).length;
    return own < mostOn(queue) && held < most && (held === 0 || cores.waiting() < cores.all);
  };
  return supplier({ taken, free, onChange: (listener) => cores.onFewer(listener) });
};

type Taken = SlotPermit & { readonly queue: string; used: boolean };
type Supply = {
  readonly taken: Set<Taken>;
  /** True where one more slot for work of this queue may be taken. */
  readonly free: (queue: string) => boolean;
  /** Registers a listener for more free slots, beside those that are returned. */
  readonly onChange: (listener: () => void) => void;
};

const supplier = ({ taken, free, onChange }: Supply): CustomSlotSupplier<ActivitySlotInfo> => {
  const asking: { readonly queue: string; readonly resolve: (permit: Taken) => void }[] = [];
  const take = (queue: string): Taken => {
    const permit = { queue, used: false };
    taken.add(permit);
    return permit;
  };
  const serve = (): void => {
    for (const one of [...asking])
      if (free(one.queue)) {
        asking.splice(asking.indexOf(one), 1);
        one.resolve(take(one.queue));
      }
  };
  onChange(serve);
  return {
    type: 'custom',
    async reserveSlot({ taskQueue: queue }: SlotReserveContext, signal) {
      signal.throwIfAborted();
      if (free(queue)) return take(queue);
      const { promise, resolve, reject } = Promise.withResolvers<Taken>();
      const mine = { queue, resolve };
      asking.push(mine);
      const leave = (): void => {
        const at = asking.indexOf(mine);
        if (at >= 0) asking.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
    tryReserveSlot: ({ taskQueue: queue }) => (free(queue) ? take(queue) : null),
    markSlotUsed: ({ permit }) => {
      (permit as Taken).used = true;
    },
    releaseSlot: ({ permit }) => {
      taken.delete(permit as Taken);
      serve();
    },
  };
};

/** The options of a worker that takes activities by these slots, of which so many are there at least. */
export const bySlots = (
  slots: CustomSlotSupplier<ActivitySlotInfo>,
  least: number,
): Pick<WorkerOptions, 'tuner' | 'activityTaskPollerBehavior'> => {
  const unused = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    tuner: {
      activityTaskSlotSupplier: slots,
      workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
      localActivityTaskSlotSupplier: unused,
      nexusTaskSlotSupplier: unused,
    },
    activityTaskPollerBehavior: pollers(Math.min(MOST_POLLERS, least)),
  };
};

/** The resources for programs on the machine where the container engine is. */
export type EngineMachine = {
  readonly cores: number;
  readonly memoryBytes: number;
  /** Null where the engine is on another machine, which does not say it. */
  readonly freeBytes: () => number | null;
};

const INFO_MS = 10_000;

/** An engine on another machine is asked. Where it does not answer, it is taken to be as large as this machine. */
export const engineMachine = async (dockerHost: string | undefined): Promise<EngineMachine> => {
  const here = { cores: availableParallelism(), memoryBytes: totalmem(), freeBytes: freemem };
  if (!/^(tcp|https?):\/\/(?!localhost|127\.|\[::1\])/.test(dockerHost ?? '')) return here;
  const nothing = { ...here, freeBytes: () => null };
  // Is loaded here, because the other roles need no client of an engine.
  const { answered, connectDocker } = await import('../../activities/sandbox/launchers/docker-connection.ts');
  try {
    const { NCPU: cores, MemTotal: memoryBytes } = (await answered(
      'asking what it has',
      connectDocker(dockerHost).info(),
      INFO_MS,
    )) as { NCPU: number; MemTotal: number };
    return { ...nothing, cores, memoryBytes };
  } catch {
    return nothing;
  }
};

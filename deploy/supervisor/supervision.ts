// Keeps the children of a plan running: starts them stage by stage, takes over those that live already, follows a
// changed plan, and stops all of them.
import { environmentOf, isAlive, markedProcesses } from '../host/process-identity.ts';
import { type Backoff, type Child, createChild, stopProcess } from './child.ts';
import { type ChildPlan, stopTimeoutOf, type UpProcess } from './plan.ts';

type Supervision = {
  /**
   * Makes the running children those of the list. Unchanged ones are left alone; changed ones are stopped and started.
   */
  follow(children: readonly ChildPlan[]): Promise<void>;
  stop(): Promise<void>;
  release(): void;
  processes(): readonly UpProcess[];
};

type Options = {
  readonly homeHash: string;
  /** Processes that an earlier supervisor recorded in up.json. */
  readonly recorded: readonly UpProcess[];
  readonly onChange: () => void;
  readonly note: (line: string) => void;
  readonly backoff?: Backoff;
};

const STOP_UNKNOWN_MS = 15_000;
const stages = (children: readonly { readonly plan: ChildPlan }[]): readonly number[] =>
  [...new Set(children.map(({ plan }) => plan.stage))].sort((a, b) => a - b);

export const createSupervision = (options: Options): Supervision => {
  let children: readonly Child[] = [];
  let stopped = false;
  let turn: Promise<void> = Promise.resolve();
  const inherited = new Map(options.recorded.filter(isAlive).map((one) => [one.name, one]));

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work, work);
    return turn;
  };

  const stopReversed = async (list: readonly Child[]): Promise<void> => {
    for (const stage of [...stages(list)].reverse())
      await Promise.all(list.filter(({ plan }) => plan.stage === stage).map((child) => child.stop()));
  };

  /**
   * Stops living processes of this home that no plan knows. A supervisor that was killed left them, or their role has
   * changed.
   */
  const stopUnknown = async (plans: readonly ChildPlan[]): Promise<void> => {
    const known = new Set(
      plans.flatMap((plan) => {
        const one = inherited.get(plan.name);
        return one?.role === plan.role ? [one.pid] : [];
      }),
    );
    const recordedPids = new Set([...inherited.values()].map((one) => one.pid));
    const unknown = [
      ...[...inherited.values()].filter((one) => !known.has(one.pid)),
      ...markedProcesses(options.homeHash).filter(
        (one) => one.leader && one.name !== 'supervisor' && !recordedPids.has(one.pid),
      ),
    ];
    await Promise.all(
      unknown.map(async (one) => {
        options.note(
          `${one.name} (pid ${one.pid}) is left of an earlier start and not what is wanted now: stopping it`,
        );
        await stopProcess(one, stopTimeoutOf({ env: environmentOf(one.pid), stopTimeoutMs: STOP_UNKNOWN_MS }));
      }),
    );
  };

  const startStages = async (list: readonly Child[], living: ReadonlyMap<string, UpProcess>): Promise<void> => {
    for (const stage of stages(list)) {
      if (stopped) return;
      // While we waited, a newer plan may have dropped some of them.
      const members = list.filter((child) => child.plan.stage === stage && children.includes(child));
      for (const child of members) {
        const running = living.get(child.plan.name);
        child.start(running?.role === child.plan.role ? running : null);
      }
      await Promise.all(members.map((child) => child.whenHealthy()));
    }
  };

  const replace = async (plans: readonly ChildPlan[]): Promise<void> => {
    if (stopped) return;
    const kept = children.filter(({ plan }) => plans.some((one) => one.name === plan.name && one.role === plan.role));
    await stopReversed(children.filter((child) => !kept.includes(child)));
    if (children.length === 0) await stopUnknown(plans);
    const made = plans
      .filter((plan) => !kept.some((child) => child.plan.name === plan.name))
      .map((plan) =>
        createChild({
          plan,
          onChange: options.onChange,
          note: options.note,
          ...(options.backoff ? { backoff: options.backoff } : {}),
        }),
      );
    children = [...kept, ...made];
    // This is not awaited, because a child that never becomes healthy must not keep a better plan from being followed.
    void startStages(made, new Map(inherited));
    inherited.clear();
    options.onChange();
  };

  return {
    follow: (plans) => inTurn(() => replace(plans)),
    stop: () => {
      stopped = true;
      return inTurn(() => stopReversed(children));
    },
    release() {
      stopped = true;
      for (const child of children) child.release();
    },
    processes: () => children.map((child) => child.state()).filter((state) => state !== null),
  };
};

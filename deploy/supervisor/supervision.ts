// Keeps the children of a plan running: starts them stage by stage, takes over those that live already, follows a
// changed plan, and stops all of them.
import { environmentOf, isAlive, markedProcesses } from '../host/process-identity.ts';
import { type Backoff, Child, stopProcess } from './child.ts';
import { type ChildPlan, stopTimeoutOf, type UpProcess } from './plan.ts';

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

export class Supervision {
  readonly #options: Options;
  readonly #inherited: Map<string, UpProcess>;
  #children: readonly Child[] = [];
  #stopped = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#inherited = new Map(options.recorded.filter(isAlive).map((one) => [one.name, one]));
  }

  /** Makes the running children those of the plans. Unchanged ones are left alone; changed ones start again. */
  follow(plans: readonly ChildPlan[]): Promise<void> {
    return this.#inTurn(() => this.#replace(plans));
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#inTurn(() => this.#stopReversed(this.#children));
  }

  release(): void {
    this.#stopped = true;
    for (const child of this.#children) child.release();
  }

  processes(): readonly UpProcess[] {
    return this.#children.map((child) => child.state()).filter((state) => state !== null);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work, work);
    return this.#turn;
  }

  async #stopReversed(list: readonly Child[]): Promise<void> {
    for (const stage of [...stages(list)].reverse())
      await Promise.all(list.filter(({ plan }) => plan.stage === stage).map((child) => child.stop()));
  }

  /**
   * Stops living processes of this home that no plan knows. A supervisor that was killed left them, or their role has
   * changed.
   */
  async #stopUnknown(plans: readonly ChildPlan[]): Promise<void> {
    const keptPids = new Set(
      plans.flatMap((plan) => {
        const one = this.#inherited.get(plan.name);
        return one?.role === plan.role ? [one.pid] : [];
      }),
    );
    const recordedPids = new Set([...this.#inherited.values()].map((one) => one.pid));
    const unknown = [
      ...[...this.#inherited.values()].filter((one) => !keptPids.has(one.pid)),
      ...markedProcesses(this.#options.homeHash).filter(
        (one) => one.leader && one.name !== 'supervisor' && !recordedPids.has(one.pid),
      ),
    ];
    await Promise.all(
      unknown.map(async (one) => {
        this.#options.note(
          `${one.name} (pid ${one.pid}) is left of an earlier start and not what is wanted now: stopping it`,
        );
        await stopProcess(one, stopTimeoutOf({ env: environmentOf(one.pid), stopTimeoutMs: STOP_UNKNOWN_MS }));
      }),
    );
  }

  async #startStages(list: readonly Child[], living: ReadonlyMap<string, UpProcess>): Promise<void> {
    for (const stage of stages(list)) {
      if (this.#stopped) return;
      // While we waited, a newer plan may have dropped some of them.
      const members = list.filter((child) => child.plan.stage === stage && this.#children.includes(child));
      for (const child of members) {
        const running = living.get(child.plan.name);
        child.start(running?.role === child.plan.role ? running : null);
      }
      await Promise.all(members.map((child) => child.whenHealthy()));
    }
  }

  async #replace(plans: readonly ChildPlan[]): Promise<void> {
    if (this.#stopped) return;
    const kept = this.#children.filter(({ plan }) =>
      plans.some((one) => one.name === plan.name && one.role === plan.role),
    );
    await this.#stopReversed(this.#children.filter((child) => !kept.includes(child)));
    if (this.#children.length === 0) await this.#stopUnknown(plans);
    const added = plans
      .filter((plan) => !kept.some((child) => child.plan.name === plan.name))
      .map((plan) => new Child({ ...this.#options, plan }));
    this.#children = [...kept, ...added];
    // This is not awaited, because a child that never becomes healthy must not keep a better plan from being followed.
    void this.#startStages(added, new Map(this.#inherited));
    this.#inherited.clear();
    this.#options.onChange();
  }
}

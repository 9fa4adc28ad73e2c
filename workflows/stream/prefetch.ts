// A stream prefetches: it keeps groups planned, and requests queued at the worker, so that a free slot is filled at once.
import type { StreamPlan } from '../../activities/interface/step.ts';
import { groupsLeft, LATELY_MS, mostHeld, placesHeld, toPlan } from '../../evolution/schedule/stream.ts';
import type { HandedOver, ReadyGroup } from '../messages/handover.ts';
import { askFor, type Work } from '../programs/groups.ts';
import type { OpenGroups } from './open-groups.ts';

/** The stream decides how many groups may still be asked for. */
type Asking = {
  /** Nothing more is asked for here: the stream has failed, or the next window does it. */
  readonly asksNothing: boolean;
  /** The stream comes to its end. */
  readonly closing: boolean;
  /** The step that is committed next. */
  readonly step: number;
  readonly fail: (error: unknown) => void;
};

type Options = {
  readonly plan: StreamPlan;
  readonly groups: OpenGroups;
  readonly handed: HandedOver | null;
  readonly work: Work;
  readonly stream: Asking;
};

export class Prefetch {
  readonly #options: Options;
  readonly #responses: number;
  readonly #ready: ReadyGroup[];
  /** The group that is planned next. */
  #planned: number;
  /** Programs that a limit leaves to be asked for. */
  #programs: number;
  readonly size: PrefetchSize;

  constructor(options: Options) {
    const { plan, handed } = options;
    const { at } = options.work;
    this.#options = options;
    this.#responses = at.plan.responses;
    this.size = new PrefetchSize(plan, at.plan.responses);
    if (handed === null) {
      const stages = new Map((at.plan.preludes ?? []).map(({ group, stage }) => [group, stage]));
      this.#planned = plan.planned;
      this.#ready = plan.pending.map((group) => ({ group, stage: stages.get(group) ?? null }));
      this.#programs = Math.max(0, (at.input.window?.programs ?? Infinity) - at.plan.injected);
    } else {
      this.#planned = handed.planned;
      this.#ready = [...handed.ready];
      this.#programs = handed.programs ?? Infinity;
      this.size.arrived(handed.arrivals);
    }
  }

  /** The part of the state that the next window is handed. */
  get handedOver(): Pick<HandedOver, 'planned' | 'ready' | 'programs' | 'arrivals' | 'evaluationMs'> {
    return {
      planned: this.#planned,
      ready: this.#ready,
      programs: Number.isFinite(this.#programs) ? this.#programs : null,
      arrivals: this.size.arrivals,
      evaluationMs: this.#options.groups.evaluationMs,
    };
  }

  get ready(): number {
    return this.#ready.length;
  }

  /** The number of groups that are still to be asked for. */
  get wanted(): number {
    const { plan, groups, work, stream } = this.#options;
    if (stream.asksNothing || work.at.ledger.spent) return 0;
    const left = groupsLeft({
      batch: plan.batch,
      responses: this.#responses,
      uncommitted: groups.count,
      programs: this.#programs,
      steps: plan.last === null ? Infinity : plan.last - stream.step + 1,
      closing: stream.closing && plan.closed !== true,
    });
    return plan.closed === true ? Math.min(left, this.#ready.length) : left;
  }

  get #held(): number {
    const { plan, groups } = this.#options;
    const { slow, inFlight: asked, waiting } = groups;
    return placesHeld({ inFlight: plan.inFlight, slow }, { asked, waiting });
  }

  /** The groups to plan in a turn that commits so many. */
  toPlan(commits: number): { readonly from: number; readonly count: number } {
    const { plan, groups } = this.#options;
    const { slow, count: open } = groups;
    const present = { ready: this.#ready.length, open: open - commits, held: this.#held };
    const count = this.size.toPlan(present, slow);
    const most = plan.closed === true ? 0 : Math.max(0, Math.min(count, this.wanted - this.#ready.length));
    return { from: this.#planned, count: most };
  }

  /** These groups are planned, some of them with a stage before their programs. */
  add({ from, count }: { readonly from: number; readonly count: number }, preludes: readonly ReadyGroup[]): void {
    const stages = new Map(preludes.map(({ group, stage }) => [group, stage]));
    for (let group = from; group < from + count; group += 1)
      this.#ready.push({ group, stage: stages.get(group) ?? null });
    this.#planned = from + count;
  }

  /** After a reset by hand a step may hold groups that are not asked for here yet. */
  drop(committed: ReadonlySet<number>): void {
    this.#ready.splice(0, Infinity, ...this.#ready.filter(({ group }) => !committed.has(group)));
  }

  /** Asks for groups that are ready as long as there are places. */
  ask(): void {
    const { plan, groups, work, stream } = this.#options;
    while (this.#ready.length > 0 && this.wanted > 0) {
      const held = this.#held;
      if (held > 0 && held + this.#responses > this.size.mostHeld(groups.slow)) return;
      const { group, stage } = this.#ready.shift()!;
      const count = Math.min(this.#responses, this.#programs);
      this.#programs -= count;
      groups.ask(group);
      work.at.ledger.count(plan.first, 'total', this.#responses);
      for (const request of askFor(work, group, stage, count)) void request.catch((error) => stream.fail(error));
    }
  }
}

/** The number of requests and of planned groups that a stream keeps, by the answers of the last moments. */
export class PrefetchSize {
  readonly #plan: StreamPlan;
  readonly #responses: number;
  #lately: readonly { readonly atMs: number; readonly programs: number }[] = [];

  constructor(plan: StreamPlan, responses: number) {
    this.#plan = plan;
    this.#responses = responses;
  }

  arrived(programs: number): void {
    const atMs = Date.now();
    // The server's clock may have been set back meanwhile.
    const lately = this.#lately.filter((one) => Math.abs(atMs - one.atMs) < LATELY_MS);
    this.#lately = [...lately, { atMs, programs }];
  }

  /** Programs that were answered lately. */
  get arrivals(): number {
    return this.#lately.reduce((sum, { programs }) => sum + programs, 0);
  }

  /** Places that programs may take at once. */
  mostHeld(slow: number): number {
    return mostHeld(this.#sizes(slow));
  }

  /** Groups to plan, beside those that are ready, asked for or finished. */
  toPlan(present: Parameters<typeof toPlan>[1], slow: number): number {
    return toPlan(this.#sizes(slow), present);
  }

  #sizes(slow: number): Parameters<typeof toPlan>[0] {
    const { batch, inFlight } = this.#plan;
    return { batch, inFlight, responses: this.#responses, arrivals: this.arrivals, slow };
  }
}

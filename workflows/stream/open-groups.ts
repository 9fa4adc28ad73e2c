// The groups of a stream that are asked for and not committed, as plain data, so that one window can hand them over to
// the next.
import type { StreamPlan, Unrepaired } from '../../activities/interface/step.ts';
import { groupOf } from '../../evolution/schedule/slots.ts';
import { LATELY_MS } from '../../evolution/schedule/stream.ts';
import type { OpenGroup } from '../messages/handover.ts';
import type { Followed } from '../programs/unit.ts';

const begun = (group: number): OpenGroup => ({
  group,
  answered: 0,
  evaluated: 0,
  ended: 0,
  answeredMs: 0,
  omitted: [],
  unrepaired: [],
});

/** By so many evaluations, the last ones, a stream knows whether they are slow. */
const EVALUATIONS = 32;

/** The last answer of this group is no longer new. */
const isSlow = ({ answeredMs }: OpenGroup): boolean => Math.abs(Date.now() - answeredMs) >= LATELY_MS;

/** In the order in which they were finished, which is the order of insertion. */
export class OpenGroups implements Followed {
  readonly #responses: number;
  readonly #open = new Map<number, OpenGroup>();
  readonly #finished: OpenGroup[] = [];
  readonly #changed: (group: OpenGroup) => void;
  /** Of the last evaluations those that were quick. Those that are not known count as slow. */
  #quick: readonly boolean[];

  /** `changed` hears of each group that changed; `quick` is how many of the last evaluations were. */
  constructor(responses: number, quick: number, changed: (group: OpenGroup) => void) {
    this.#responses = responses;
    this.#changed = changed;
    this.#quick = Array.from({ length: EVALUATIONS }, (_, index) => index >= EVALUATIONS - quick);
  }

  get quick(): number {
    return this.#quick.filter((one) => one).length;
  }

  /** How much evaluations hold up requests: 1 where half of the last ones or more were slow. */
  get slow(): number {
    return Math.min(1, 2 * (1 - this.quick / EVALUATIONS));
  }

  /**
   * Places that programs take until they are evaluated, so that requests do not run ahead of evaluations. An answer that
   * has just come takes a part of a place by how slow evaluations are: a quick one is over before a request could leave.
   */
  get held(): number {
    const { slow } = this;
    let sum = this.inFlight;
    for (const group of this.#open.values())
      sum += Math.max(0, group.answered - group.ended) * (isSlow(group) ? 1 : slow);
    return sum;
  }

  /** Programs that are asked for and have no answer. */
  get inFlight(): number {
    let sum = 0;
    for (const { answered, ended, omitted } of this.#open.values())
      sum += this.#responses - omitted.length - Math.max(answered, ended);
    return sum;
  }

  get unfinished(): number {
    return this.#open.size;
  }

  get finished(): readonly OpenGroup[] {
    return this.#finished;
  }

  /** The groups of each step that is to be committed: several where several are whole, and at least what is finished. */
  stepsOf({ batch, steps }: Pick<StreamPlan, 'batch' | 'steps'>): readonly (readonly OpenGroup[])[] {
    const count = Math.max(1, Math.min(steps, Math.floor(this.#finished.length / batch)));
    return Array.from({ length: count }, (_, index) => this.#finished.slice(index * batch, (index + 1) * batch));
  }

  get count(): number {
    return this.#open.size + this.#finished.length;
  }

  get all(): readonly OpenGroup[] {
    return [...this.#finished, ...this.#open.values()];
  }

  ask(group: number): void {
    this.#open.set(group, begun(group));
  }

  answered(slots: readonly number[]): void {
    for (const slot of slots) this.#know(slot, ({ answered }) => ({ answered: answered + 1, answeredMs: Date.now() }));
  }

  evaluated(slots: readonly number[]): void {
    const groups = slots.flatMap((slot) => this.#open.get(groupOf(slot, this.#responses)) ?? []);
    this.#quick = [...this.#quick, ...groups.map((group) => !isSlow(group))].slice(groups.length);
    for (const slot of slots) this.#know(slot, ({ evaluated }) => ({ evaluated: evaluated + 1 }));
  }

  ended(slot: number): void {
    this.#know(slot, ({ ended }) => ({ ended: ended + 1 }));
  }

  omitted(slots: readonly number[]): void {
    for (const slot of slots) this.#know(slot, ({ omitted }) => ({ omitted: [...omitted, slot] }));
  }

  unrepaired(one: Unrepaired): void {
    this.#know(one.slot, ({ unrepaired }) => ({ unrepaired: [...unrepaired, one] }));
  }

  refused(group: number): void {
    this.#know(group * this.#responses, ({ omitted }) => ({ ended: this.#responses - omitted.length }));
  }

  /** A group that is not finished. */
  open(group: number): OpenGroup | undefined {
    return this.#open.get(group);
  }

  /** A group as another window knows it. */
  take(group: OpenGroup): void {
    this.#open.set(group.group, group);
    this.#settle(group);
  }

  /** These groups are committed. */
  commit(groups: readonly number[]): void {
    const gone = new Set(groups);
    for (const group of gone) this.#open.delete(group);
    this.#finished.splice(0, Infinity, ...this.#finished.filter(({ group }) => !gone.has(group)));
  }

  #know(slot: number, news: (group: OpenGroup) => Partial<OpenGroup>): void {
    const before = this.#open.get(groupOf(slot, this.#responses));
    if (before === undefined) return;
    const group = { ...before, ...news(before) };
    this.#open.set(group.group, group);
    this.#settle(group);
  }

  /** A group of which nothing was asked is left as it was planned. */
  #settle(group: OpenGroup): void {
    const { ended, omitted } = group;
    if (ended + omitted.length >= this.#responses) {
      this.#open.delete(group.group);
      if (omitted.length < this.#responses) this.#finished.push(group);
    }
    this.#changed(group);
  }
}

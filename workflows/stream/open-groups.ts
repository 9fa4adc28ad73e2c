// The groups of a stream that are asked for and not committed, as plain data, so that one window can hand them over to
// the next.
import type { StreamPlan, Unrepaired } from '../../activities/interface/step.ts';
import { groupOf } from '../../evolution/schedule/slots.ts';
import { slowness } from '../../evolution/schedule/stream.ts';
import type { OpenGroup } from '../messages/handover.ts';
import type { Followed } from '../programs/unit.ts';

const begun = (group: number): OpenGroup => ({
  group,
  answered: 0,
  evaluated: 0,
  ended: 0,
  omitted: [],
  unrepaired: [],
});

/** By the last evaluations, so many, a stream knows how long they take. Before there are any, it takes them for slow. */
const EVALUATIONS = 32;
const UNKNOWN = { evaluations: 8, ms: 1_000 };

/** In the order in which they were finished, which is the order of insertion. */
export class OpenGroups implements Followed {
  readonly #responses: number;
  readonly #open = new Map<number, OpenGroup>();
  readonly #finished: OpenGroup[] = [];
  readonly #changed: (group: OpenGroup) => void;
  /** Milliseconds of the last evaluations, each with the mean of its step. */
  #lately: readonly number[];

  /** `changed` hears of each group that changed; `evaluationMs` is what the window before knows. */
  constructor(responses: number, evaluationMs: number | null, changed: (group: OpenGroup) => void) {
    this.#responses = responses;
    this.#changed = changed;
    this.#lately = Array.from({ length: UNKNOWN.evaluations }, () => evaluationMs ?? UNKNOWN.ms);
  }

  get evaluationMs(): number {
    return this.#lately.reduce((sum, ms) => sum + ms, 0) / this.#lately.length;
  }

  get slow(): number {
    return slowness(this.evaluationMs);
  }

  /** Programs that have an answer and are to be evaluated. */
  get waiting(): number {
    let sum = 0;
    for (const { answered, ended } of this.#open.values()) sum += Math.max(0, answered - ended);
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

  /** These groups are committed; their evaluations took so long on average, where it is known. */
  commit(groups: readonly number[], evaluationMs: number | null): void {
    if (evaluationMs !== null) this.#lately = [...this.#lately, ...groups.map(() => evaluationMs)].slice(-EVALUATIONS);
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

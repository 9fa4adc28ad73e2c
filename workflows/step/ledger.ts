// The ledger is what a step's workflow counts while steps are under way, and what their commits will be told.
import type { Unrepaired } from '../../activities/interface/step.ts';
import type { InStep } from '../messages/messages.ts';

type Counts = { -readonly [count in keyof InStep]: number };
type Left = { readonly counts: Counts; readonly omitted: number[]; readonly unrepaired: Unrepaired[] };

const none = (): Counts => ({ total: 0, responses: 0, applied: 0, evaluated: 0, toEvaluate: 0 });

export class Ledger {
  /** Counts over all steps that are not committed. */
  readonly counts = none();
  readonly #steps = new Map<number, Left>();
  #spent = false;
  /** Is called after each change of a count. */
  onChange: () => void = () => undefined;

  /** Whether a response did not fit into a limit. */
  get spent(): boolean {
    return this.#spent;
  }

  count(step: number, kind: keyof InStep, by: number): void {
    this.counts[kind] += by;
    this.#of(step).counts[kind] += by;
    this.onChange();
  }

  /** Notes slots that are not asked for, to keep a limit. */
  omit(step: number, slots: readonly number[]): void {
    if (slots.length === 0) return;
    this.#spent = true;
    this.#of(step).omitted.push(...slots);
    this.count(step, 'total', -slots.length);
  }

  unrepaired(step: number, one: Unrepaired): void {
    this.#of(step).unrepaired.push(one);
  }

  omittedOf(step: number): readonly number[] {
    return [...this.#of(step).omitted].sort((a, b) => a - b);
  }

  unrepairedOf(step: number): readonly Unrepaired[] {
    return this.#of(step).unrepaired;
  }

  /** In a stream: these counts are of groups that are committed, or are elsewhere from now on. */
  gone(step: number, counts: Partial<InStep>): void {
    for (const [kind, many] of Object.entries(counts)) {
      this.counts[kind as keyof InStep] -= many;
      this.#of(step).counts[kind as keyof InStep] -= many;
    }
    this.onChange();
  }

  committed(step: number): void {
    for (const [kind, many] of Object.entries(this.#of(step).counts)) this.counts[kind as keyof InStep] -= many;
    this.#steps.delete(step);
  }

  #of(step: number): Left {
    const left = this.#steps.get(step) ?? { counts: none(), omitted: [], unrepaired: [] };
    this.#steps.set(step, left);
    return left;
  }
}

// The ledger of a step's workflow: counts while steps are under way, and facts that their commits need.
import type { Unrepaired } from '../../activities/interface/step.ts';
import type { InStep } from '../messages/messages.ts';
import type { OpenGroup } from '../messages/handover.ts';

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

  /** True once a response did not fit into a limit. */
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

  /** In a stream, a group comes here with what is known of it (1), or goes (-1). */
  carry(step: number, { answered, evaluated, omitted }: OpenGroup, responses: number, sign: 1 | -1): void {
    this.count(step, 'total', sign * (responses - omitted.length));
    for (const kind of ['responses', 'applied'] as const) this.count(step, kind, sign * answered);
    for (const kind of ['toEvaluate', 'evaluated'] as const) this.count(step, kind, sign * evaluated);
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

// The responses of a unit become evaluated programs: edits are applied, programs are embedded where the settings say
// so, what their stages ask is asked, and programs are evaluated. What arrives while a batch is under way travels in the
// next one, and nothing waits for what it does not need.
import type { AnsweredCall, Applied, Embedded, Evaluated } from '../../activities/interface/step.ts';
import { STAGES } from '../../evolution/stages.ts';
import { embedding, evaluation, store } from '../engine/proxies.ts';
import { onHosts } from '../engine/hosted.ts';
import type { InStep } from '../messages/messages.ts';
import { askAside } from './asking.ts';
import { Gather } from './flow.ts';
import { type Conductor, nameOf, type Unit } from './unit.ts';

const APPLIED = { size: 64, inFlight: 2 };
const EMBEDDED = { size: 32, inFlight: 4 };
const ASKED = { size: 1, inFlight: 16 };

export class Pipeline {
  readonly #at: Conductor;
  readonly #unit: Unit;
  readonly #applications = new Gather<number>({ ...APPLIED, work: (slots) => this.#apply(slots) });
  readonly #asks = new Gather<AnsweredCall>({ ...ASKED, work: ([call]) => this.#ask(call!) });
  /** Slots whose program was run and failed, and is mended. They were counted before. */
  readonly #mended = new Set<number>();
  /** In a stream, how much is under way for each slot. */
  readonly #left = new Map<number, number>();
  /** Slots whose call could not be made, by the phase that goes on with them. */
  readonly #final = { apply: new Set<number>(), embed: new Set<number>() };
  readonly #embeddings = new Gather<number>({ ...EMBEDDED, work: (slots) => this.#embed(slots) });
  readonly #evaluations: Gather<number>;

  constructor(at: Conductor, unit: Unit) {
    this.#at = at;
    this.#unit = unit;
    this.#evaluations = new Gather<number>({
      ...at.input.batching,
      ...(at.plan.parallel !== undefined && { size: 1, inFlight: at.plan.parallel }),
      settles: at.plan.stream !== undefined,
      work: (slots) => this.#evaluate(slots),
    });
    if (this.#embeds) at.allowance.owe(unit.evaluate.length);
    this.#embedOrEvaluate(unit.evaluate);
  }

  /** Goes on with responses that are stored, or with what came of their edits. */
  take(slots: readonly number[], applied: Applied | null = null): void {
    this.#count('responses', slots.length);
    this.#unit.stream?.answered(slots);
    this.#begin(slots);
    if (this.#embeds) this.#at.allowance.owe(slots.length);
    if (applied === null) this.#applications.add(slots);
    else this.#follow(slots, applied);
  }

  /** Resolves when nothing is left, once `answered` holds, which says that no further responses come. */
  drained(answered: () => boolean): readonly Promise<void>[] {
    const parts = [this.#applications, this.#asks, this.#embeddings, this.#evaluations];
    const over = (): boolean => answered() && parts.every(({ idle }) => idle);
    return parts.map((part) => part.drained(over));
  }

  async #apply(slots: readonly number[]): Promise<void> {
    this.#follow(slots, await this.#applied(slots));
  }

  #follow(slots: readonly number[], applied: Applied): void {
    const asks = applied.asks ?? [];
    const open = new Set(asks.flatMap(({ stage, slot }) => (STAGES[stage].resumes === null ? [] : [slot])));
    const done = slots.filter((slot) => !open.has(slot) && !this.#mended.has(slot));
    for (const slot of applied.mended ?? []) this.#mended.add(slot);
    const [first, again] = [false, true].map((is) => applied.evaluate.filter((slot) => this.#mended.has(slot) === is));
    this.#count('applied', done.length);
    if (this.#embeds) this.#at.allowance.follow(done.length - first!.length, null);
    this.#begin([...applied.evaluate, ...asks.map(({ slot }) => slot).filter((slot) => !open.has(slot))]);
    this.#embedOrEvaluate(first!);
    this.#evaluations.add(again!);
    this.#asks.add(asks);
    this.#end(slots.filter((slot) => !open.has(slot)));
  }

  async #embed(slots: readonly number[]): Promise<void> {
    const embedded = await this.#embedded(slots);
    this.#at.allowance.follow(slots.length, embedded);
    this.#asks.add(embedded.asks ?? []);
    this.#toEvaluate(embedded.evaluate);
  }

  async #evaluate(slots: readonly number[]): Promise<void> {
    const { asked, failed = [] } = await this.#evaluated(slots);
    if (asked !== undefined) this.#at.allowance.pay(asked);
    const first = slots.filter((slot) => !this.#mended.has(slot));
    this.#count('evaluated', first.length);
    this.#unit.stream?.evaluated(first);
    for (const slot of failed) this.#mended.add(slot);
    this.#begin(failed);
    this.#applications.add(failed);
    this.#end(slots);
  }

  /** The phase of the stage goes on with the answer; where there is none, with what it had. */
  async #ask(call: AnsweredCall): Promise<void> {
    const { ref } = this.#unit;
    const { slot } = call;
    const { resumes } = STAGES[call.stage];
    const group = Math.floor(slot / this.#at.plan.responses);
    const reason = await askAside(this.#at.allowance, { ...ref, group, ...call });
    if (resumes === null) {
      if (reason !== null) {
        this.#at.ledger.unrepaired(ref.step, { slot, reason });
        this.#unit.stream?.unrepaired({ slot, reason });
      }
      this.#end([slot]);
      return;
    }
    if (reason !== null) this.#final[resumes].add(slot);
    if (resumes === 'apply') this.#applications.add([slot]);
    else this.#toEvaluate((await this.#embedded([slot])).evaluate);
  }

  #applied(slots: readonly number[]): Promise<Applied> {
    const { ref, ahead, overlaps } = this.#unit;
    const summary = `apply edits of ${slots.length} responses: ${nameOf(this.#unit)}, first slot ${slots[0]}`;
    const final = slots.filter((slot) => this.#final.apply.has(slot));
    return this.#phase('apply', slots, () =>
      store.applyResponses.executeWithOptions({ summary }, [
        {
          ...{ ...ref, slots },
          ...(final.length > 0 && { final }),
          ...(ahead && { ahead }),
          ...(overlaps && { overlaps }),
          ...(this.#unit.stream && { stream: true as const }),
        },
      ]),
    );
  }

  #embedded(slots: readonly number[]): Promise<Embedded> {
    const { ref, ahead } = this.#unit;
    const summary = `embed ${slots.length} programs: ${nameOf(this.#unit)}, first slot ${slots[0]}`;
    const final = slots.filter((slot) => this.#final.embed.has(slot));
    return this.#phase('embed', slots, (acknowledged) =>
      embedding.embed.executeWithOptions({ summary }, [
        {
          ...ref,
          slots,
          ...(final.length > 0 && { final }),
          ...(ahead && { ahead }),
          ...(acknowledged > 0 && { told: acknowledged }),
        },
      ]),
    );
  }

  #evaluated(slots: readonly number[]): Promise<Evaluated> {
    const { ref } = this.#unit;
    const summary = `evaluate: ${nameOf(this.#unit)}, slot ${slots.join(', ')}`;
    const mended = slots.filter((slot) => this.#mended.has(slot));
    return this.#at.evaluations.run(() =>
      this.#phase('evaluate', slots, () =>
        onHosts({ run: ref.run, queue: this.#at.plan.queue }, (hosted) =>
          evaluation.evaluate.executeWithOptions({ summary, ...hosted }, [
            { ...ref, slots, ...(mended.length > 0 && { mended }) },
          ]),
        ),
      ),
    );
  }

  #phase<T>(what: string, [first]: readonly number[], work: (acknowledged: number) => Promise<T>): Promise<T> {
    return this.#at.park.phase(`${what} ${this.#unit.ref.step}.${first}`, work, ['SupersededError']);
  }

  #embedOrEvaluate(slots: readonly number[]): void {
    if (this.#embeds) this.#embeddings.add(slots);
    else this.#toEvaluate(slots);
  }

  #toEvaluate(slots: readonly number[]): void {
    this.#count('toEvaluate', slots.length);
    this.#evaluations.add(slots);
  }

  #begin(slots: readonly number[]): void {
    if (this.#unit.stream === undefined) return;
    for (const slot of slots) this.#left.set(slot, (this.#left.get(slot) ?? 0) + 1);
  }

  #end(slots: readonly number[]): void {
    if (this.#unit.stream === undefined) return;
    for (const slot of slots) {
      const left = this.#left.get(slot)! - 1;
      this.#left.set(slot, left);
      if (left > 0) continue;
      this.#left.delete(slot);
      this.#unit.stream.ended(slot);
    }
  }

  #count(kind: keyof InStep, by: number): void {
    this.#at.ledger.count(this.#unit.ref.step, kind, by);
  }

  get #embeds(): boolean {
    return this.#at.plan.embeds === true;
  }
}

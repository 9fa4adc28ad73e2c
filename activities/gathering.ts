// Calls of many callers gathered into one, where a call costs far more than what it carries.
type Waiting<I, O> = {
  readonly items: readonly I[];
  readonly done: (answer: O) => void;
  readonly failed: (error: unknown) => void;
};

/**
 * While a call is under way, further ones wait and then go together in one. Nothing waits for a timer, and a single call
 * goes once the process has done what is at hand.
 */
export class Gathering<I, O> {
  readonly #call: (items: readonly I[]) => Promise<O>;
  readonly #share: (answer: O, from: number, count: number, all: readonly I[]) => O;
  #waiting: Waiting<I, O>[] = [];
  #busy = false;

  /** `share` cuts one caller's part out of the answer to all. */
  constructor(
    call: (items: readonly I[]) => Promise<O>,
    share: (answer: O, from: number, count: number, all: readonly I[]) => O,
  ) {
    this.#call = call;
    this.#share = share;
  }

  ask(items: readonly I[]): Promise<O> {
    return new Promise((done, failed) => {
      this.#waiting.push({ items, done, failed });
      if (!this.#busy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    // All calls within one turn of the process go together from the first one on.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#answer(this.#waiting.splice(0));
    this.#busy = false;
  }

  /** Never rejects. After an error each call goes alone, so that one caller's bad document fails no other. */
  async #answer(group: readonly Waiting<I, O>[]): Promise<void> {
    const [first] = group;
    const isOne = group.length === 1;
    const all = isOne ? first!.items : group.flatMap(({ items }) => items);
    try {
      const answer = await this.#call(all);
      let from = 0;
      for (const { items, done } of group) {
        done(isOne ? answer : this.#share(answer, from, items.length, all));
        from += items.length;
      }
    } catch (error) {
      if (isOne) first!.failed(error);
      else await Promise.all(group.map((one) => this.#answer([one])));
    }
  }
}

// Answers that were read once count for a while, however many ask for them.

type Entry<T> = { readonly atMs: number; readonly value: Promise<T> };

export class Kept<T> {
  readonly #most: number;
  readonly #forMs: number;
  /** The longest unused first. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(most: number, forMs = Infinity) {
    this.#most = most;
    this.#forMs = forMs;
  }

  /** The answer of `read` goes to all who ask in time; an error only to those who wait for it. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    let entry = this.#entries.get(key);
    if (entry === undefined || performance.now() - entry.atMs >= this.#forMs) {
      entry = { atMs: performance.now(), value: read() };
      const { value } = entry;
      value.catch(() => this.#entries.get(key)?.value === value && this.drop(key));
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#most) this.drop(this.#entries.keys().next().value!);
    return entry.value;
  }

  drop(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

// Recently written or read texts, least recently used first out: a step's parents and prompts are not read twice. Called by texts.ts.
import type { BlobRef } from '../../evolution/types.ts';

export class TextCache {
  readonly #texts = new Map<BlobRef, string>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) { this.#maxBytes = maxBytes; }

  get(ref: BlobRef): string | undefined {
    const text = this.#texts.get(ref);
    if (text !== undefined) { this.#texts.delete(ref); this.#texts.set(ref, text); }
    return text;
  }

  has(ref: BlobRef): boolean { return this.#texts.has(ref); }

  set(ref: BlobRef, text: string): void {
    if (this.#texts.has(ref) || sizeBytes(text) > this.#maxBytes / 4) return;
    this.#texts.set(ref, text);
    this.#bytes += sizeBytes(text);
    for (const [oldest, old] of this.#texts) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#texts.delete(oldest);
      this.#bytes -= sizeBytes(old);
    }
  }
}

/** Two bytes a character, and what a map entry and its key take. */
const sizeBytes = (text: string): number => 2 * text.length + 200;

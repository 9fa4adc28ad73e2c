// Slows down visitors who guess tokens: an address may show ten wrong ones at once, then one every ten seconds. More
// are refused without being looked at, so that nothing waits for its time here. Other addresses are not touched by it.
import type { Visitor } from './visitor.ts';

const AT_ONCE = 10;
const EVERY_MS = 10_000;
/** All visitors together who come through a proxy on this machine, because they may write the address that it names. */
const PROXY_FACTOR = 10;
/** So many addresses are remembered, about 100 bytes each. */
const MOST_ADDRESSES = 10_000;

type Limit = { readonly key: string; readonly everyMs: number };

const limitsOf = ({ peer, address }: Visitor): readonly Limit[] => [
  { key: address, everyMs: EVERY_MS },
  ...(address === peer ? [] : [{ key: `through ${peer}`, everyMs: EVERY_MS / PROXY_FACTOR }]),
];

export class WrongTokens {
  /**
   * The time at which all wrong tokens of an address are forgotten, by a clock that nobody can set; the last address
   * that showed one is last.
   */
  readonly #clearAtMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whole seconds until a token of this visitor is looked at again; 0 where it is looked at now. */
  waitSeconds(visitor: Visitor): number {
    const nowMs = this.#nowMs();
    const waits = limitsOf(visitor).map(({ key, everyMs }) => {
      const allowance = key === visitor.address ? AT_ONCE : AT_ONCE * PROXY_FACTOR;
      return (this.#clearAtMs.get(key) ?? nowMs) - nowMs - (allowance - 1) * everyMs;
    });
    return Math.max(0, Math.ceil(Math.max(...waits) / 1000));
  }

  /** This visitor has shown a wrong one. */
  note(visitor: Visitor): void {
    const nowMs = this.#nowMs();
    for (const { key, everyMs } of limitsOf(visitor)) {
      const clearAtMs = Math.max(nowMs, this.#clearAtMs.get(key) ?? nowMs) + everyMs;
      this.#clearAtMs.delete(key);
      this.#clearAtMs.set(key, clearAtMs);
    }
    for (const key of this.#clearAtMs.keys())
      if (this.#clearAtMs.size > MOST_ADDRESSES) this.#clearAtMs.delete(key);
      else break;
  }
}

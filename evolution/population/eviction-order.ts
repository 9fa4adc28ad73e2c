// The next program to evict, found by walking up the worst-first order beside the members out of turn.
import { insertSorted, worth } from '../archives/roster.ts';
import type { Member } from '../types.ts';

/** `keep`: asked about again next time. `drop`: not asked about again, unless it is inserted. */
type Verdict = 'take' | 'keep' | 'drop';

export class EvictionOrder {
  readonly #worstFirst: readonly Member[];
  readonly #inserted: Member[] = [];
  #next = 0;

  constructor(worstFirst: readonly Member[]) {
    this.#worstFirst = worstFirst;
  }

  /** For a newcomer, or a program that has lost the protection for which it was dropped. */
  insert(member: Member): void {
    insertSorted(this.#inserted, member, worth);
  }

  /** The worst program that is to be taken, or null when none is. */
  take(judge: (member: Member) => Verdict): Member | null {
    const passedOver: Member[] = [];
    let victim: Member | null = null;
    for (let member = this.#pop(); member !== null; member = this.#pop()) {
      const verdict = judge(member);
      if (verdict === 'keep') passedOver.push(member);
      if (verdict === 'take') {
        victim = member;
        break;
      }
    }
    for (const member of passedOver) this.insert(member);
    return victim;
  }

  #pop(): Member | null {
    const base = this.#worstFirst[this.#next];
    const inserted = this.#inserted[0];
    if (inserted && (!base || worth(inserted, base) < 0)) return this.#inserted.shift()!;
    if (base) this.#next++;
    return base ?? null;
  }
}

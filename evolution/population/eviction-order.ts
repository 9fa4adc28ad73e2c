// Who is evicted next, found without looking through the population: a walk up its worst-first order, beside the few
// that are looked at out of turn.
import { insertSorted, worth } from '../archives/roster.ts';
import type { Member } from '../types.ts';

/** `keep`: not now, ask again next time. `drop`: do not ask again, unless it is inserted. */
type Verdict = 'take' | 'keep' | 'drop';

export class EvictionOrder {
  readonly #worstFirst: readonly Member[];
  readonly #inserted: Member[] = [];
  #next = 0;

  constructor(worstFirst: readonly Member[]) {
    this.#worstFirst = worstFirst;
  }

  /** A newcomer, or a program that has lost the protection for which it was dropped. */
  insert(member: Member): void {
    insertSorted(this.#inserted, member, worth);
  }

  /** The worst program that is to be taken, or null when none is. */
  take(judge: (member: Member) => Verdict): Member | null {
    const kept: Member[] = [];
    let taken: Member | null = null;
    for (let member = this.#pop(); member !== null; member = this.#pop()) {
      const verdict = judge(member);
      if (verdict === 'keep') kept.push(member);
      if (verdict === 'take') {
        taken = member;
        break;
      }
    }
    for (const member of kept) this.insert(member);
    return taken;
  }

  #pop(): Member | null {
    const base = this.#worstFirst[this.#next];
    const inserted = this.#inserted[0];
    if (inserted && (!base || worth(inserted, base) < 0)) return this.#inserted.shift()!;
    if (base) this.#next++;
    return base ?? null;
  }
}

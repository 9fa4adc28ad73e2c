// A limit on what all visitors share: searches, pages that follow, connections. As long as there is room, a visitor
// takes as many as he likes. When there is none, the one with the most gives one up to a visitor with fewer, so that
// nobody keeps the others out. Several sessions of one address, as behind a proxy, share its part in the same way.
import type { Context } from 'hono';
import { Refusal } from '../site/refusal.ts';
import { visitorOf } from './visitor.ts';

export type Holder = { readonly address: string; readonly session: string };
type Held = { readonly holder: Holder; readonly giveUp: () => void };

export const holderOf = (c: Context): Holder => ({
  address: visitorOf(c).address,
  session: c.req.header('authorization') ?? '',
});

/** Those that belong to whoever has the most of them; null where that is not more than `own` would then have. */
const ofWhoHasMost = (all: readonly Held[], by: keyof Holder, own: Holder): readonly Held[] | null => {
  const groups = Map.groupBy(all, ({ holder }) => holder[by]);
  const ownCount = groups.get(own[by])?.length ?? 0;
  let most: readonly Held[] = [];
  for (const group of groups.values()) if (group.length > most.length) most = group;
  return most.length > ownCount + 1 ? most : null;
};

export class FairLimit {
  /** The oldest first. */
  readonly #held = new Set<Held>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * A function that gives it back, which may be called again; null where nothing is free and nobody has more than this
   * holder.
   * `giveUp` is called when it goes to somebody else.
   */
  take(holder: Holder, giveUp: () => void): (() => void) | null {
    if (this.#held.size >= this.#most) {
      const oldest = this.#oldestToGiveUp(holder);
      if (oldest === null) return null;
      this.#held.delete(oldest);
      oldest.giveUp();
    }
    const held = { holder, giveUp };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  /**
   * The stream that `make` gives, which counts until it has ended; null as of `take`. One that is given up breaks off, so
   * that nobody takes a part for the whole.
   */
  stream(holder: Holder, make: () => ReadableStream<Uint8Array>): ReadableStream<Uint8Array> | null {
    let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
    let givenUp = false;
    const giveBack = this.take(holder, () => {
      givenUp = true;
      void reader?.cancel().catch(() => undefined);
    });
    if (giveBack === null) return null;
    const source = make().getReader();
    reader = source;
    source.closed.then(giveBack, giveBack);
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value, done } = await source.read();
          if (givenUp) controller.error(new Refusal('others asked meanwhile: ask again in a few seconds', 429));
          else if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => source.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  #oldestToGiveUp(own: Holder): Held | null {
    const all = [...this.#held];
    const others = ofWhoHasMost(all, 'address', own);
    // Another address has more than this one: of its sessions the one that has the most.
    if (others !== null) return ofWhoHasMost(others, 'session', own)?.[0] ?? others[0]!;
    const ofAddress = all.filter(({ holder }) => holder.address === own.address);
    return ofWhoHasMost(ofAddress, 'session', own)?.[0] ?? null;
  }
}

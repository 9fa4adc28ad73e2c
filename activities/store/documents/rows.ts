// The population as rows (memberships, cells, tallies and prompts), and what a change set does to them.
import { promptKey } from '../../../evolution/population/population.ts';
import type { Cell, ChangeSet, IslandPrompt, Membership, ProgramId, Tally } from '../../../evolution/types.ts';
import { avalanche } from '../../../evolution/rng.ts';

export const membershipKey = ({ island, id }: { readonly island: number; readonly id: ProgramId }): string =>
  `${island}:${id}`;
export const cellKey = ({ island, cell }: { readonly island: number; readonly cell: string }): string =>
  `${island}:${cell}`;

/** Changed in place. The cost follows the size of the change, not of the population. */
export class Rows {
  /** Keyed by `island:program`, as the others are by `island:cell`, program, and `island:prompt`. */
  readonly memberships = new Map<string, Membership>();
  readonly cells = new Map<string, Cell>();
  readonly tallies = new Map<ProgramId, Tally>();
  readonly prompts = new Map<string, IslandPrompt>();
  #sum: Sum = { count: 0, low: 0, high: 0 };

  static of(
    memberships: Iterable<Membership>,
    cells: Iterable<Cell>,
    tallies: Iterable<Tally> = [],
    prompts: Iterable<IslandPrompt> = [],
  ): Rows {
    const rows = new Rows();
    rows.#write({
      memberships: new Map([...memberships].map((m) => [membershipKey(m), m])),
      cells: new Map([...cells].map((c) => [cellKey(c), c])),
      tallies: new Map([...tallies].map((t) => [t.id, t])),
      prompts: new Map([...prompts].map((p) => [promptKey(p), p])),
    });
    return rows;
  }

  get size(): number {
    return this.memberships.size + this.cells.size + this.tallies.size + this.prompts.size;
  }

  /** Equal for equal rows, whatever way led to them. */
  get fingerprint(): string {
    return toText(this.#sum);
  }

  fingerprintAfter(change: ChangeSet): string {
    return toText(this.#sumAfter(editsOf(change)));
  }

  /** Entries are absolute, so applying a change set twice changes nothing more. */
  apply(change: ChangeSet): void {
    this.#write(editsOf(change));
  }

  #write(edits: Edits): void {
    this.#sum = this.#sumAfter(edits);
    writeInto(this.memberships, edits.memberships);
    writeInto(this.cells, edits.cells);
    writeInto(this.tallies, edits.tallies);
    writeInto(this.prompts, edits.prompts);
  }

  #sumAfter({ memberships, cells, tallies, prompts }: Edits): Sum {
    const withCells = sumAfter(
      sumAfter(this.#sum, this.memberships, memberships, membershipText),
      this.cells,
      cells,
      cellText,
    );
    return sumAfter(sumAfter(withCells, this.tallies, tallies, tallyText), this.prompts, prompts, promptText);
  }
}

/** The content of each touched key afterwards; null means none. */
type Edits = {
  readonly memberships: ReadonlyMap<string, Membership | null>;
  readonly cells: ReadonlyMap<string, Cell | null>;
  readonly tallies: ReadonlyMap<ProgramId, Tally | null>;
  readonly prompts: ReadonlyMap<string, IslandPrompt | null>;
};

const editsOf = (change: ChangeSet): Edits => ({
  memberships: new Map<string, Membership | null>([
    ...change.remove.map((gone) => [membershipKey(gone), null] as const),
    ...change.add.map((membership) => [membershipKey(membership), membership] as const),
  ]),
  cells: new Map(
    change.cells.map(
      ({ island, cell, program, fit }) =>
        [cellKey({ island, cell }), program === null ? null : { island, cell, program, fit }] as const,
    ),
  ),
  tallies: new Map((change.tallies ?? []).map((tally) => [tally.id, tally])),
  prompts: new Map((change.prompts ?? []).map((prompt) => [promptKey(prompt), prompt])),
});

const writeInto = <V>(map: Map<string, V>, edits: ReadonlyMap<string, V | null>): void => {
  for (const [key, value] of edits) {
    if (value === null) map.delete(key);
    else map.set(key, value);
  }
};

/** A multiset hash: the sum of the rows' hashes, which is updated with each row that comes or goes. */
type Sum = { readonly count: number; readonly low: number; readonly high: number };

const sumAfter = <V>(
  sum: Sum,
  map: ReadonlyMap<string, V>,
  edits: ReadonlyMap<string, V | null>,
  textOf: (value: V) => string,
): Sum => {
  let { count, low, high } = sum;
  const toggle = (sign: 1 | -1, text: string): void => {
    count += sign;
    low = (low + sign * fnv1a(text, 0x811c9dc5)) >>> 0;
    high = (high + sign * fnv1a(text, 0x050c5d1f)) >>> 0;
  };
  for (const [key, value] of edits) {
    const old = map.get(key);
    if (old !== undefined) toggle(-1, textOf(old));
    if (value !== null) toggle(1, textOf(value));
  }
  return { count, low, high };
};

const membershipText = (m: Membership): string =>
  `m ${m.island} ${m.id} ${m.fit} ${m.bornSeq} ${m.length} ${m.home}${m.values === undefined ? '' : ` ${m.values.join(',')}`}`;
const cellText = (c: Cell): string => `c ${c.island} ${c.cell} ${c.program} ${c.fit}`;
const tallyText = (t: Tally): string => `t ${t.id} ${t.parent} ${t.children} ${t.visits} ${t.best}`;
const promptText = (p: IslandPrompt): string =>
  `p ${p.island} ${p.id} ${p.text} ${p.parent} ${p.bestFit}${p.left ? ' left' : ''}`;
const hex = (n: number): string => n.toString(16).padStart(8, '0');
const toText = ({ count, low, high }: Sum): string => `${count}:${hex(high)}${hex(low)}`;

/** FNV-1a over UTF-16 units, mixed at the end so that sums of hashes stay spread. */
const fnv1a = (text: string, seed: number): number => {
  let h = seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return avalanche(h) >>> 0;
};

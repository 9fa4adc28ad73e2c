// The lines that were deleted between the root of a lineage and a program, by which an edit is seen to bring one back.
import type { ProgramId } from '../../../evolution/types.ts';
import type { Store } from '../../store/store.ts';

/** The lines that an edit deleted, and the edge above it. All descendants share it. */
type Edge = { readonly deleted: readonly string[]; readonly before: Edge | null };

const KEPT = 20_000;

/** Edges are remembered, because deltas never change. */
export class DeletedLines {
  readonly #store: Pick<Store, 'getDeltas'>;
  readonly #edges = new Map<ProgramId, Edge>();

  constructor(store: Pick<Store, 'getDeltas'>) {
    this.#store = store;
  }

  /** The hashes of all lines that were deleted on the way to each of these deltas. */
  async before(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, ReadonlySet<string>>> {
    const read = await this.#readUpwards(ids);
    const sets = new Map(ids.map((id) => [id, unionOf(this.#edgeOf(id, read))]));
    for (const oldest of this.#edges.keys()) {
      if (this.#edges.size <= KEPT) break;
      this.#edges.delete(oldest);
    }
    return sets;
  }

  async #readUpwards(ids: readonly ProgramId[]): Promise<Lineage> {
    const read = new Map<ProgramId, Edited>();
    for (let level = ids; level.length > 0;) {
      const unread = [...new Set(level)].filter((id) => !this.#edges.has(id) && !read.has(id));
      const deltas = await this.#store.getDeltas(unread);
      for (const [id, { parent, parentForm = parent, lines }] of deltas)
        read.set(id, { parent: parentForm, deleted: lines?.deleted ?? [] });
      level = [...deltas.values()].flatMap(({ parent, parentForm = parent }) => parentForm ?? []);
    }
    return read;
  }

  /** From the root down and without recursion, because lineages are long. */
  #edgeOf(id: ProgramId, read: Lineage): Edge | null {
    const path: ProgramId[] = [];
    let at: ProgramId | null = id;
    while (at !== null && !this.#edges.has(at) && read.has(at)) {
      path.push(at);
      at = read.get(at)!.parent;
    }
    let edge = at === null ? null : (this.#edges.get(at) ?? null);
    for (const next of path.reverse()) {
      edge = { deleted: read.get(next)!.deleted, before: edge };
      this.#edges.set(next, edge);
    }
    return edge;
  }
}

type Edited = { readonly parent: ProgramId | null; readonly deleted: readonly string[] };
type Lineage = ReadonlyMap<ProgramId, Edited>;

const unionOf = (edge: Edge | null): ReadonlySet<string> => {
  const union = new Set<string>();
  for (let at = edge; at !== null; at = at.before) for (const hash of at.deleted) union.add(hash);
  return union;
};

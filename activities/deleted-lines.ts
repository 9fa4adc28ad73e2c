// Lines that were deleted along a program's lineage, from the deltas that are stored. Called by apply-responses.ts.
import type { ProgramId } from '../evolution/types.ts';
import type { Store } from './store/store.ts';

/** What the edge to a program deleted, and the edge before it. Shared by all that descend from it. */
type Edge = { readonly deleted: readonly string[]; readonly before: Edge | null };

const KEPT = 20_000;

/** Of each of these programs, the hashes of all lines that an edge from its root to it deleted. Edges are remembered: deltas never change. */
export const createDeletedLines = (store: Pick<Store, 'getDeltas'>): ((ids: readonly ProgramId[]) => Promise<ReadonlyMap<ProgramId, ReadonlySet<string>>>) => {
  const known = new Map<ProgramId, Edge>();
  return async (ids) => {
    const read = new Map<ProgramId, { readonly parent: ProgramId | null; readonly deleted: readonly string[] }>();
    for (let level = ids; level.length > 0;) {
      const deltas = await store.getDeltas([...new Set(level)].filter((id) => !known.has(id) && !read.has(id)));
      for (const [id, { parent, lines }] of deltas) read.set(id, { parent, deleted: lines?.deleted ?? [] });
      level = [...deltas.values()].flatMap(({ parent }) => parent ?? []);
    }
    const edgeOf = (id: ProgramId): Edge | null => {
      // From the root down, without recursion: lineages are long.
      const path: ProgramId[] = [];
      let at: ProgramId | null = id;
      while (at !== null && !known.has(at) && read.has(at)) { path.push(at); at = read.get(at)!.parent; }
      let edge = at === null ? null : known.get(at) ?? null;
      for (const next of path.reverse()) known.set(next, edge = { deleted: read.get(next)!.deleted, before: edge });
      return edge;
    };
    const sets = new Map(ids.map((id) => [id, unionOf(edgeOf(id))]));
    for (const oldest of known.keys()) {
      if (known.size <= KEPT) break;
      known.delete(oldest);
    }
    return sets;
  };
};

const unionOf = (edge: Edge | null): ReadonlySet<string> => {
  const union = new Set<string>();
  for (let at = edge; at !== null; at = at.before) for (const hash of at.deleted) union.add(hash);
  return union;
};

// Which nodes stand in the history section of a prompt: elites and diverse nodes, united (DeltaEvolve, section 2, Progressive disclosure
// sampler; section 3, overlap, root, failed children). Called when a step is planned.
import type { DeltaStatus } from './delta.ts';
import type { ProgramId } from '../types.ts';

/** What becomes of nodes whose answer had no delta: shown by a mechanical one, passed over, or repaired by a further call. */
export type MissingDeltaRule = 'fallback' | 'skip' | 'repair';

export type HistoryCandidate = {
  /** The program that it is, or of which it is a migrated copy. */
  readonly origin: ProgramId;
  /** Without a parent, so without a delta: never shown. */
  readonly root: boolean;
  readonly valid: boolean;
  readonly status: DeltaStatus;
};

export type HistoryChoice<T extends HistoryCandidate> = {
  /** Best first, of equals the older one first. More than `k`, so that the next rank can move up. */
  readonly elites: readonly T[];
  /** The cell farthest from the parent's first. More than `m`, likewise. */
  readonly diverse: readonly T[];
  readonly k: number;
  readonly m: number;
  /** Origin of the parent. */
  readonly parent: ProgramId;
  /** Diverse nodes always exclude it. */
  readonly eliteExcludesParent: boolean;
  readonly missingDelta: MissingDeltaRule;
};

export type HistoryPlace<T> = { readonly role: 'top' | 'diverse'; readonly node: T };

/** Elites first, then diverse nodes, each in the order given; no origin twice, the next rank takes a place that is freed. Fewer where there
 *  are fewer. */
export const historyPlaces = <T extends HistoryCandidate>(
  { elites, diverse, k, m, parent, eliteExcludesParent, missingDelta }: HistoryChoice<T>,
): readonly HistoryPlace<T>[] => {
  const shown = new Set<ProgramId>();
  const take = (role: HistoryPlace<T>['role'], nodes: readonly T[], count: number): readonly HistoryPlace<T>[] => {
    const places: HistoryPlace<T>[] = [];
    for (const node of nodes) {
      if (places.length >= count) break;
      if (node.root || shown.has(node.origin) || (missingDelta === 'skip' && node.status === 'missing')) continue;
      if (role === 'top' && !node.valid) continue;
      if (node.origin === parent && (role === 'diverse' || eliteExcludesParent)) continue;
      shown.add(node.origin);
      places.push({ role, node });
    }
    return places;
  };
  const top = take('top', elites, k);
  return [...top, ...take('diverse', diverse, m)];
};

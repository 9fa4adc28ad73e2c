// Which nodes stand in the history section of a prompt: elites and diverse nodes, united (DeltaEvolve 4.3, Appendix
// B; docs/methods/deltaevolve.md, Who is shown).
import type { ProgramId } from '../types.ts';
import type { DeltaStatus, Level } from './delta.ts';

// How much of a node a prompt shows (DeltaEvolve 4.3, Appendix B).
/**
 * `window`: recent nodes at L2, older ones at L1 (Appendix B). `l2-selected`: every chosen node at L2 (section 4.3).
 */
type DisclosureMode = 'window' | 'l2-selected';

type Disclosure = {
  readonly mode: DisclosureMode;
  /** Attempt number of the prompt: how many attempts of the run were made or begun before it, 1 for the first. */
  readonly t: number;
  /** w, in attempts. */
  readonly window: number;
  /** Attempt number of the node. */
  readonly time: number;
  /** Whether the node has an L2. */
  readonly hasPlan: boolean;
};

/** L2 where time > t - w. A node without an L2 shows its L1. */
export const disclosureOf = ({ mode, t, window, time, hasPlan }: Disclosure): Level =>
  hasPlan && (mode === 'l2-selected' || time > t - window) ? 'L2' : 'L1';

/**
 * What becomes of nodes whose answer had no delta: shown by a mechanical one, passed over, or repaired by a further
 * call.
 */
type MissingDeltaRule = 'fallback' | 'skip' | 'repair';

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

type HistoryPlace<T> = { readonly role: 'top' | 'diverse'; readonly node: T };

/**
 * Elites first, then diverse nodes, each in the order given; no origin twice, the next rank takes a place that is
 * freed. Fewer where there are fewer.
 */
export const historyPlaces = <T extends HistoryCandidate>({
  elites,
  diverse,
  k,
  m,
  parent,
  eliteExcludesParent,
  missingDelta,
}: HistoryChoice<T>): readonly HistoryPlace<T>[] => {
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

// The elites and diverse nodes of a prompt's history, and the level of each (DeltaEvolve 4.3, Appendix B;
// docs/methods/deltaevolve.md, Who is shown).
import type { RunConfig } from '../config/run-config.ts';
import type { ProgramId } from '../types.ts';
import type { DeltaStatus, Level } from './delta.ts';

type Disclosure = {
  readonly mode: RunConfig['delta']['disclosure'];
  /** The number of attempts that the run had begun before the prompt, with 1 for the first. */
  readonly t: number;
  /** The width w of the window, in attempts. */
  readonly window: number;
  /** The attempt number of the node. */
  readonly time: number;
  /** The node has an L2. */
  readonly hasPlan: boolean;
};

/** L2 where time > t - w. A node without an L2 shows its L1. */
export const disclosureOf = ({ mode, t, window, time, hasPlan }: Disclosure): Level =>
  hasPlan && (mode === 'l2-selected' || time > t - window) ? 'L2' : 'L1';

export type HistoryCandidate = {
  /** The program itself, or the one of which it is a migrated copy. */
  readonly origin: ProgramId;
  /** A root has no parent and so no delta; it is never shown. */
  readonly root: boolean;
  readonly valid: boolean;
  readonly status: DeltaStatus;
};

export type HistoryChoice<T extends HistoryCandidate> = {
  /** Best first, and of equals the older one first. There are more than `k`, so that the next rank can move up. */
  readonly elites: readonly T[];
  /** The cell farthest from the parent's first. There are more than `m`, for the same reason. */
  readonly diverse: readonly T[];
  readonly k: number;
  readonly m: number;
  /** The origin of the parent. */
  readonly parent: ProgramId;
  /** Diverse nodes exclude the parent in any case. */
  readonly eliteExcludesParent: boolean;
  readonly missingDelta: RunConfig['delta']['missing'];
};

type HistoryPlace<T> = { readonly role: 'top' | 'diverse'; readonly node: T };

/** Elites, then diverse nodes, in the order given. No origin stands twice; the next rank takes a freed place. */
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

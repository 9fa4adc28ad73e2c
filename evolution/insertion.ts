// What a step does to the population: its children enter in slot order, then owners are binned anew and islands exchange members.
// Pure; the population is only read. Called by the commit activity, which stores the change set and applies it.
import { seatNewcomer, trimArchive } from './archive.ts';
import { cellNow, changeSetOf, draftOf, type Draft, type StepSettings } from './draft.ts';
import { evictAboveCap } from './eviction.ts';
import { FAILURE_FIT } from './failure-fit.ts';
import { widened } from './features.ts';
import { enterIsland, islandOf } from './islands.ts';
import { migrateIfDue } from './migration.ts';
import type { Population } from './population.ts';
import type { ChangeSet, Child, Member } from './types.ts';

export type Step = {
  readonly population: Population;
  /** In slot order (any order is put right). */
  readonly children: readonly Child[];
  readonly step: number;
  readonly settings: StepSettings;
};

export const commitStep = ({ population, children, step, settings }: Step): ChangeSet => {
  const draft = draftOf(population, settings);
  trimArchive(draft);
  evictAboveCap(draft, null);
  for (const child of [...children].sort((a, b) => a.slot - b.slot)) insert(draft, child);
  if (draft.bounds !== population.state.bounds) {
    for (const grid of draft.grids) grid.rebin((owner) => cellNow(draft, owner));
  }
  if (children.some((child) => !isInitial(child))) migrateIfDue(draft);
  return changeSetOf(draft, step);
};

/** Step 0, slot 0. A program without a parent that was born later was injected by a person. */
const isInitial = ({ bornSeq }: Child): boolean => bornSeq === 0;

const insert = (draft: Draft, child: Child): void => {
  const island = islandOf(draft, child);
  if (!draft.islands[island]) throw new RangeError(`program ${child.id}: expected an island from 0 to ${draft.islands.length - 1}, got ${island}`);
  const newcomer = admitted(draft, child, island);
  if (newcomer !== null) {
    draft.all.add(newcomer);
    draft.evictionOrder.offer(newcomer);
    if (child.outcome === 'valid') {
      draft.bounds = widened(draft.bounds, draft.settings.population, newcomer);
      if (draft.best === null || newcomer.fit > draft.best.fit) draft.best = { id: newcomer.id, fit: newcomer.fit };
    }
    seatNewcomer(draft, newcomer, enter(draft, child, island, newcomer));
    evictAboveCap(draft, newcomer);
  }
  if (!isInitial(child)) draft.generations[island]!++;
};

/** The initial program starts in every island, a child in one. Returns the cell owner that gave way. */
const enter = (draft: Draft, child: Child, island: number, newcomer: Member): Member | null => {
  if (!isInitial(child)) return enterIsland(draft, island, newcomer);
  for (const every of draft.islands.keys()) enterIsland(draft, every, newcomer);
  return null;
};

/** Valid children only, unless the settings admit failures; of equal siblings the first. */
const admitted = (draft: Draft, child: Child, island: number): Member | null => {
  if (child.sameAs !== undefined || draft.all.has(child.id)) return null;
  const fit = fitOf(child, draft.settings.population.admitFailures);
  return fit === null ? null : { id: child.id, fit, bornSeq: child.bornSeq, length: child.length, home: island };
};

const fitOf = (child: Child, admitFailures: boolean): number | null => {
  if (child.outcome !== 'valid') return admitFailures ? FAILURE_FIT[child.outcome] : null;
  if (child.fit === undefined || !Number.isFinite(child.fit)) throw new RangeError(`program ${child.id}: expected a finite fit for outcome valid, got ${child.fit}`);
  // Minus zero, which JSON and databases do not keep, becomes zero.
  return child.fit + 0;
};

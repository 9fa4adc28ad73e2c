// The change set of a step: children enter in slot order, cells are rebinned where they moved, islands exchange
// members.
import { quantileEdges, valueOn, widened } from '../archives/cell-space.ts';
import type { PopulationSettings } from '../config/run-config.ts';
import { FAILURE_FIT, isFailureFit } from '../scoring/failures.ts';
import type { ChangeSet, Child, Member, Outcome, PopulationState, ProgramId } from '../types.ts';
import { changeSetOf, type Draft, draftOf, type StepSettings } from './draft.ts';
import { evictAboveCap, leaveAboveCap, leaveAsDisplaced } from './eviction.ts';
import { explored } from './explored.ts';
import { enterIsland, islandOf } from './islands.ts';
import { migrateIfDue } from './migration.ts';
import type { Population } from './population.ts';
import { emptied, replacing } from './rescored.ts';
import { tallied } from './tallies.ts';

/** The number of programs against which others are measured: the first valid ones of a run (OpenEvolve, diversity). */
const REFERENCES = 20;

type Step = {
  readonly population: Population;
  /** The children of the step; they are put into slot order. */
  readonly children: readonly Child[];
  readonly step: number;
  readonly settings: StepSettings;
};

export const commitStep = ({ population: before, children: unordered, step, settings }: Step): ChangeSet => {
  const children = unordered.map(checked).sort((a, b) => a.slot - b.slot);
  const scoresAgain = children.some(isRescored);
  const population = scoresAgain ? emptied(before) : before;
  const draft = draftOf(population, settings);
  draft.archive.trim();
  evictAboveCap(draft, null);
  for (const island of draft.islands.keys()) leaveAboveCap(draft, island, null);
  const surplus = beyondSiblings(children, settings.population.siblings);
  const placed: Child[] = [];
  const entered = children.flatMap((child) => {
    placed.push({ ...child, island: islandOf(draft, child) });
    return insert(draft, child, surplus.has(child.id)) ?? [];
  });
  moveEdges(draft);
  const rebinned = rebin(draft, population.state);
  if (children.some((child) => !isInitial(child) && !isRescored(child))) migrateIfDue(draft, step);
  rebin(draft, rebinned);
  const counts = tallied(population, children, entered, settings);
  if (counts !== null) draft.state.picks = counts.picks;
  const exploration = explored(population, placed, settings);
  if (exploration === null) delete draft.state.exploration;
  else draft.state.exploration = exploration.states;
  const changes: ChangeSet = {
    ...changeSetOf(draft, step),
    ...(counts === null ? {} : { tallies: counts.tallies }),
    ...(exploration === null ? {} : { prompts: exploration.prompts }),
  };
  return scoresAgain ? replacing(before, population, changes) : changes;
};

/** Every valid child must have a finite fit, also one that does not enter, since it is compared and tallied. */
const checked = (child: Child): Child => {
  const { id, outcome, fit } = child;
  if (outcome !== 'valid') return child;
  if (fit === undefined || !Number.isFinite(fit))
    throw new RangeError(`program ${id}: expected a finite fit for outcome valid, got ${fit}`);
  // Minus zero becomes zero, because JSON and databases do not keep it.
  return Object.is(fit, -0) ? { ...child, fit: 0 } : child;
};

/** The initial program is slot 0 of step 0. A program without a parent that was born later was injected by a person. */
const isInitial = ({ bornSeq }: Child): boolean => bornSeq === 0;

/** It was counted as a child when it was made. */
const isRescored = ({ rescored }: Child): boolean => rescored !== undefined;

/** Inserts a child and returns the member that it became, or null where it did not enter or did not stay. */
const insert = (draft: Draft, child: Child, surplus: boolean): Member | null => {
  const island = islandOf(draft, child);
  if (!draft.islands[island])
    throw new RangeError(
      `program ${child.id}: expected an island from 0 to ${draft.islands.length - 1}, got ${island}`,
    );
  const newcomer = surplus ? null : admitted(draft, child, island);
  if (newcomer !== null) {
    draft.all.add(newcomer);
    draft.evictionOrder.insert(newcomer);
    if (child.outcome === 'valid') note(draft, newcomer);
    const displaced = enter(draft, child, island, newcomer);
    // Where the newcomer may be the one to go, it replaces no archive member before it is sure to stay.
    if (draft.settings.population.eviction === 'protect-elites') evictAboveCap(draft, newcomer);
    if (draft.all.has(newcomer.id)) draft.archive.inherit(newcomer, displaced);
    leaveAsDisplaced(draft, island, displaced);
    evictAboveCap(draft, newcomer);
    if (!isInitial(child)) leaveAboveCap(draft, island, newcomer);
  }
  if (draft.state.founded !== undefined && child.founder === true && (newcomer !== null || child.evaluated === true)) {
    draft.state.founded = draft.state.founded.with(island, draft.state.founded[island]! + 1);
  }
  if (
    !isInitial(child) &&
    !isRescored(child) &&
    (newcomer !== null || draft.settings.population.admitFailures !== 'evaluated')
  )
    draft.generations[island]!++;
  return newcomer !== null && draft.all.has(newcomer.id) ? newcomer : null;
};

/** Notes a valid program in the state: bounds, best, references, and axes on which it has no place. */
const note = ({ state, axes }: Draft, newcomer: Member): void => {
  if (state.islandBounds === undefined) state.bounds = widened(state.bounds, axes, newcomer);
  if (state.best === null || newcomer.fit > state.best.fit) state.best = { id: newcomer.id, fit: newcomer.fit };
  const { references = [] } = state;
  if (references.length < REFERENCES && axes.some(({ feature }) => feature === 'diversity' || feature === 'embedding'))
    state.references = [...references, newcomer.id];
  for (const axis of axes) {
    if (valueOn(axis, newcomer) === null)
      state.noCell = { ...state.noCell, [axis.feature]: (state.noCell?.[axis.feature] ?? 0) + 1 };
  }
};

type Placed = Pick<PopulationState, 'bounds' | 'islandBounds' | 'edges'>;

/** Rebins all cells whose bounds or edges have moved since `before`, and returns bounds and edges as they are now. */
const rebin = ({ maps, state, islands, all: everyone, settings }: Draft, before: Placed): Placed => {
  const boundsMoved = state.bounds !== before.bounds || state.edges !== before.edges;
  const candidates = (island: number): readonly Member[] =>
    settings.population.rebin === 'elites'
      ? []
      : [...(maps.length === 1 ? everyone : islands[island]!).worstFirst()].filter(({ fit }) => !isFailureFit(fit));
  for (const [island, map] of maps.entries()) {
    if (boundsMoved || (state.islandBounds?.[island] ?? null) !== (before.islandBounds?.[island] ?? null))
      map.rebin(candidates(island));
  }
  const { bounds, islandBounds, edges } = state;
  return { bounds, ...(islandBounds === undefined ? {} : { islandBounds }), ...(edges === undefined ? {} : { edges }) };
};

/** Moves the edges of quantile features to fit everyone who is alive now. */
const moveEdges = (draft: Draft): void => {
  for (const axis of draft.axes) {
    if (axis.scale !== 'quantile') continue;
    const values: number[] = [];
    for (const member of draft.all.worstFirst()) {
      const value = valueOn(axis, member);
      if (value !== null) values.push(value);
    }
    const edges = quantileEdges(axis, values);
    const before = draft.state.edges?.[axis.feature] ?? [];
    if (edges.length === before.length && edges.every((edge, index) => edge === before[index])) continue;
    draft.state.edges = { ...draft.state.edges, [axis.feature]: edges };
  }
};

/**
 * The initial program enters every island, a child enters one, and what is scored again those where it was. Returns the
 * cell elite of its own island that was replaced.
 */
const enter = (draft: Draft, child: Child, island: number, newcomer: Member): Member | null => {
  if (!isInitial(child)) {
    for (const other of child.rescored?.islands ?? [])
      if (other !== island) leaveAsDisplaced(draft, other, enterIsland(draft, other, newcomer));
    return enterIsland(draft, island, newcomer);
  }
  for (const every of draft.islands.keys()) enterIsland(draft, every, newcomer);
  return null;
};

/** The child as a member, or null: failures only where settings admit them, of equal siblings only the first. */
const admitted = (draft: Draft, child: Child, island: number): Member | null => {
  if (child.sameAs !== undefined || draft.all.has(child.id)) return null;
  const fit = fitOf(child, draft.settings.population);
  const { id, bornSeq, length, values } = child;
  return fit === null
    ? null
    : { id, fit, bornSeq, length, home: island, ...(values === undefined ? {} : { values: values.map(storable) }) };
};

/** A number as JSON and databases keep it: null for what is not finite, and no minus zero. */
const storable = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value + 0 : null);

const fitOf = (child: Child, { admitFailures }: PopulationSettings): number | null => {
  if (child.outcome === 'valid') return child.fit!;
  const isAdmitted =
    admitFailures === 'evaluated' ? child.evaluated === true : admitFailures && !UNASKED.has(child.outcome);
  return isAdmitted ? FAILURE_FIT[child.outcome] : null;
};

/** Outcomes of groups that asked for no program, so that there is nothing to admit. */
const UNASKED: ReadonlySet<Outcome> = new Set(['rejected', 'unparsed', 'idea_failed', 'rm_failed']);

/** Valid children beyond the best `siblings` of a parent (TTT-Discover keeps two). Seed programs have no siblings. */
const beyondSiblings = (children: readonly Child[], siblings: number | null): ReadonlySet<ProgramId> => {
  if (siblings === null) return new Set();
  const families = new Map<ProgramId, Child[]>();
  for (const child of children) {
    if (child.parent === null || child.founder === true || child.outcome !== 'valid' || child.sameAs !== undefined)
      continue;
    families.set(child.parent, [...(families.get(child.parent) ?? []), child]);
  }
  return new Set(
    [...families.values()].flatMap((family) =>
      family
        .sort((a, b) => b.fit! - a.fit! || a.slot - b.slot)
        .slice(siblings)
        .map(({ id }) => id),
    ),
  );
};

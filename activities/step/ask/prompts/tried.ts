// Reads what was tried on programs before: the latest attempts on each parent, and its latest failed child
// (docs/prompts.md, The common frame).
import { LRUCache } from 'lru-cache';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { styleOf } from '../../../../evolution/config/styles.ts';
import { changeLabel } from '../../../../evolution/deltas/delta.ts';
import { notApplied } from '../../../../evolution/edits/apply.ts';
import { readAnswer } from '../../../../evolution/edits/diff.ts';
import { REFUSED } from '../../../../evolution/ideas/rounds.ts';
import { couplingsOf } from '../../../../evolution/population/island-coupling.ts';
import { reachedBy } from '../../../../evolution/prompts/parts/aim.ts';
import { type Attempt, firstWords, placeOfChange, type Tried } from '../../../../evolution/prompts/parts/tried.ts';
import { rankedScore, rankingScore } from '../../../../evolution/scoring/ranking.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { BlobRef, Outcome, ProgramId, RunId } from '../../../../evolution/types.ts';
import type { Ahead } from '../../../store/ahead.ts';
import type { RunDocument } from '../../../store/documents/documents.ts';
import type { GroupPlan, ProgramDocument } from '../../../store/documents/step-documents.ts';
import { answersBehind } from '../../../store/content/calls.ts';
import type { Store } from '../../../store/store.ts';
import { idsWith, type Shown, shownIn, showPrograms, type StyleInput } from './style.ts';

const MAX_RUNS = 8;
/** No prompt tells more attempts than this on one program (`prompt.attempts`). */
const KEPT = 100;
/** So many programs are looked through for what to say of the rest of the run. */
const NEWEST = 8;

/** Outcomes of a program that failed. A refused idea is not among them, because no program came of it. */
const FAILED: ReadonlySet<Outcome> = new Set<Outcome>(['no_diff', 'no_change', 'duplicate', 'no_solution', 'invalid']);

/** The children of one program: their number, the latest of them, oldest first, and the latest that failed. */
type Children = { total: number; latest: ProgramId[]; failed: ProgramId | null };
type Made = {
  initial: ProgramId | null;
  /** The last step that scored programs again; null where none did. */
  scoredFrom: number | null;
  notes: Notes | null;
  readonly children: Map<string, Children>;
  /** By island, and under the empty name of all: the newest programs that gave no result, and the newest with one. */
  readonly newest: Map<string, Newest>;
};
type Newest = { readonly failed: ProgramId[]; readonly scored: ProgramId[] };
const nothing = (): Made => ({ initial: null, scoredFrom: null, notes: null, children: new Map(), newest: new Map() });
/** The newest notes of the run, and the step whose group wrote them. */
type Notes = { readonly text: BlobRef; readonly step: number };

type Read = { readonly generation: number; readonly view: number; readonly before: number; readonly made: Made };

/** Steps below `beforeStep` are committed, except those of `ahead`. */
type Asked = {
  readonly store: Store;
  readonly run: RunId;
  readonly beforeStep: number;
  readonly ahead?: Ahead | undefined;
};
/** The children of each program from one island, or (null) from all of them; and the newest notes. */
type Memory = {
  readonly childrenOf: (parent: ProgramId, island: number | null) => Readonly<Children>;
  /** The newest programs with a fault or a score, oldest first. */
  readonly newestOn: (island: number | null) => readonly ProgramId[];
  readonly notes: Notes | null;
};

/**
 * Finds what was made from each program. What this process has read of a run is kept, and each step reads on from
 * there, so each program is read once; a run that was rewound is read anew.
 */
const createMemory = (): ((asked: Asked) => Promise<Memory>) => {
  const committed = createCommitted();
  return async ({ store, run, beforeStep, ahead }) => {
    const made = await committed(ahead?.base ?? store, run, ahead === undefined ? beforeStep : ahead.committed + 1);
    const later: Made = { ...nothing(), initial: made.initial, notes: made.notes };
    for (const { programs } of ahead?.steps ?? []) for (const program of programs) note(later, program);
    const childrenOf: Memory['childrenOf'] = (parent, island) => {
      const [before, after] = [made, later].map(({ children }) => children.get(keyOf(parent, island)) ?? NONE) as [
        Children,
        Children,
      ];
      return {
        total: before.total + after.total,
        latest: [...before.latest, ...after.latest],
        failed: after.failed ?? before.failed,
      };
    };
    const newestOn: Memory['newestOn'] = (island) =>
      (['scored', 'failed'] as const).flatMap((kind) =>
        [made, later].flatMap(({ newest }) => newest.get(`${island ?? ''}`)?.[kind] ?? []).slice(-NEWEST),
      );
    return { childrenOf, newestOn, notes: later.notes };
  };
};

const NONE: Readonly<Children> = { total: 0, latest: [], failed: null };

const createCommitted = (): ((store: Store, run: RunId, beforeStep: number) => Promise<Made>) => {
  const stores = new WeakMap<Store, LRUCache<RunId, Promise<Read>>>();
  return async (store, run, beforeStep) => {
    const runs = stores.get(store) ?? new LRUCache<RunId, Promise<Read>>({ max: MAX_RUNS });
    stores.set(store, runs);
    const document = await store.readRun(run);
    if (document === null) return nothing();
    const { generation, view } = document;
    const going = (runs.get(run) ?? Promise.resolve(null))
      .catch(() => null)
      .then((read) =>
        bringForward(
          store,
          document,
          beforeStep,
          read !== null && read.generation === generation && read.view === view && read.before <= beforeStep
            ? read
            : { generation, view, before: 0, made: nothing() },
        ),
      );
    runs.set(run, going);
    return (await going).made;
  };
};

/** Reads in the order of birth, so that a later child follows an earlier one. */
const bringForward = async (store: Store, run: RunDocument, beforeStep: number, read: Read): Promise<Read> => {
  if (read.before === beforeStep) return read;
  for await (const program of store.eachProgram(run, { fromStep: read.before })) {
    if (program.step >= beforeStep) break;
    note(read.made, program);
  }
  return { ...read, before: beforeStep };
};

/** Seed programs of islands have no parent, and are made from the initial program, which is the first of all. */
const note = (made: Made, program: ProgramDocument): void => {
  const { _id, step, outcome, island, parents, founder, notes, rescored } = program;
  // What an earlier version of the task scored is told no more. The initial program comes first.
  if (rescored !== undefined && made.scoredFrom !== step) {
    made.scoredFrom = step;
    made.initial = _id;
    made.newest.clear();
  }
  if (notes !== undefined) made.notes = { text: notes, step };
  if (step === 0) made.initial ??= _id;
  const parent = parents[0] ?? (founder === true ? made.initial : null);
  if (parent === null) return;
  const kind = outcome === 'valid' ? 'scored' : outcome === 'no_solution' || outcome === 'invalid' ? 'failed' : null;
  for (const key of kind === null ? [] : [`${island}`, '']) {
    const newest = made.newest.get(key) ?? { failed: [], scored: [] };
    made.newest.set(key, newest);
    newest[kind!].push(_id);
    if (newest[kind!].length > NEWEST) newest[kind!].shift();
  }
  for (const key of [keyOf(parent, island), keyOf(parent, null)]) {
    const children = made.children.get(key) ?? { total: 0, latest: [], failed: null };
    made.children.set(key, children);
    children.total += 1;
    children.latest.push(_id);
    if (children.latest.length > KEPT) children.latest.shift();
    if (FAILED.has(outcome) && parents.length > 0) children.failed = _id;
  }
};

const keyOf = (parent: ProgramId, island: number | null): string => `${island ?? ''} ${parent}`;

const memoryOf = createMemory();

/** The newest notes that were written before the step; null where there are none. */
export const latestNotes = async (asked: Asked): Promise<Notes | null> => (await memoryOf(asked)).notes;

/** The latest failed child of a program on an island; null where none failed there. */
export const latestFailures = async (
  asked: Asked,
): Promise<(parent: ProgramId, island: number) => ProgramId | null> => {
  const { childrenOf } = await memoryOf(asked);
  return (parent, island) => childrenOf(parent, island).failed;
};

/**
 * Islands search apart: between two migrations no group of one depends on what another made. Then a prompt
 * shows nothing of other islands, whether islands wait for each other or not (docs/population.md).
 */
export const apart = (config: RunConfig): boolean => config.population.islands > 1 && couplingsOf(config).length === 0;

/** The scope whose best program a prompt shows; undefined: none. */
export const bestShown = (config: RunConfig): 'run' | 'island' | undefined => {
  const { frame, bestEver } = config.prompt;
  if (bestEver) return 'run';
  return frame === 'paper' || !styleOf(config).showsAttempts ? undefined : apart(config) ? 'island' : 'run';
};

/**
 * The frame of each group; null for all of them in the form of the papers. `refused`: the words of
 * ideas that were refused are told too, for requests about ideas, which would else repeat them.
 */
export const triedOn = async (
  { store, task, config, run, step, ahead }: Pick<StyleInput, 'store' | 'task' | 'config' | 'run' | 'step' | 'ahead'>,
  plans: readonly GroupPlan[],
  { refused = false }: { readonly refused?: boolean } = {},
): Promise<readonly (Tried | null)[]> => {
  const { frame, attempts, feedback } = config.prompt;
  if (frame === 'paper') return plans.map(() => null);
  const { childrenOf, newestOn } = await memoryOf({ store, run, beforeStep: step, ahead });
  const alone = apart(config);
  const children = plans.map(({ parent, island }) => childrenOf(parent, alone ? island : null));
  const most = feedback === 'none' ? 0 : attempts;
  const latest = children.map(({ latest }) => (most === 0 ? [] : latest.slice(-most)));
  const newest = plans.map(({ island }) => (feedback === 'full' ? newestOn(alone ? island : null) : []));
  const known = await attemptsIn({ store, task, config, refused }, plans, [...latest, ...newest].flat());
  const told = config.prompt.scores === 'shown' && feedback === 'full';
  const reached = told ? await reachedIn(store, task, plans) : plans.map(() => null);
  return plans.map(({ island, alike, mode, rank, shared }, index) => {
    const { total } = children[index]!;
    const ids = latest[index]!;
    const beside = new Set([...ids, ...shownIn(plans.slice(index, index + 1))]);
    return {
      total,
      latest: ids.flatMap((id, at) => known(id, total - ids.length + at + 1, plans[index]!.parent)),
      elsewhere: newest[index]!.filter((id) => !beside.has(id)).flatMap((id) => known(id)),
      alike: alike ?? null,
      stream: config.schedule === 'continuous',
      island: alone ? { place: island + 1, of: config.population.islands } : null,
      mode: mode ?? null,
      rank: told ? rank : null,
      reached: reached[index]!,
      shared: told ? shared : null,
    };
  });
};

const reachedIn = async (
  store: Store,
  task: Task,
  plans: readonly GroupPlan[],
): Promise<readonly ReturnType<typeof reachedBy>[]> => {
  const best = task.references.find((reference) => reference.best === true);
  if (best === undefined) return plans.map(() => null);
  const bestOf = (plan: GroupPlan): readonly ProgramId[] => idsWith(plan, 'best', 'elite').slice(0, 1);
  const programs = await store.getPrograms([...new Set(plans.flatMap((plan) => [plan.parent, ...bestOf(plan)]))]);
  const scoreOf = (id: ProgramId): number | null => {
    const program = programs.get(id);
    if (program === undefined || program.outcome !== 'valid') return null;
    return best.strict ? rankingScore(program, 'strict') : rankedScore(program);
  };
  return plans.map((plan) =>
    reachedBy(task, {
      current: scoreOf(plan.parent),
      best: bestOf(plan).map(scoreOf)[0] ?? null,
    }),
  );
};

type Reading = { readonly store: Store; readonly task: Task; readonly config: RunConfig; readonly refused: boolean };

/** These programs as attempts on a parent; where none is named, on the program that each was made from. */
const attemptsIn = async (
  { store, task, config, refused }: Reading,
  plans: readonly GroupPlan[],
  all: readonly ProgramId[],
): Promise<(id: ProgramId, number?: number, parent?: ProgramId) => readonly Attempt[]> => {
  const ids = [...new Set(all)];
  const own = [...(await store.getPrograms(ids)).values()].flatMap(({ parents }) => parents.slice(0, 1));
  const shown = await showPrograms(store, task, [...ids, ...own, ...plans.map(({ parent }) => parent)], config.prompt);
  const made = ids.flatMap((id) => shown.get(id) ?? []);
  const answers = await answersBehind(store, ids);
  const texts = await store.getTexts([
    ...[...answers.values()].map(({ response }) => response),
    ...made.flatMap(({ program }) => program.idea?.text ?? []),
  ]);
  /** The model's own words: its delta, its idea, or how its answer begins. */
  const told = ({ program: { _id, change, idea, outcome } }: Shown): string | null => {
    // An idea that was not carried out stands in no later request for a program (AlphaResearch Algorithm 1).
    if (!refused && REFUSED.has(outcome)) return null;
    if (change?.status === 'full' || change?.status === 'summary_only') return change.summary.to;
    if (idea !== undefined) return firstWords(texts.get(idea.text) ?? '');
    const response = answers.get(_id)?.response;
    return response === undefined ? null : firstWords(readAnswer(texts.get(response) ?? '', config.diff.parse));
  };
  return (id, number = 0, parent) => {
    const child = shown.get(id);
    const before = shown.get(parent ?? child?.program.parents[0] ?? '');
    if (child === undefined || before === undefined) return [];
    const { outcome, score, metrics, code, program, printed = '' } = child;
    const edits = (program.edits ?? []).map(({ reason }) => reason);
    return [
      {
        number,
        outcome,
        score,
        metrics,
        label: changeLabel({ fit: program.fit ?? null, parentFit: before.program.fit ?? null }),
        reasons: [...program.reasons, ...edits],
        undone: outcome === 'no_diff' ? [] : notApplied(program.edits ?? []),
        output: printed,
        told: told(child),
        code,
        place:
          code === '' || outcome === 'no_change' || outcome === 'duplicate' ? null : placeOfChange(before.code, code),
      },
    ];
  };
};

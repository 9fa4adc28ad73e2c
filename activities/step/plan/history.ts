// Chooses the programs that a prompt of style `delta` shows as deltas (DeltaEvolve Appendix B;
// docs/methods/deltaevolve.md, Who is shown), or uniformly drawn ones in their place.
import { merit } from '../../../evolution/archives/archive.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import { contextsOf } from '../../../evolution/context/context.ts';
import { type HistoryCandidate, historyPlaces } from '../../../evolution/deltas/history.ts';
import type { Population } from '../../../evolution/population/population.ts';
import { drawDistinct, rng } from '../../../evolution/rng.ts';
import type { ParentDraw } from '../../../evolution/selection/selection.ts';
import type { Member, ProgramId, RunId } from '../../../evolution/types.ts';
import type { ProgramDocument, Shown } from '../../store/documents/step-documents.ts';
import { bestShown } from '../ask/prompts/tried.ts';
import { cosine, unpackVector } from '../../llm/embeddings/vectors.ts';
import type { Store } from '../../store/store.ts';

/** `groups` are the numbers of the groups that the draws are for. Left out means all groups of the step, in order. */
export type Settings = {
  readonly run: RunId;
  readonly config: RunConfig;
  readonly step: number;
  /** Programs of this step and of later ones are not committed; `step` where it is left out. */
  readonly before?: number;
  readonly groups?: readonly number[] | undefined;
};

export type ShownBeside = { readonly prior: readonly ProgramId[]; readonly context: readonly Shown[] };

/** Prior programs have a section of their own in prompts. */
export const besideOf = (
  shown: readonly { readonly id: ProgramId; readonly role: Shown['role'] | 'prior' }[],
): ShownBeside => ({
  prior: shown.flatMap(({ id, role }) => (role === 'prior' ? [id] : [])),
  context: shown.flatMap(({ id, role }): Shown[] => (role === 'prior' ? [] : [{ id, role }])),
});

/** All programs that a group may be shown, in the order in which places are filled. */
type Ranked = {
  readonly parent: ProgramId;
  /** Includes the parent at its rank, if it is one of the programs that elites are chosen from. */
  readonly elites: readonly ProgramId[];
  readonly diverse: readonly ProgramId[];
  readonly inspirations: readonly ProgramId[];
  readonly best: readonly ProgramId[];
  readonly prior: readonly ProgramId[];
};

/**
 * Returns one entry for each draw: elites first, then diverse programs, then what else the settings show. The parent's
 * own delta may be among the elites. Roots have no delta, and `delta.missing: skip` passes over programs whose answer
 * had none; the next rank takes their place. The population is read before the first await.
 */
export const historiesOf = async (
  store: Store,
  population: Population,
  draws: readonly ParentDraw[],
  settings: Settings,
): Promise<readonly (readonly Shown[])[]> => {
  const ranked = await farthestFirst(store, draws.map(rankedOf(population, settings)), settings.config);
  const known: Known = new Map();
  const histories: (readonly Shown[])[] = [];
  for (const one of ranked) histories.push(await chosenOf(store, one, settings.config, known));
  return histories;
};

/**
 * With `prompt.diverseBy: embedding` the diverse programs of each group in the order of their distance from the parent,
 * the farthest first; programs without a vector keep their order behind them. Else the same groups.
 */
export const farthestFirst = async <T extends { readonly parent: ProgramId; readonly diverse: readonly ProgramId[] }>(
  store: Store,
  groups: readonly T[],
  { prompt }: Pick<RunConfig, 'prompt'>,
): Promise<readonly T[]> => {
  if (prompt.diverseBy !== 'embedding' || prompt.diverse === 0) return groups;
  const stored = await store.getEmbeddings([
    ...new Set(groups.flatMap(({ parent, diverse }) => (diverse.length === 0 ? [] : [parent, ...diverse]))),
  ]);
  const vectors = new Map([...stored].map(([id, { vector }]) => [id, unpackVector(vector)]));
  return groups.map((group) => {
    const from = vectors.get(group.parent);
    const similarityOf = (id: ProgramId): number => {
      const vector = vectors.get(id);
      return vector === undefined || from === undefined || vector.length !== from.length ? 2 : cosine(from, vector);
    };
    const similarity = new Map(group.diverse.map((id) => [id, similarityOf(id)]));
    return { ...group, diverse: group.diverse.toSorted((a, b) => similarity.get(a)! - similarity.get(b)!) };
  });
};

/** Null means that there is no such program. */
type Known = Map<ProgramId, ProgramDocument | null>;

export const UNLIMITED = Number.MAX_SAFE_INTEGER;
export const NONE = { priorPrograms: 0, elites: 0, diverse: 0, inspirations: 0, bestEver: false } as const;

const rankedOf = (
  population: Population,
  { config, step, groups }: Settings,
): ((draw: ParentDraw, index: number) => Ranked) => {
  const { prompt, population: settings, selection, seed } = config;
  const listOf = (only: Partial<RunConfig['prompt']>) =>
    contextsOf({
      population,
      prompt: { ...prompt, ...NONE, ...only },
      settings,
      selection,
      seed,
      step,
      best: only.bestEver === undefined ? undefined : bestShown(config),
    });
  const all = (wanted: number): number => (wanted === 0 ? 0 : UNLIMITED);
  const lists = {
    elites: listOf({ elites: all(prompt.elites) }),
    diverse: listOf({ diverse: all(prompt.diverse) }),
    inspirations: listOf({ inspirations: all(prompt.inspirations) }),
    best: listOf({ bestEver: prompt.bestEver }),
    prior: listOf({ priorPrograms: prompt.priorPrograms }),
  };
  return ({ parent, island, branch }, index) => {
    const group = groups?.[index] ?? index;
    const ids = (kind: keyof typeof lists): readonly ProgramId[] =>
      lists[kind]({ parent, island, group, branch }).map(({ id }) => id);
    const roster = prompt.scope === 'run' ? population.all : population.islands[island]!;
    const own = branch === 'initialisation' || prompt.elites === 0 ? undefined : roster.byId.get(parent);
    return {
      parent,
      elites: own === undefined ? ids('elites') : withParent(population, ids('elites'), own),
      diverse: ids('diverse'),
      inspirations: ids('inspirations'),
      best: ids('best'),
      prior: ids('prior'),
    };
  };
};

const withParent = ({ members }: Population, elites: readonly ProgramId[], parent: Member): readonly ProgramId[] => {
  const worse = elites.findIndex((id) => merit(parent, members.get(id)!) < 0);
  return worse < 0 ? [...elites, parent.id] : elites.toSpliced(worse, 0, parent.id);
};

/** Documents are read from the top of the rankings down, twice as far each time, until all places are filled. */
const chosenOf = async (store: Store, ranked: Ranked, config: RunConfig, known: Known): Promise<readonly Shown[]> => {
  const { prompt } = config;
  const longest = Math.max(...LISTS.map((list) => ranked[list].length));
  const wanted = [
    ['elite', prompt.elites],
    ['diverse', prompt.diverse],
    ['inspiration', prompt.inspirations + prompt.priorPrograms],
  ] as const;
  for (
    let depth = 2 * (prompt.elites + prompt.diverse + prompt.inspirations) + prompt.priorPrograms + 1;
    ;
    depth *= 2
  ) {
    const ids = [...new Set(LISTS.flatMap((list) => ranked[list].slice(0, depth)))].filter((id) => !known.has(id));
    const found = await store.getPrograms(ids);
    for (const id of ids) known.set(id, found.get(id) ?? null);
    const shown = placed(ranked, depth, config, known);
    if (depth >= longest || wanted.every(([role, count]) => shown.filter((one) => one.role === role).length >= count))
      return shown;
  }
};

const LISTS = ['elites', 'diverse', 'inspirations', 'best', 'prior'] as const;

const placed = (
  ranked: Ranked,
  depth: number,
  { prompt, delta: { missing, eliteExcludesParent } }: RunConfig,
  known: Known,
): readonly Shown[] => {
  const { parent } = ranked;
  const top = (list: (typeof LISTS)[number]): readonly HistoryCandidate[] =>
    ranked[list].slice(0, depth).map((id) => candidateOf(id, known.get(id) ?? null));
  const places = historyPlaces({
    elites: top('elites'),
    diverse: top('diverse'),
    k: prompt.elites,
    m: prompt.diverse,
    parent,
    // Its code says what the change did; the paper's form says it again.
    eliteExcludesParent: eliteExcludesParent || prompt.frame === 'common',
    missingDelta: missing,
  });
  const shown: Shown[] = places.map(({ role, node: { origin } }) => ({
    id: origin,
    role: role === 'top' ? 'elite' : 'diverse',
  }));
  const add = (role: Shown['role'], nodes: readonly HistoryCandidate[], count: number): void => {
    const fresh = nodes.filter(
      (node) => isShowable(node, missing) && node.origin !== parent && !shown.some(({ id }) => id === node.origin),
    );
    shown.push(...fresh.slice(0, count).map(({ origin }): Shown => ({ id: origin, role })));
  };
  add('inspiration', top('inspirations'), prompt.inspirations);
  add('best', top('best'), 1);
  // What style `theta` would show as prior programs is a change like any other here.
  add('inspiration', top('prior'), prompt.priorPrograms);
  return shown;
};

const candidateOf = (origin: ProgramId, program: ProgramDocument | null): HistoryCandidate => ({
  origin,
  root: program === null || program.parents.length === 0,
  valid: program?.outcome === 'valid',
  status: program?.change?.status ?? 'missing',
});

/** True where the program has a delta that may be shown. */
const isShowable = (
  { root, status }: Pick<HistoryCandidate, 'root' | 'status'>,
  missing: RunConfig['delta']['missing'],
): boolean => !root && !(missing === 'skip' && status === 'missing');

/**
 * Random-Context (DeltaEvolve 3.3): the programs beside the parent are drawn uniformly from everything that the run has
 * made so far, whatever their scores. Parents are drawn as usual. Returns one entry for each draw, with as many
 * programs of each kind as the settings show, never the parent and none twice. Programs without a text have nothing to
 * show, and in style `delta` neither have roots. It scans the run's programs once.
 */
export const randomContexts = async (
  store: Store,
  draws: readonly ParentDraw[],
  { run, config, step, before = step, groups }: Settings,
): Promise<readonly ShownBeside[]> => {
  const { prompt, delta, seed } = config;
  const all: ProgramId[] = [];
  for await (const program of store.eachProgram(run, { comparable: true })) {
    if (program.step >= before) break;
    const node = { root: program.parents.length === 0, status: program.change?.status ?? ('missing' as const) };
    if (styleOf(config).asksForDelta ? isShowable(node, delta.missing) : program.code !== null) all.push(program._id);
  }
  const roles = [
    ...repeat('prior', prompt.priorPrograms),
    ...repeat('elite', prompt.elites),
    ...repeat('diverse', prompt.diverse),
    ...repeat('inspiration', prompt.inspirations),
    ...repeat('best', prompt.bestEver ? 1 : 0),
  ];
  return draws.map(({ parent, branch }, index) => {
    const drawn =
      branch === 'initialisation'
        ? []
        : drawDistinct(
            all.filter((id) => id !== parent),
            roles.length,
            rng(seed, 'random', step, groups?.[index] ?? index),
          );
    return besideOf(drawn.map((id, place) => ({ id, role: roles[place]! })));
  });
};

const repeat = <T extends Shown['role'] | 'prior'>(role: T, count: number): readonly T[] =>
  Array.from({ length: count }, () => role);

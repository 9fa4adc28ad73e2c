// The programs that a prompt shows beside the parent, by id, from the population and a seed: prior programs, elites,
// diverse ones, inspirations, the best, and ancestors (CodeEvolve 4.2).
import { bestOf } from '../archives/roster.ts';
import type { PopulationSettings, PromptSettings, SelectionSettings } from '../config/run-config.ts';
import type { Population } from '../population/population.ts';
import { drawDistinct, rng, type Rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import { type Branch, type Pool, poolsOf } from '../selection/pools.ts';
import type { Member, ProgramId } from '../types.ts';
import { diverseOf } from './diverse.ts';
import { drawPriorPrograms } from './prior-programs.ts';

/** The part of a program that decides whether the chain of ancestors goes on. A program document fits. */
export type Descent = { readonly parents: readonly ProgramId[]; readonly island: number; readonly founder?: true };

type AncestorsOf = {
  /** k: how many ancestors are wanted, the nearest first. */
  readonly count: number;
  /** The island with which the program counts as a parent. */
  readonly island: number;
  readonly find: (id: ProgramId) => Descent | undefined;
};

/** The next ancestor on this island; null at a root (a migrant, a seed program, a program without a parent). */
export const nextAncestor = (program: Descent, island: number): ProgramId | null =>
  program.island === island && program.founder !== true ? (program.parents[0] ?? null) : null;

/** The ancestors, oldest first. The chain ends with a root, or before a program that is not found. */
export const ancestorsOf = (id: ProgramId, { count, island, find }: AncestorsOf): readonly ProgramId[] => {
  const chain: ProgramId[] = [];
  for (let program = find(id); program !== undefined && chain.length < count;) {
    const next = nextAncestor(program, island);
    program = next === null ? undefined : find(next);
    if (next !== null && program !== undefined) chain.unshift(next);
  }
  return chain;
};

export type Shown = { readonly id: ProgramId; readonly role: 'prior' | 'elite' | 'diverse' | 'inspiration' | 'best' };

/** The part that all groups of a batch share. */
type Contexts = {
  readonly population: Population;
  readonly prompt: PromptSettings;
  /** The settings of the population. */
  readonly settings: PopulationSettings;
  readonly selection: Pick<SelectionSettings, 'kind' | 'pool'>;
  /** The seed of the run. */
  readonly seed: number;
  readonly step: number;
  /** `prompt.bestEver` where it is left out. */
  readonly best?: 'run' | 'island' | undefined;
};

/** The part of one group. */
export type ContextOf = {
  readonly parent: ProgramId;
  /** The island with which the parent counts. */
  readonly island: number;
  readonly group: number;
  /** The branch of the parent's draw. With `initialisation` nothing is shown (CodeEvolve 4.4, Initialization). */
  readonly branch?: Branch;
  /** Programs that may be shown only as prior programs, for instance because they have no delta to show. */
  readonly hidden?: ReadonlySet<ProgramId>;
};

const NOBODY: ReadonlySet<ProgramId> = new Set();

/**
 * To be made once a batch, so that what groups share is worked out once. The parent is never among them, and nobody is
 * shown twice. Each kind is drawn from a random stream of its own, so that asking for one changes no other's draws. For
 * each group, in this order:
 * - prior: as ThetaEvolve draws prior programs.
 * - elite: the best of `prompt.scope`; the next rank takes the place of one that may not be shown
 *   (docs/methods/deltaevolve.md, Who is shown).
 * - diverse: elites of other cells.
 * - inspiration: members of the pool of `selection.pool` (with the mixture: of cells), one by one without replacement,
 *   by 1 / rank in the pool or uniformly (CodeEvolve Algorithm 1). A pool of n programs gives at most n - 1. With
 *   `neighbours` (OpenEvolve) and `archive` (ShinkaEvolve) as prior programs are drawn, who is shown already apart.
 * - best: the best of the run, dead or alive, or the best that is alive on the island.
 * In the common frame the initial program is shown, but as the best, only while there are too few others.
 * Admitted failures are shown as prior programs only. Fewer programs come where there are fewer.
 */
export const contextsOf = ({
  population,
  prompt,
  settings,
  selection,
  seed,
  step,
  best: whose = prompt.bestEver ? 'run' : undefined,
}: Contexts): ((group: ContextOf) => readonly Shown[]) => {
  const drawDiverse = diverseOf({ population, prompt, settings, seed });
  const poolOn = poolsOf(population, selection.kind === 'mixture' ? 'cells' : selection.pool);
  return ({ parent, island, group, branch, hidden = NOBODY }) => {
    if (branch === 'initialisation') return [];
    const shown = new Map<ProgramId, Shown['role']>();
    const leaves = prompt.frame === 'common' && hasEnough(population.islands[island]!, parent, prompt);
    const stays = ({ bornSeq }: Pick<Member, 'bornSeq'>): boolean => !leaves || bornSeq !== INITIAL;
    const mayShow = ({ id, fit }: Pick<Member, 'id' | 'fit'>): boolean =>
      id !== parent && !shown.has(id) && !hidden.has(id) && !isFailureFit(fit);
    const isNew: IsNew = (member) => mayShow(member) && stays(member);
    const show = (role: Shown['role'], programs: readonly { readonly id: ProgramId }[]): void => {
      for (const { id } of programs) shown.set(id, role);
    };
    const { priorPrograms: count, eliteRatio } = prompt;
    const prior = drawPriorPrograms({
      population,
      parent,
      island,
      count,
      eliteRatio,
      settings,
      seed,
      rng: rng(seed, 'prior', step, group),
      ...(leaves && { isNew: stays }),
    });
    show(
      'prior',
      prior.map((id) => ({ id })),
    );
    if (prompt.elites > 0) {
      const roster = prompt.scope === 'run' ? population.all : population.islands[island]!;
      // As many more are taken as there are programs that may not be shown.
      show(
        'elite',
        bestOf(roster, prompt.elites + shown.size + hidden.size + 1)
          .filter(isNew)
          .slice(0, prompt.elites),
      );
    }
    if (prompt.diverse > 0)
      show('diverse', drawDiverse({ parent, island, isNew, rng: rng(seed, 'diverse', step, group) }));
    if (prompt.inspirations > 0) {
      const random = rng(seed, 'inspirations', step, group);
      const { inspirationsBy: by, inspirations: wanted } = prompt;
      const from = by === 'archive' ? 'archive' : 'island';
      const drawn =
        by === 'neighbours' || by === 'archive'
          ? drawPriorPrograms({
              ...{ population, parent, island, eliteRatio, settings, seed, isNew, from },
              count: wanted,
              rng: random,
            }).map((id) => ({ id }))
          : inspirations(poolOn(island), prompt, isNew, random);
      show('inspiration', drawn);
    }
    const best = whose === 'island' ? bestOf(population.islands[island]!, 1)[0] : population.state.best;
    if (whose !== undefined && best != null && mayShow(best)) show('best', [best]);
    return [...shown].map(([id, role]) => ({ id, role }));
  };
};

type IsNew = (program: Pick<Member, 'id' | 'fit' | 'bornSeq'>) => boolean;

/** The birth of the initial program. */
const INITIAL = 0;

/** The island has as many valid programs beside parent and initial program as a prompt shows. */
const hasEnough = (
  { byBirth }: Population['islands'][number],
  parent: ProgramId,
  { priorPrograms, elites, diverse, inspirations: muses }: PromptSettings,
): boolean =>
  byBirth.filter(({ id, fit, bornSeq }) => id !== parent && bornSeq !== INITIAL && !isFailureFit(fit)).length >=
  priorPrograms + elites + diverse + muses;

const inspirations = (
  { ranked }: Pool,
  { inspirations: count, inspirationsBy }: PromptSettings,
  isNew: IsNew,
  random: Rng,
): readonly Member[] => {
  const candidates: Member[] = [];
  const weights: number[] = [];
  for (const [index, member] of ranked.entries()) {
    if (!isNew(member)) continue;
    candidates.push(member);
    weights.push(1 / (index + 1));
  }
  return drawDistinct(candidates, count, random, inspirationsBy === 'rank' ? weights : null);
};

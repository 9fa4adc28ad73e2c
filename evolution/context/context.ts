// What is shown beside the parent: prior programs, elites, diverse nodes, inspirations and the best ever. Pure. The
// texts of those that it names are loaded by the caller.
import { bestOf } from '../archives/roster.ts';
import type { PopulationSettings, PromptSettings, SelectionSettings } from '../config/run-config.ts';
import type { Population } from '../population/population.ts';
import { rng, type Rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import { type Branch, type Pool, poolsOf } from '../selection/pools.ts';
import type { Member, ProgramId } from '../types.ts';
import { distinctOf, diverseOf } from './diverse.ts';
import { drawPriorPrograms } from './prior-programs.ts';

// The ancestors that a prompt shows as a conversation (CodeEvolve 4.2).
/** What of a program decides whether the chain goes on. A program document fits. */
export type Descent = { readonly parents: readonly ProgramId[]; readonly island: number; readonly founder?: true };

type AncestorsOf = {
  /** k: the nearest so many. */
  readonly count: number;
  /** The island that the program counts with as a parent. */
  readonly island: number;
  readonly find: (id: ProgramId) => Descent | undefined;
};

/**
 * The next of the chain on this island; null at a root: a migrant from elsewhere, one of its island's seed
 * programs, one without a parent.
 */
export const nextAncestor = (program: Descent, island: number): ProgramId | null =>
  program.island === island && program.founder !== true ? (program.parents[0] ?? null) : null;

/**
 * Oldest first, without the program itself. The chain ends at a root, which is part of it, and before a program that
 * is not found.
 */
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

/** Of a batch. */
type Contexts = {
  readonly population: Population;
  readonly prompt: PromptSettings;
  /** Of the population. */
  readonly settings: PopulationSettings;
  readonly selection: Pick<SelectionSettings, 'kind' | 'pool'>;
  /** Of the run. */
  readonly seed: number;
  readonly step: number;
};

/** Of a group. */
export type ContextOf = {
  readonly parent: ProgramId;
  /** The island the parent counts with. */
  readonly island: number;
  readonly group: number;
  /** Of the parent's draw; `initialisation`: nothing is shown (CodeEvolve 4.4, Initialization). */
  readonly branch?: Branch;
  /** Programs that are shown as nothing but prior programs, e.g. one that has no delta to show. */
  readonly hidden?: ReadonlySet<ProgramId>;
};

const NOBODY: ReadonlySet<ProgramId> = new Set();

/**
 * Made once a batch: what groups share is worked out once. For each group, in this order, the parent never and nobody
 * twice; each kind from a random stream of its own, so that asking for one changes no other's draws:
 *   prior as ThetaEvolve draws them (prior-programs.ts)
 *   elite the best of `prompt.scope`; the next rank takes the place of one that may not be shown
 *   (docs/methods/deltaevolve.md, Who is shown)
 *   diverse elites of other cells (context/diverse.ts)
 *   inspiration of the pool of `selection.pool` (mixture: cells), one by one without replacement, by 1 / rank in the
 *   pool or uniformly
 *                (CodeEvolve Algorithm 1); with a pool of n programs at most n - 1
 *   best the best of the run, dead or alive
 * But for prior programs admitted failures are never shown. Fewer come where there are fewer.
 */
export const contextsOf = ({
  population,
  prompt,
  settings,
  selection,
  seed,
  step,
}: Contexts): ((group: ContextOf) => readonly Shown[]) => {
  const drawDiverse = diverseOf({ population, prompt, settings, seed });
  const poolOn = poolsOf(population, selection.kind === 'mixture' ? 'cells' : selection.pool);
  return ({ parent, island, group, branch, hidden = NOBODY }) => {
    if (branch === 'initialisation') return [];
    const shown = new Map<ProgramId, Shown['role']>();
    const isNew: IsNew = ({ id, fit }) => id !== parent && !shown.has(id) && !hidden.has(id) && !isFailureFit(fit);
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
    });
    show(
      'prior',
      prior.map((id) => ({ id })),
    );
    if (prompt.elites > 0) {
      const roster = prompt.scope === 'run' ? population.all : population.islands[island]!;
      // As many more as there are programs that may not be shown.
      show(
        'elite',
        bestOf(roster, prompt.elites + shown.size + hidden.size + 1)
          .filter(isNew)
          .slice(0, prompt.elites),
      );
    }
    if (prompt.diverse > 0)
      show('diverse', drawDiverse({ parent, island, isNew, rng: rng(seed, 'diverse', step, group) }));
    if (prompt.inspirations > 0)
      show('inspiration', inspirations(poolOn(island), prompt, isNew, rng(seed, 'inspirations', step, group)));
    const { best } = population.state;
    if (prompt.bestEver && best !== null && isNew(best)) show('best', [best]);
    return [...shown].map(([id, role]) => ({ id, role }));
  };
};

type IsNew = (program: Pick<Member, 'id' | 'fit'>) => boolean;

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
  return distinctOf(candidates, { count, weights: inspirationsBy === 'rank' ? weights : null, rng: random });
};

// Random-Context: programs beside the parent drawn uniformly from everything that the run made so far, whatever they scored (DeltaEvolve,
// section 2, Ablations). Parents are drawn as ever. Called by prompt-context.ts.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { distinctOf } from '../../evolution/context/distinct.ts';
import { rng } from '../../evolution/rng.ts';
import type { ParentDraw } from '../../evolution/selection.ts';
import type { ProgramId, RunId } from '../../evolution/types.ts';
import type { Shown } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { isShowable } from './history.ts';

type Random = { readonly prior: readonly ProgramId[]; readonly context: readonly Shown[] };

/** One for each draw, as many of each kind as the settings show; the parent never, nobody twice. Programs without a text have nothing to
 *  show; in style `delta` it is roots that have none. One scan of the run's programs. */
export const randomContexts = async (
  store: Store, draws: readonly ParentDraw[], { run, config, step, groups }: { readonly run: RunId; readonly config: RunConfig; readonly step: number; readonly groups?: readonly number[] | undefined },
): Promise<readonly Random[]> => {
  const { prompt, delta, seed } = config;
  const all: ProgramId[] = [];
  for await (const program of store.eachProgram(run, { fromStep: 0 })) {
    if (program.step >= step) break;
    const node = { root: program.parents.length === 0, status: program.change?.status ?? 'missing' as const };
    if (prompt.style === 'delta' ? isShowable(node, delta.missing) : program.code !== null) all.push(program._id);
  }
  const kinds = [
    ...kind('prior', prompt.priorPrograms), ...kind('elite', prompt.elites), ...kind('diverse', prompt.diverse),
    ...kind('inspiration', prompt.inspirations), ...kind('best', prompt.bestEver ? 1 : 0),
  ];
  return draws.map(({ parent, branch }, index) => {
    const drawn = branch === 'founding' ? [] : distinctOf(all.filter((id) => id !== parent), { count: kinds.length, weights: null, rng: rng(seed, 'random', step, groups?.[index] ?? index) });
    const shown = drawn.map((id, index) => ({ id, role: kinds[index]! }));
    return {
      prior: shown.flatMap(({ id, role }) => (role === 'prior' ? [id] : [])),
      context: shown.flatMap(({ id, role }): Shown[] => (role === 'prior' ? [] : [{ id, role }])),
    };
  });
};

const kind = <T extends Shown['role'] | 'prior'>(role: T, count: number): readonly T[] => Array.from({ length: count }, () => role);

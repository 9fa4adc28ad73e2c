// The momentum of a run (DeltaEvolve 4.1): the deltas along a lineage, which components helped, how the best program
// came about. Also finds programs by what their delta says.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { attemptOf } from '../../evolution/deltas/delta.ts';
import {
  type ComponentCount,
  componentCounts,
  type Milestone,
  milestones,
  type MomentumNode,
} from '../../evolution/reports/momentum.ts';
import type { ProgramId } from '../../evolution/types.ts';
import { BadEndError, UsageError } from '../connect/errors.ts';

export type Momentum = {
  readonly run: string;
  readonly program: ProgramId;
  /** The number of programs with a stored delta. Only prompts of style `delta` ask for deltas. */
  readonly deltas: number;
  readonly style: RunDocument['config']['prompt']['style'];
  /** From the root to the program. */
  readonly lineage: readonly MomentumNode[];
  /** Counts over the whole run. */
  readonly components: readonly ComponentCount[];
  readonly milestones: readonly Milestone[];
};

/**
 * `program` is the best one where it is left out. Throws BadEndError where there is none, and UsageError where it is
 * not a program of the run.
 */
export const momentumOf = async (
  store: Store,
  document: RunDocument,
  program: ProgramId | undefined,
): Promise<Momentum> => {
  const { run, best, config } = document;
  const end = program ?? best?.program;
  if (end === undefined) throw new BadEndError(`run ${run} has no valid program yet`);
  const nodes = new Map<ProgramId, MomentumNode>();
  const parents = new Map<ProgramId, ProgramId>();
  for await (const one of store.eachProgram(run, { comparable: true })) {
    nodes.set(one._id, nodeOf(one, config));
    if (one.parents[0] !== undefined) parents.set(one._id, one.parents[0]);
  }
  if (!nodes.has(end))
    throw new UsageError(`run ${run} has no program "${end}": \`npx evolve programs ${run}\` lists them`);
  const lineage: MomentumNode[] = [];
  for (let id: ProgramId | undefined = end; id !== undefined; id = parents.get(id)) {
    const node = nodes.get(id);
    if (node !== undefined) lineage.unshift(node);
  }
  const all = [...nodes.values()];
  return {
    ...{ run, program: end, style: config.prompt.style, deltas: all.filter(({ delta }) => delta !== null).length },
    ...{ lineage, components: componentCounts(all), milestones: milestones(all) },
  };
};

/** True where any program of the run has a delta. */
export const hasDeltas = async (store: Store, { run }: RunDocument): Promise<boolean> => {
  for await (const { change } of store.eachProgram(run)) if (change !== undefined) return true;
  return false;
};

/** Programs whose delta holds the text, in upper or lower case, in the order in which they were made. */
export async function* withDelta(
  store: Store,
  { run, config }: RunDocument,
  text: string,
): AsyncGenerator<MomentumNode> {
  const needle = text.toLowerCase();
  for await (const program of store.eachProgram(run)) {
    const { change } = program;
    if (change === undefined) continue;
    const fields = [
      change.summary.from,
      change.summary.to,
      ...change.plan.flatMap(({ component, oldLogic, newLogic, hypothesis }) => [
        component,
        oldLogic,
        newLogic,
        hypothesis,
      ]),
    ];
    if (fields.some((field) => field.toLowerCase().includes(needle))) yield nodeOf(program, config);
  }
}

const nodeOf = (program: ProgramDocument, config: RunDocument['config']): MomentumNode => {
  const { _id: id, change, fit = null, score } = program;
  const time = attemptOf(program, config);
  if (change === undefined) return { id, time, label: null, delta: null, fit, score };
  const { label, ...delta } = change;
  return { id, time, label, delta, fit, score };
};

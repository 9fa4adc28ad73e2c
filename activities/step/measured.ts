// The measured features of a step's valid programs: one value for each of `population.features`, in the form that
// insertion takes.
import { axesOf, type Axis, isMeasured } from '../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { diversity, type Shape, shapeOf } from '../../evolution/measures/diversity.ts';
import { treeSize } from '../../evolution/measures/tree-size.ts';
import type { BlobRef, ProgramId } from '../../evolution/types.ts';
import type { EvaluationDocument } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';

type ToMeasure = {
  readonly id: ProgramId;
  readonly code: BlobRef | null;
  readonly evaluation: EvaluationDocument;
  /** Mean distance between its embedding and those of the reference programs; null without an embedding. */
  readonly distance: number | null;
};

type Values = readonly (number | null)[];

/**
 * A value is null where the feature is missing. The result is empty where score and length are the only features.
 * `references` are those that the population's state named before the step.
 */
export const measuredValues = async (
  store: Store,
  { population }: RunConfig,
  references: readonly ProgramId[],
  programs: readonly ToMeasure[],
): Promise<ReadonlyMap<ProgramId, Values>> => {
  const axes = population.map === 'grid' || population.map === 'cvt' ? axesOf(population) : [];
  if (!axes.some(isMeasured)) return new Map();
  const shapes = axes.some(({ feature }) => feature === 'diversity') ? await shapesOf(store, references) : [];
  const readsCode = axes.some(({ feature }) => feature === 'diversity' || feature === 'tree-size');
  const texts = readsCode
    ? await store.getTexts(programs.flatMap(({ code }) => code ?? []))
    : new Map<BlobRef, string>();
  return new Map(
    programs.map((program) => {
      const code = program.code === null ? '' : (texts.get(program.code) ?? '');
      return [program.id, axes.map((axis) => finite(valueOf(axis, program, code, shapes)))];
    }),
  );
};

const valueOf = (
  { feature }: Axis,
  { evaluation, distance }: ToMeasure,
  code: string,
  references: readonly Shape[],
): unknown => {
  switch (feature) {
    case 'score':
    case 'length':
      return null;
    case 'tree-size':
      return treeSize(code);
    case 'diversity':
      return diversity(shapeOf(code), references);
    case 'cpu':
      return evaluation.cpuMs === null ? null : evaluation.cpuMs / 1000;
    case 'wall':
      return evaluation.wallMs / 1000;
    case 'embedding':
      return distance;
    default:
      return evaluation.metrics[feature.slice('metric:'.length)];
  }
};

/** True and false count as 1 and 0. */
const finite = (value: unknown): number | null => {
  const number = typeof value === 'boolean' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : null;
};

const shapesOf = async (store: Store, references: readonly ProgramId[]): Promise<readonly Shape[]> => {
  const programs = await store.getPrograms(references);
  const texts = await store.getTexts([...programs.values()].flatMap(({ code }) => code ?? []));
  return references.flatMap((id) => {
    const code = programs.get(id)?.code ?? null;
    return code === null ? [] : [shapeOf(texts.get(code) ?? '')];
  });
};

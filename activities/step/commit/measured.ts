// The measured features of a step's valid programs: one value for each of `population.features`, in the form that
// insertion takes.
import { axesOf, type Axis, isMeasured } from '../../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { diversity, type Shape } from '../../../evolution/measures/diversity.ts';
import type { BlobRef, ProgramId } from '../../../evolution/types.ts';
import { readTexts } from '../../reading/reading.ts';
import type { ReadOf } from '../../reading/readings.ts';
import type { EvaluationDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

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
  const wanted = {
    treeSize: axes.some(({ feature }) => feature === 'tree-size'),
    shape: axes.some(({ feature }) => feature === 'diversity'),
  };
  const shapes = wanted.shape ? await shapesOf(store, references) : [];
  const codes = programs.map(({ code }) => code);
  const measured = wanted.treeSize || wanted.shape ? await measuredCodes(store, codes, wanted) : codes.map(() => null);
  return new Map(
    programs.map((program, index) => [
      program.id,
      axes.map((axis) => finite(valueOf(axis, program, measured[index]!, shapes))),
    ]),
  );
};

type Measured = ReadOf<'measure'>;

/** Null for a program that took too long to be measured, and is left without these features. */
const measuredCodes = async (
  store: Store,
  codes: readonly (BlobRef | null)[],
  wanted: { readonly treeSize: boolean; readonly shape: boolean },
): Promise<readonly (Measured | null)[]> => {
  const texts = await store.getTexts(codes.flatMap((code) => code ?? []));
  const reads = await readTexts(
    'measure',
    codes.map((code) => ({ code: code === null ? '' : (texts.get(code) ?? ''), ...wanted })),
  );
  return reads.map(({ value }) => value);
};

const valueOf = (
  { feature }: Axis,
  { evaluation, distance }: ToMeasure,
  measured: Measured | null,
  references: readonly Shape[],
): unknown => {
  switch (feature) {
    case 'score':
    case 'length':
      return null;
    case 'tree-size':
      return measured?.treeSize ?? null;
    case 'diversity':
      return measured?.shape == null ? null : diversity(measured.shape, references);
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
  const codes = references.flatMap((id) => programs.get(id)?.code ?? []);
  const measured = await measuredCodes(store, codes, { treeSize: false, shape: true });
  return measured.flatMap((one) => one?.shape ?? []);
};

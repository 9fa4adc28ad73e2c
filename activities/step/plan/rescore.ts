// A step that scores programs again under a new version of the task: its candidates are the initial program of the new
// version, everyone who is alive, and every best since scores were comparable. No model is asked.
import { programId, promptId } from '../../../evolution/ids.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { range, slotsIn } from '../../../evolution/schedule/slots.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { ProgramId, Rescored } from '../../../evolution/types.ts';
import { sha256 } from '../../sha256.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import { scoredFrom, waitingRescoring } from '../../store/documents/lineage.ts';
import type { DeltaDocument, ProgramDocument } from '../../store/documents/step-documents.ts';
import { epochAt } from '../../store/steps/paid.ts';
import type { Store } from '../../store/store.ts';
import { requiredRun } from '../../run/step-summary.ts';

/** Makes the step one that scores again, unless its prompts are written: what was asked for them is paid. */
export const rescoreIfAsked = async (store: Store, run: string, step: number): Promise<void> => {
  const document = await requiredRun(store, run);
  if (document.rescorings === undefined) return;
  const { batch, population } = document.config;
  const epoch = epochAt(document.epochs, step);
  const groups = range(0, Math.max(batch, population.islands)).map((group) => promptId(run, step, epoch, group));
  if (waitingRescoring(document) !== undefined && (await store.getPrompts(groups)).size > 0) return;
  await store.beginRescoring(run, step);
};

type At = { readonly step: number; readonly epoch: number };

/** Stores the candidates of the step, and resolves to their slots. A retry finds the same ones. */
export const plantRescored = async (
  store: Store,
  document: RunDocument,
  { initialProgram }: Task,
  { step, epoch }: At,
): Promise<readonly number[]> => {
  const { run, config } = document;
  const [code] = await store.putTexts([initialProgram]);
  const normHash = sha256(normalise(initialProgram));
  const programs = await candidatesOf(store, document);
  const initial = programs.find((program) => program.normHash === normHash);
  const everywhere = range(0, config.population.islands);
  const candidates: readonly (Pick<DeltaDocument, 'code' | 'normHash' | 'length' | 'island'> & Entering)[] = [
    {
      ...{ code: code!, normHash, length: initialProgram.length, island: 0 },
      rescored: { of: initial?._id ?? null, islands: everywhere },
    },
    ...programs.filter((program) => program !== initial),
  ];
  const first = slotsIn(config);
  const deltas = candidates.map((candidate, index): DeltaDocument => ({
    _id: programId(run, step, epoch, first + index),
    ...{ run, step, slot: first + index, parent: null, outcome: null, reason: null },
    ...{ island: candidate.island!, code: candidate.code, normHash: candidate.normHash, length: candidate.length },
    ...{ blocks: 0, unmatched: [], duplicateOf: null, rescored: candidate.rescored },
  }));
  if (config.embedding.model !== null) await embedAgain(store, deltas);
  await store.putDeltas(deltas);
  return deltas.map(({ slot }) => slot);
};

type Entering = { readonly rescored: Rescored };

/** The programs to score again, in the order of their birth. A program that was never run cannot be scored. */
const candidatesOf = async (store: Store, document: RunDocument): Promise<readonly (ProgramDocument & Entering)[]> => {
  const islandsOf = new Map<ProgramId, number[]>();
  const population = await store.population(document);
  for (const id of population.members.keys()) islandsOf.set(id, []);
  for (const [island, { byId }] of population.islands.entries())
    for (const id of byId.keys()) islandsOf.get(id)!.push(island);
  for await (const { best } of store.eachStep(document, scoredFrom(document)))
    if (best !== null && !islandsOf.has(best.program)) islandsOf.set(best.program, []);
  const programs = await store.getPrograms([...islandsOf.keys()]);
  return [...programs.values()]
    .filter(({ evaluation }) => evaluation !== null)
    .sort((a, b) => a.bornSeq - b.bornSeq)
    .map((program) => {
      const islands = islandsOf.get(program._id)!;
      return { ...program, rescored: { of: program._id, islands: islands.length === 0 ? [program.island] : islands } };
    });
};

/** The texts are the same, so their vectors are those of before, and nothing is paid for them. */
const embedAgain = async (store: Store, deltas: readonly DeltaDocument[]): Promise<void> => {
  const known = await store.getEmbeddings(deltas.flatMap(({ rescored }) => rescored?.of ?? []));
  await store.putEmbeddings(
    deltas.flatMap(({ _id, run, step, rescored }) => {
      const vector = known.get(rescored?.of ?? '');
      return vector === undefined
        ? []
        : [{ ...vector, _id, run, step, nearest: null, duplicate: false, tokens: 0, costUsd: 0 }];
    }),
  );
};

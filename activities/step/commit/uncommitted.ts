// The programs of steps that are not committed yet, for people who look: each that has its outcome, as its commit will
// store it.
import { programId } from '../../../evolution/ids.ts';
import { slotsOf } from '../../../evolution/schedule/slots.ts';
import type { Direction } from '../../../evolution/types.ts';
import { withVerdicts } from '../../llm/embeddings/novelty.ts';
import { embeddingOf } from '../../llm/embeddings/vectors.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { ProgramDocument } from '../../store/documents/step-documents.ts';
import type { UnderWay } from '../../store/steps/set-aside.ts';
import type { Store } from '../../store/store.ts';
import { keyOf } from '../evaluate/evaluate.ts';
import { isEvaluated, programDocuments } from './program-documents.ts';
import { stepMade } from './step-made.ts';

/** In the order of steps and slots. Injected programs are not among them. */
export const uncommittedPrograms = async (
  store: Store,
  document: RunDocument,
  direction: Direction,
  underWay: readonly UnderWay[],
): Promise<readonly ProgramDocument[]> => {
  const { generation } = document;
  const programs: ProgramDocument[] = [];
  for (const { asked, epoch, config } of underWay) {
    const run = { ...document, config };
    for (const { step, groups } of asked) {
      const slots = groups.flatMap((group) => slotsOf(group, config.responses));
      const done = await finished(store, run, { step, epoch, slots });
      const made = await stepMade({
        ...{ store, run, step, epoch, groups, injected: 0 },
        ...(config.schedule === 'continuous' ? { named: step } : {}),
        omitted: slots.filter((slot) => !done.has(slot)),
      });
      programs.push(...(await programDocuments({ store, made, run, direction, epoch, generation })));
    }
  }
  return programs;
};

/** The slots that have an outcome. */
const finished = async (
  store: Store,
  run: RunDocument,
  { step, epoch, slots }: { readonly step: number; readonly epoch: number; readonly slots: readonly number[] },
): Promise<ReadonlySet<number>> => {
  const ids = slots.map((slot) => programId(run.run, step, epoch, slot));
  const deltas = [...(await store.getDeltas(ids)).values()];
  const embedded = run.config.embedding.model === null ? new Map() : await store.getEmbeddings(ids);
  const embeddings = embeddingOf(
    deltas.filter(({ outcome }) => outcome === null),
    await withVerdicts(store, run.config, embedded),
  );
  const keys = deltas.filter((delta) => isEvaluated(delta, embeddings)).map((delta) => keyOf(delta, run));
  const evaluations = await store.getEvaluations([...new Set(keys)]);
  return new Set(
    deltas.flatMap((delta) =>
      !isEvaluated(delta, embeddings) || evaluations.has(keyOf(delta, run)) ? [delta.slot] : [],
    ),
  );
};

// The fence: who may write the run's next commits (reference `temporal`, section 5). Called by open-store.ts.
//
//   step n opened           owner known for it   answer
//   first time, n is next   -                    the generation as it is
//   again                   the same             the generation it was given then
//   again, or below a later another (a reset)    generation + 1; an era starts at n, committedStep falls to n-1 at most
import type { RunId } from '../../evolution/types.ts';
import { getByIds } from './insert-or-get.ts';
import { generationOf, markerId, startEra } from './lineage.ts';
import { committedMarker } from './markers.ts';
import { beforeFirstStep, requireRun } from './run-documents.ts';
import type { Collections, OpeningDocument, StoredRun, StoredStep } from './stored.ts';

export const openStep = async (collections: Collections, run: RunId, step: number, owner: string): Promise<number> => {
  for (;;) {
    const document = await requireRun(collections, run);
    if (document.openings?.step === step && document.openings.owner === owner) return document.generation;
    const earlier = await collections.openings.get(openingId(run, step, owner));
    if (earlier !== null) return earlier.generation;
    // The run document holds the current opening only: what it is about to forget is kept first, by whoever replaces it.
    await keepOpening(collections, document);
    const generation = await replaceOpening(collections, document, step, owner);
    if (generation !== null) return generation;
  }
};

/** Null when another opening or a commit came between: look again. */
const replaceOpening = async (collections: Collections, document: StoredRun, step: number, owner: string): Promise<number | null> => {
  const { _id, generation, opening, committedStep } = document;
  const again = committedStep >= step || (document.openings !== null && document.openings.step >= step);
  const fields = {
    opening: opening + 1, openings: { step, owner },
    ...(again ? { generation: generation + 1, lineage: startEra(document.lineage, { step, generation: generation + 1 }) } : {}),
    ...(committedStep >= step ? await rewound(collections, document, step) : {}),
  };
  if (!await collections.runs.update(_id, { generation, opening, committedStep }, { $set: fields })) return null;
  if (committedStep >= step) await markSuperseded(collections, document, step);
  return again ? generation + 1 : generation;
};

/** The run as it was after step - 1. The view rises so that no snapshot or cache of the future that is given up is taken for the new. */
const rewound = async (collections: Collections, document: StoredRun, step: number): Promise<Partial<StoredRun>> => {
  const view = document.view + 1;
  if (step === 0) return { view, ...beforeFirstStep(document.config) };
  const { population, totals, best, fingerprint } = await committedMarker(collections, document, step - 1);
  return { view, committedStep: step - 1, population, totals, best, fingerprint };
};

/** For whoever reads the collection; the store itself goes by lineage (currentState). */
const markSuperseded = async ({ steps }: Collections, before: StoredRun, fromStep: number): Promise<void> => {
  const ids: string[] = [];
  for (let step = fromStep; step <= before.committedStep; step++) ids.push(markerId(before._id, step, generationOf(before.lineage, step)));
  const markers = await getByIds(steps, ids);
  await steps.replaceAll([...markers.values()].map((marker): StoredStep => ({ ...marker, state: 'superseded' })), { state: { $ne: 'superseded' } });
};

const openingId = (run: RunId, step: number, owner: string): string => `${run}:${String(step).padStart(6, '0')}:${owner}`;

const keepOpening = async ({ openings }: Collections, { _id: run, openings: current, generation }: StoredRun): Promise<void> => {
  if (current === null) return;
  const document: OpeningDocument = { _id: openingId(run, current.step, current.owner), run, ...current, generation };
  await openings.insertAll([document]);
};

// The fence decides who may write the run's next commits. Steps are opened behind it, and resampling fences off an
// attempt in the same way.
//
//   step n opened           owner known for it   answer
//   first time, n is next   -                    the generation as it is
//   again                   the same             the generation it was given then
//   again, or below a later another (a reset)    generation + 1; an era starts at n, committedStep falls to n-1 at most
import type { RunId } from '../../../evolution/types.ts';
import { isOwn, startEra } from '../documents/lineage.ts';
import { committedMarkers } from './markers.ts';
import { learnedUntil, stillAt } from './policy-head.ts';
import {
  beforeFirstStep,
  beingRemoved,
  isGoing,
  type ReadConfig,
  requireRun,
  STAYS,
} from '../documents/run-documents.ts';
import { mergedSetAside, spentBySteps, spentUnderWay } from './set-aside.ts';
import { taskAt } from '../documents/lineage.ts';
import type { TaskOfRun } from '../documents/documents.ts';
import type { Collections, OpeningDocument, StoredRun, StoredStep } from '../documents/stored.ts';

export const openStep = async (
  collections: Collections,
  readConfig: ReadConfig,
  run: RunId,
  step: number,
  owner: string,
): Promise<number> => {
  for (;;) {
    const document = await requireRun(collections, run);
    if (isGoing(document)) throw beingRemoved(run);
    if (document.openings?.step === step && document.openings.owner === owner) return document.generation;
    const earlier = await collections.openings.get(openingId(run, step, owner));
    if (earlier !== null) return earlier.generation;
    // The run document holds only the current opening, so the one that is about to be replaced is kept first.
    await keepOpening(collections, document);
    const rewind = document.committedStep < step ? null : await rewinding(collections, readConfig, document, step);
    const generation = await replaceOpening(collections, document, { step, owner }, rewind?.fields ?? {});
    if (generation === null) continue;
    if (rewind !== null) await markAll(collections, rewind.rewound, 'superseded');
    return generation;
  }
};

/** Null when another opening, a resampling or a commit came in between, so that the caller looks again. */
const replaceOpening = async (
  { runs }: Collections,
  document: StoredRun,
  openings: NonNullable<StoredRun['openings']>,
  rewound: Partial<StoredRun>,
): Promise<number | null> => {
  const { opening, committedStep } = document;
  const again =
    committedStep >= openings.step || (document.openings !== null && document.openings.step >= openings.step);
  const raised = again
    ? raisedFrom(document, Math.min(openings.step, committedStep + 1))
    : { generation: document.generation };
  const fields = { opening: opening + 1, openings, ...raised, ...rewound };
  return (await runs.update(
    document._id,
    { generation: document.generation, opening, committedStep, ...stillAt(document), ...STAYS },
    { $set: fields },
  ))
    ? raised.generation
    : null;
};

/** From this step on no earlier generation can commit. */
const raisedFrom = (
  { _id: run, generation, lineage }: StoredRun,
  step: number,
): Pick<StoredRun, 'generation' | 'lineage'> => ({
  generation: generation + 1,
  lineage: startEra(lineage, { step, generation: generation + 1, run }),
});

type Rewinding = { readonly fields: Partial<StoredRun>; readonly rewound: readonly StoredStep[] };

/**
 * The run as it was after step - 1. `view` rises, so that no snapshot or cache of the rewound future is taken for the
 * new one. Steps of another run are not marked, nor their costs counted.
 */
const rewinding = async (
  collections: Collections,
  readConfig: ReadConfig,
  document: StoredRun,
  step: number,
): Promise<Rewinding> => {
  const markers: StoredStep[] = [];
  for await (const marker of committedMarkers(collections, document, step - 1, document.committedStep))
    markers.push(marker);
  const previous = step === 0 ? null : markers[0]!;
  const state =
    previous === null
      ? beforeFirstStep(document.config)
      : {
          committedStep: step - 1,
          population: previous.population,
          totals: previous.totals,
          best: previous.best,
          fingerprint: previous.fingerprint,
        };
  const rewound = markers.filter((marker) => marker.step >= step && isOwn(document, marker.step));
  // A commit that was cut short after its commit point left its marker as prepared. It is marked now, because after the
  // rewind nobody could tell that it was committed.
  await markAll(
    collections,
    rewound.filter((marker) => marker.state === 'prepared'),
    'committed',
  );
  const before = markers.find((marker) => marker.step === (rewound[0]?.step ?? 0) - 1)?.totals ?? state.totals;
  const setAside = mergedSetAside([
    ...document.setAside,
    ...spentBySteps(rewound, before),
    ...(await spentUnderWay(collections, readConfig, document, document.committedStep + 1)),
  ]);
  const learned = await learnedUntil((id) => collections.policies.get(id), document, step - 1);
  return {
    fields: { view: document.view + 1, ...state, ...taskAt(document, step), setAside, ...learned },
    rewound,
  };
};

/** The mark is for people who read the collection. The store itself decides by lineage. */
const markAll = (
  { steps }: Collections,
  markers: readonly StoredStep[],
  state: 'committed' | 'superseded',
): Promise<void> =>
  steps.replaceAll(
    markers.map((marker) => ({ ...marker, state })),
    state === 'committed' ? { state: 'prepared' } : { state: { $ne: 'superseded' } },
  );

const openingId = (run: RunId, step: number, owner: string): string =>
  `${run}:${String(step).padStart(6, '0')}:${owner}`;

/** Keeps the current opening for the time when its owner asks again. */
export const keepOpening = async (
  { openings }: Collections,
  { _id: run, openings: current, generation }: StoredRun,
): Promise<void> => {
  if (current === null) return;
  const document: OpeningDocument = { _id: openingId(run, current.step, current.owner), run, ...current, generation };
  await openings.insertAll([document]);
};

type Resampling = {
  readonly run: RunId;
  readonly step: number;
  readonly by: string;
  /** What else of the run changes with it. */
  readonly fields?: Partial<Pick<StoredRun, 'rescorings' | keyof TaskOfRun>> | undefined;
};

/**
 * Resampling: from this step on the model is asked afresh under a new epoch, and what was paid before is set aside. An
 * attempt that is under way is fenced off: its owner opens the step again and gets the next generation.
 */
export const resample = async (
  collections: Collections,
  readConfig: ReadConfig,
  { run, step, by, fields: further }: Resampling,
): Promise<number> => {
  for (;;) {
    const document = await requireRun(collections, run);
    const earlier = document.epochs.find((start) => start.by === by);
    if (earlier !== undefined) return earlier.epoch;
    const { generation, opening, openings, committedStep, epochs } = document;
    if (!Number.isInteger(step) || step <= committedStep) {
      throw new RangeError(
        `expected a step after ${committedStep}, the last committed one of run '${run}', to ask the model afresh from, got ${step}: rewind the run to it first`,
      );
    }
    const epoch = 1 + Math.max(0, ...epochs.map((start) => start.epoch));
    const setAside = mergedSetAside([
      ...document.setAside,
      ...(await spentUnderWay(collections, readConfig, document, step)),
    ]);
    const isNext = step === committedStep + 1;
    const isOpen = openings?.step === step;
    if (isNext && !isOpen) await keepOpening(collections, document);
    const fields = {
      epochs: [...epochs, { step, epoch, by }],
      setAside,
      opening: opening + 1,
      ...further,
      ...(isNext ? { ...raisedFrom(document, step), openings: isOpen ? openings : null } : {}),
    };
    if (await collections.runs.update(run, { generation, opening, committedStep }, { $set: fields })) return epoch;
  }
};

// The lineage of a run names the live commit of each step: its run and its generation. All functions are pure.
//
// A rewind to step n raises the generation and starts an era at n. Steps below n keep the generation that committed
// them. What older generations stored for n and above stays readable but is live no more. So correctness needs no
// marks: a step counts when it is committed and its generation is that of the era in which it lies. A fork begins with
// the eras of its parent run as they were then, and each era names the run whose markers and programs it refers to.
import type { RunId } from '../../../evolution/types.ts';
import type { Rescoring, RunDocument, TaskOfRun } from './documents.ts';
import type { Era, StoredRun } from './stored.ts';

export const FIRST_GENERATION = 1;

type Lineage = Pick<StoredRun, 'lineage'>;

/** The first era begins at step 0. */
export const eraOf = ({ lineage }: Lineage, step: number): Era =>
  lineage.findLast((era) => era.step <= step) ?? lineage[0]!;

/** The eras of a run as the store gives it; its type hides them from whoever only shows a run. */
export const erasOf = (run: RunDocument): readonly Era[] => (run as StoredRun).lineage;

export const isCommitted = (run: StoredRun, step: number, generation: number): boolean =>
  step >= 0 && step <= run.committedStep && eraOf(run, step).generation === generation;

/** False for the steps that a fork has from the run that it came from. */
export const isOwn = (run: StoredRun, step: number): boolean => eraOf(run, step).run === run._id;

export const startEra = (lineage: readonly Era[], era: Era): readonly Era[] => [
  ...lineage.filter((old) => old.step < era.step),
  era,
];

/** `_id` of a step marker: `run:step:generation`. */
export const markerId = (run: RunId, step: number, generation: number): string =>
  `${run}:${String(step).padStart(6, '0')}:${generation}`;

/** `_id` of the marker that a step of the run has, or will have when it is committed. */
export const liveMarkerId = (run: StoredRun, step: number): string => {
  const era = eraOf(run, step);
  return markerId(era.run, step, era.generation);
};

// A run may change its task in mid-run. Which version scores a step follows from the changes that are stored with it.

type Versions = Pick<RunDocument, 'rescorings'>;
type Placed = Rescoring & { readonly step: number };

const placed = ({ rescorings = [] }: Versions): readonly Placed[] =>
  rescorings.filter((one): one is Placed => one.step !== null && one.refused === undefined);

/** The change that waits for the end of the step under way; undefined where none does. */
export const waitingRescoring = ({ rescorings = [] }: Versions): Rescoring | undefined =>
  rescorings.find(({ step, refused }) => step === null && refused === undefined);

/** The change for which this step scores programs again; undefined for any other step. */
export const rescoringAt = (run: Versions, step: number): Placed | undefined =>
  placed(run).find((one) => one.step === step);

/** The task by which the step scores; undefined where the run never had another one. */
export const taskAt = (run: Versions, step: number): TaskOfRun | undefined =>
  placed(run).findLast((one) => one.step <= step)?.after ?? placed(run)[0]?.before;

/** The steps whose scores compare with those of this step: from the first on, and before the other, if there is one. */
export const comparableWith = (run: Versions, step: number): readonly [from: number, before: number | null] => [
  placed(run).findLast((one) => one.step <= step)?.step ?? 0,
  placed(run).find((one) => one.step > step)?.step ?? null,
];

/** The scores of the programs from this step on compare with each other. */
export const scoredFrom = (run: Versions & Pick<RunDocument, 'committedStep'>): number =>
  comparableWith(run, run.committedStep)[0];

/** The changes that a run has after this step. */
export const rescoringsUntil = (run: Versions, step: number): Versions => {
  const kept = placed(run).filter((one) => one.step <= step);
  return kept.length === 0 ? {} : { rescorings: kept };
};

/** The changes with one in the place of the one that was asked for at the same time. */
export const withRescoring = ({ rescorings = [] }: Versions, changed: Rescoring): Required<Versions> => ({
  rescorings: rescorings.map((one) => (one.at.getTime() === changed.at.getTime() ? changed : one)),
});

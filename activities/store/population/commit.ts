// The commit of a step (docs/architecture.md, What is stored): it writes the programs, then the marker with the change
// set, then the commit point, which is one guarded update of the run document. A crash before that update leaves
// content that nothing refers to and a marker that a retry goes on with. After it nothing is missing, because loads
// follow the markers.
import { STREAM_START, streamAfter, type StreamPlace, type StreamStep } from '../../../evolution/schedule/stream.ts';
import type { BlobRef, ChangeSet, RunId } from '../../../evolution/types.ts';
import type { BestProgram, RunDocument, RunTotals } from '../documents/documents.ts';
import type { ProgramDocument } from '../documents/step-documents.ts';
import { SupersededError } from '../documents/errors.ts';
import { keepOpening } from '../steps/fence.ts';
import { isCommitted, isOwn, markerId } from '../documents/lineage.ts';
import { committedMarker } from '../steps/markers.ts';
import { nextSnapshot, type PopulationCache } from './population-cache.ts';
import type { ProgramMemory } from './program-memory.ts';
import { slotRanges, storePrograms } from './programs.ts';
import { requireRun } from '../documents/run-documents.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import { blobRef, type Texts } from '../content/texts.ts';

export type Commit = {
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly generation: number;
  /** Version of the settings that the step used. */
  readonly configVersion: number;
  readonly changeSet: ChangeSet;
  readonly programs: readonly ProgramDocument[];
  /** Totals and best of the run with this step. They are absolute, so that a retry changes nothing. */
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /** The owner for whom this commit opens the next step too. Left out means that it is not opened yet. */
  readonly next?: string;
  /** The run as the commit of the step before left it, so that it is not read again. The guard sees later changes. */
  readonly after?: RunDocument;
  /** Another commit, which names this one's run as `after`, follows at once, and both are stored together. */
  readonly followed?: boolean;
  /** Given in a stream. The place after it follows from the step before. */
  readonly stream?: Omit<StreamStep, keyof StreamPlace>;
};

type CommitParts = {
  readonly collections: Collections;
  readonly texts: Texts;
  readonly cache: PopulationCache;
  readonly memory: ProgramMemory;
  /** The commits that wait for the one after them, by the run as the last of them leaves it. */
  readonly waiting: WeakMap<RunDocument, readonly Prepared[]>;
};

/** A commit of which nothing is stored yet, with the run before and after it. */
type Prepared = {
  readonly commit: Commit;
  readonly body: string;
  readonly marker: StoredStep;
  readonly before: StoredRun;
  readonly after: StoredRun;
};

export const commitStep = async (parts: CommitParts, commit: Commit): Promise<RunDocument> => {
  const { collections, cache, memory, waiting } = parts;
  const before = (commit.after as StoredRun | undefined) ?? (await requireRun(collections, commit.run));
  if (isOurs(before, commit)) return before;
  requireTurn(before, commit);
  const body = JSON.stringify(commit.changeSet);
  const marker = await markerOf(parts, commit, before, blobRef(body));
  const after = { ...before, ...movedBy(before, marker, commit.next) };
  const all = [...(waiting.get(before) ?? []), { commit, body, marker, before, after }];
  const isLast = commit.followed !== true;
  const stored = isLast ? await store(parts, all) : after;
  memory.keep(commit.programs);
  // Where the stored run is another one, the population is read anew.
  cache.advance(before, after, commit.changeSet, marker);
  if (isLast) await mark(collections, all, stored);
  else waiting.set(after, all);
  return stored;
};

/**
 * Stores commits in a row together. The first stored marker wins: where another attempt had stored the marker of one,
 * that step and those after it are left out, and a commit alone goes on with the change set that is there.
 */
const store = async ({ collections, texts }: CommitParts, all: readonly Prepared[]): Promise<RunDocument> => {
  const { before, commit } = all[0]!;
  await Promise.all([
    texts.put(all.map(({ body }) => body)),
    storePrograms(
      collections,
      all.flatMap(({ commit: { programs } }) => programs),
      commit.generation,
    ),
    // As at every opening, the opening that the run document is about to forget is kept first.
    commit.next === undefined ? undefined : keepOpening(collections, before),
  ]);
  const [stored = all.length] = await collections.steps.insertAll(
    all.map(({ marker }) => marker),
    true,
  );
  if (stored === 0 && all.length > 1) return before;
  const done = all.slice(0, Math.max(1, stored));
  const last = done.at(-1)!;
  const marker = stored === 0 ? (await collections.steps.get(last.marker._id))! : last.marker;
  const { committedStep, generation } = before;
  const fields = {
    ...movedBy(last.before, marker, last.commit.next),
    ...(commit.next === undefined ? {} : { opening: last.after.opening, openings: last.after.openings }),
  };
  if (!(await collections.runs.update(before._id, { generation, committedStep }, { $set: fields }))) {
    const now = await requireRun(collections, commit.run);
    if (isOurs(now, last.commit)) return now;
    throw superseded(now, commit);
  }
  return { ...before, ...fields };
};

/** Only people read the mark, and a rewind sets it where a process ended before (fence.ts). */
const mark = async (
  { steps }: Collections,
  all: readonly Prepared[],
  { committedStep }: RunDocument,
): Promise<void> => {
  const [first, ...further] = all.flatMap(({ marker }) => (marker.step <= committedStep ? marker : []));
  if (first === undefined) return;
  if (further.length === 0) await steps.update(first._id, { state: 'prepared' }, { $set: { state: 'committed' } });
  else
    await steps.replaceAll(
      [first, ...further].map((marker) => ({ ...marker, state: 'committed' })),
      { state: 'prepared' },
    );
};

const markerOf = async (
  { collections, cache }: CommitParts,
  commit: Commit,
  before: StoredRun,
  changes: BlobRef,
): Promise<StoredStep> => {
  const { run, step, generation, epoch, configVersion, changeSet, programs, totals, best, stream } = commit;
  const previous =
    step === 0 ? null : (cache.knownMarker(before) ?? (await committedMarker(collections, before, step - 1)));
  const rows = await cache.rows(before);
  const fingerprint = rows.fingerprintAfter(changeSet);
  const snapshot = await nextSnapshot(collections, before, previous, rows, changeCount(changeSet));
  return {
    _id: markerId(run, step, generation),
    run,
    step,
    generation,
    epoch,
    state: 'prepared',
    changeSet: changes,
    totals,
    best,
    population: changeSet.state,
    configVersion,
    at: new Date(),
    pausedMs: before.pausedMs ?? 0,
    fingerprint,
    slots: stream === undefined ? slotRanges(programs.map(({ slot }) => slot)) : [],
    ...(stream === undefined
      ? {}
      : { stream: { ...stream, ...streamAfter(placeBefore(previous, stream.first, epoch), stream.groups) } }),
    ...snapshot,
  };
};

/** The place to which the stream had come that this step goes on with. */
const placeBefore = (previous: StoredStep | null, first: number, epoch: number): StreamPlace =>
  previous?.stream?.first === first && previous.epoch === epoch ? previous.stream : STREAM_START;

const changeCount = ({ add, remove, cells, tallies = [], prompts = [] }: Commit['changeSet']): number =>
  add.length + remove.length + cells.length + tallies.length + prompts.length;

/**
 * The fields of the run that a commit moves. The execution that opened the step may open the next one too: the
 * generation says that nobody else has opened the step since.
 */
const movedBy = (
  { opening }: StoredRun,
  { step, totals, best, population, fingerprint }: StoredStep,
  next: string | undefined,
): Partial<StoredRun> & Pick<StoredRun, 'committedStep'> => ({
  committedStep: step,
  totals,
  best,
  population,
  fingerprint,
  ...(next === undefined ? {} : { opening: opening + 1, openings: { step: step + 1, owner: next } }),
});

const isOurs = (run: StoredRun, { step, generation }: Commit): boolean =>
  isCommitted(run, step, generation) && isOwn(run, step);

const requireTurn = (run: StoredRun, commit: Commit): void => {
  if (run.generation !== commit.generation || run.committedStep !== commit.step - 1) throw superseded(run, commit);
};

const superseded = (run: StoredRun, { step, generation }: Commit): SupersededError =>
  new SupersededError(
    `step ${step} of run '${run._id}' may not be committed by generation ${generation}: the run is at generation ${run.generation}, committed step ${run.committedStep}; another execution goes on with it`,
  );

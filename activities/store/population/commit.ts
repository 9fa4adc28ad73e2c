// The commit of a step (docs/architecture.md, What is stored): it writes the programs, then the marker with the change
// set, then the commit point, which is one guarded update of the run document. A crash before that update leaves
// content that nothing refers to and a marker that a retry goes on with. After it nothing is missing, because loads
// follow the markers.
import { STREAM_START, streamAfter, type StreamPlace, type StreamStep } from '../../../evolution/schedule/stream.ts';
import type { BlobRef, ChangeSet, RunId } from '../../../evolution/types.ts';
import { insertOrGet } from '../documents/collection.ts';
import type { BestProgram, RunDocument, RunTotals } from '../documents/documents.ts';
import type { ProgramDocument } from '../documents/step-documents.ts';
import { SupersededError } from '../documents/errors.ts';
import { keepOpening } from '../steps/fence.ts';
import { isCommitted, isOwn, markerId } from '../documents/lineage.ts';
import { committedMarker, readChangeSet } from '../steps/markers.ts';
import { nextSnapshot, type PopulationCache } from './population-cache.ts';
import type { ProgramMemory } from './program-memory.ts';
import { slotRanges, storePrograms } from './programs.ts';
import { requireRun } from '../documents/run-documents.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import type { Texts } from '../content/texts.ts';

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
  /** Another commit of the same process follows at once, which marks this one's step as committed too. */
  readonly followed?: boolean;
  /** Given in a stream. The place after it follows from the step before. */
  readonly stream?: Omit<StreamStep, keyof StreamPlace>;
};

type CommitParts = {
  readonly collections: Collections;
  readonly texts: Texts;
  readonly cache: PopulationCache;
  readonly memory: ProgramMemory;
  /** Steps that this process committed and has not marked yet. */
  readonly unmarked: StoredStep[];
};

export const commitStep = async (parts: CommitParts, commit: Commit): Promise<RunDocument> => {
  const { collections, texts, cache, memory } = parts;
  const current = (commit.after as StoredRun | undefined) ?? (await requireRun(collections, commit.run));
  if (isOurs(current, commit)) return current;
  requireTurn(current, commit);
  const [[body]] = await Promise.all([
    texts.put([JSON.stringify(commit.changeSet)]),
    storePrograms(collections, commit.programs, commit.generation),
    // As at every opening, the opening that the run document is about to forget is kept first.
    commit.next === undefined ? undefined : keepOpening(collections, current),
  ]);
  const marker = await storeMarker(parts, commit, current, body!);
  const after = await moveCommitPoint(collections, current, marker, commit.next ?? null);
  if (after === null) {
    const now = await requireRun(collections, commit.run);
    if (isOurs(now, commit)) return now;
    throw superseded(now, commit);
  }
  memory.keep(commit.programs);
  cache.advance(current, after, await readChangeSet(texts, marker), marker);
  await mark(parts, marker, commit.followed === true);
  return after;
};

/** Only people read the mark, and a rewind sets it where a process ended before (fence.ts). */
const mark = async ({ collections: { steps }, unmarked }: CommitParts, marker: StoredStep, later: boolean) => {
  unmarked.push(marker);
  if (later) return;
  const all = unmarked.splice(0).map((one): StoredStep => ({ ...one, state: 'committed' }));
  if (all.length > 1) await steps.replaceAll(all, { state: 'prepared' });
  else await steps.update(marker._id, { state: 'prepared' }, { $set: { state: 'committed' } });
};

/** The first stored marker wins: a retry goes on with the change set that is there, not with its own. */
const storeMarker = async (
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
  const [marker] = await insertOrGet(collections.steps, [
    {
      _id: markerId(run, step, generation),
      run,
      step,
      generation,
      epoch,
      state: 'prepared' as const,
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
    },
  ]);
  return marker!;
};

/** The place to which the stream had come that this step goes on with. */
const placeBefore = (previous: StoredStep | null, first: number, epoch: number): StreamPlace =>
  previous?.stream?.first === first && previous.epoch === epoch ? previous.stream : STREAM_START;

const changeCount = ({ add, remove, cells, tallies = [], prompts = [] }: Commit['changeSet']): number =>
  add.length + remove.length + cells.length + tallies.length + prompts.length;

/**
 * Returns the run after the update, or null when the guard did not hold. The execution that opened the step may open
 * the next one too: the generation says that nobody else has opened the step since.
 */
const moveCommitPoint = async (
  { runs }: Collections,
  before: StoredRun,
  marker: StoredStep,
  next: string | null,
): Promise<StoredRun | null> => {
  const { step, generation, totals, best, population, fingerprint } = marker;
  const fields = {
    committedStep: step,
    totals,
    best,
    population,
    fingerprint,
    ...(next === null ? {} : { opening: before.opening + 1, openings: { step: step + 1, owner: next } }),
  };
  return (await runs.update(before._id, { generation, committedStep: step - 1 }, { $set: fields }))
    ? { ...before, ...fields }
    : null;
};

const isOurs = (run: StoredRun, { step, generation }: Commit): boolean =>
  isCommitted(run, step, generation) && isOwn(run, step);

const requireTurn = (run: StoredRun, commit: Commit): void => {
  if (run.generation !== commit.generation || run.committedStep !== commit.step - 1) throw superseded(run, commit);
};

const superseded = (run: StoredRun, { step, generation }: Commit): SupersededError =>
  new SupersededError(
    `step ${step} of run '${run._id}' may not be committed by generation ${generation}: the run is at generation ${run.generation}, committed step ${run.committedStep}; another execution goes on with it`,
  );

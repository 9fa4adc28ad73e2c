// Programs are stored with a commit, listed in birth order, and found by the hash of their code; step markers say which
// of them count.
//
// A program's id names its place (run, step, epoch, slot). So a step that is run again after a rewind makes the same
// ids, as a rule with the same content; the document then moves to the newer generation, and never back. A step under
// another epoch makes other ids. A program counts while the marker of a live step names it. For the run's own steps
// that is so exactly when its generation is the live one. A fork goes by the markers, because the run that it came from
// may have moved a program to a newer generation. All programs stay readable by id.
import type { ProgramId, RunId } from '../../../evolution/types.ts';
import { getByIds, sameContent } from '../documents/collection.ts';
import type { RunDocument } from '../documents/documents.ts';
import { ConflictError, SupersededError } from '../documents/errors.ts';
import { eraOf, isOwn, liveMarkerId } from '../documents/lineage.ts';
import { committedMarkers } from '../steps/markers.ts';
import { scoredFrom } from '../documents/lineage.ts';
import type { PopulationCache } from './population-cache.ts';
import { asRead } from '../documents/run-documents.ts';
import type { ProgramDocument } from '../documents/step-documents.ts';
import { programsOf } from '../documents/step-ids.ts';
import type { Collections, StoredProgram, StoredRun, StoredStep } from '../documents/stored.ts';

const PROGRAMS_PER_PAGE = 500;
/** Programs of so many steps are likely to be remembered. */
const NEWEST_STEPS = 50;
/** `$in` takes quadratic time on the embedded server; this size costs least. A third field would make it scan. */
const HASHES_PER_QUERY = 25;

type Markers = { readonly collections: Collections; readonly cache: PopulationCache };

export const storePrograms = async (
  { programs }: Collections,
  documents: readonly ProgramDocument[],
  generation: number,
): Promise<void> => {
  const stored = documents.map(toStored);
  const existing = (await programs.insertAll(stored)).map((position) => stored[position]!);
  if (existing.length === 0) return;
  const there = await getByIds(
    programs,
    existing.map(({ _id }) => _id),
  );
  const moving = existing.filter((document) => mustMove(document, there.get(document._id), generation));
  await programs.replaceAll(moving, { generation: { $lt: generation } });
};

const mustMove = (document: StoredProgram, there: StoredProgram | undefined, generation: number): boolean => {
  if (there === undefined || there.generation < generation) return true;
  if (there.generation > generation)
    throw new SupersededError(
      `program ${document._id} belongs to generation ${there.generation}; generation ${generation} may write no more`,
    );
  if (sameContent(there, document)) return false;
  throw new ConflictError(
    `program ${document._id} is stored with other content than this attempt made: its step must derive from stored documents only`,
  );
};

/** A program that has its evaluation from another slot of the step is a duplicate too. */
const toStored = (program: ProgramDocument): StoredProgram =>
  program.normHash === null || program.evaluation === null || program.sameAs !== undefined
    ? program
    : { ...program, knownHash: program.normHash };
const fromStored = ({ knownHash: _, ...program }: StoredProgram): ProgramDocument => program;

export const getPrograms = async (
  { programs }: Collections,
  ids: readonly ProgramId[],
): Promise<ReadonlyMap<ProgramId, ProgramDocument>> =>
  new Map([...(await getByIds(programs, ids))].map(([id, program]) => [id, fromStored(program)]));

/** `remembered` gives the programs of the newest steps, which are read the most often, of the run as it was just read. */
export async function* eachProgram(
  { collections, cache }: Markers,
  idOrRun: RunId | RunDocument,
  options: { readonly fromStep?: number; readonly comparable?: true } = {},
  remembered: (ids: readonly ProgramId[], run: RunDocument) => Promise<ReadonlyMap<ProgramId, ProgramDocument>>,
): AsyncGenerator<ProgramDocument> {
  const run = await asRead(collections, idOrRun);
  const fromStep = Math.max(options.fromStep ?? 0, options.comparable === true ? scoredFrom(run) : 0);
  const newest = fromStep === run.committedStep ? cache.knownMarker(run) : null;
  const markers = newest === null ? committedMarkers(collections, run, fromStep, run.committedStep) : [newest];
  for await (const page of pages(markers)) {
    const isNew = run.committedStep - fromStep < NEWEST_STEPS;
    const programs = isNew ? await remembered(page, run) : await getPrograms(collections, page);
    for (const id of page) {
      const program = programs.get(id);
      if (program !== undefined) yield program;
    }
  }
}

/** Ids of the steps' programs in birth order, about a page at a time. */
async function* pages(
  markers: AsyncIterable<StoredStep> | readonly StoredStep[],
): AsyncGenerator<readonly ProgramId[]> {
  let page: ProgramId[] = [];
  for await (const marker of markers) {
    page.push(...programsOf(marker));
    if (page.length >= PROGRAMS_PER_PAGE) {
      yield page;
      page = [];
    }
  }
  yield page;
}

export const slotRanges = (slots: readonly number[]): StoredStep['slots'] => {
  const ranges: [number, number][] = [];
  for (const slot of [...slots].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && slot <= open[1] + 1) open[1] = slot;
    else ranges.push([slot, slot]);
  }
  return ranges;
};

const HASH_FIELDS = ['run', 'knownHash', 'bornSeq', 'step', 'epoch', 'slot', 'generation'] as const;
type Hashed = Pick<StoredProgram, '_id' | (typeof HASH_FIELDS)[number]>;

export const knownHashes = async (
  collections: Collections,
  idOrRun: RunId | RunDocument,
  hashes: readonly string[],
  beforeStep: number,
): Promise<ReadonlyMap<string, ProgramId>> => {
  const unique = [...new Set(hashes)];
  if (unique.length === 0) return new Map();
  const run = await asRead(collections, idOrRun);
  const programs: Hashed[] = [];
  for (const owner of new Set(run.lineage.map((era) => era.run))) {
    for (let i = 0; i < unique.length; i += HASHES_PER_QUERY) {
      const some = unique.slice(i, i + HASHES_PER_QUERY);
      programs.push(...(await collections.programs.find({ run: owner, knownHash: { $in: some } }, HASH_FIELDS)));
    }
  }
  // What an earlier version of the task scored is not known by its present one.
  const from = scoredFrom(run);
  const before = programs.filter(({ step }) => step >= from && step < beforeStep);
  const oldestLast = (await liveOf(collections, run, before)).toSorted((a, b) => b.bornSeq - a.bornSeq);
  return new Map(oldestLast.map(({ knownHash, _id }) => [knownHash!, _id]));
};

/** Markers are read only for the steps that a fork has from another run. */
const liveOf = async (
  { steps }: Collections,
  run: StoredRun,
  programs: readonly Hashed[],
): Promise<readonly Hashed[]> => {
  const committed = programs.filter(
    (program) => program.step <= run.committedStep && eraOf(run, program.step).run === program.run,
  );
  const inherited = committed.filter(({ step }) => !isOwn(run, step));
  const ids = inherited.map(({ step }) => liveMarkerId(run, step));
  const markers = ids.length === 0 ? new Map<string, StoredStep>() : await getByIds(steps, ids);
  return committed.filter(({ _id, step, generation, epoch, slot }) => {
    if (isOwn(run, step)) return eraOf(run, step).generation === generation;
    const marker = markers.get(liveMarkerId(run, step));
    if (marker?.stream !== undefined) return programsOf(marker).includes(_id);
    return marker?.epoch === epoch && marker.slots.some(([first, last]) => slot >= first && slot <= last);
  });
};

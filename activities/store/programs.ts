// Programs: stored with a commit, listed in birth order, looked up by what their code says. Called by commit.ts and open-store.ts.
//
// A program's id names its place (run, step, epoch, slot), so a step that is run again after a rewind makes the same ids, as a
// rule with the same content. The document then moves to the newer generation, never back; a step under another epoch makes
// other ids. Either way a program counts only while its generation is the live one of its step (lineage.ts), and the documents
// of superseded steps stay readable by id.
import { bornSeq } from '../../evolution/ids.ts';
import type { ProgramId, RunId } from '../../evolution/types.ts';
import type { ProgramDocument } from './documents.ts';
import { getByIds } from './insert-or-get.ts';
import { isLive } from './lineage.ts';
import { requireRun } from './run-documents.ts';
import { sameContent } from './same-content.ts';
import { ConflictError, SupersededError } from './store.ts';
import type { Collections } from './stored.ts';

/** Programs a page of eachProgram aims at. */
const PAGE_PROGRAMS = 500;

export const storePrograms = async ({ programs }: Collections, documents: readonly ProgramDocument[], generation: number): Promise<void> => {
  const existing = (await programs.insertAll(documents)).map((position) => documents[position]!);
  if (existing.length === 0) return;
  const stored = await getByIds(programs, existing.map(({ _id }) => _id));
  const moving = existing.filter((document) => mustMove(document, stored.get(document._id), generation));
  await programs.replaceAll(moving, { generation: { $lt: generation } });
};

const mustMove = (document: ProgramDocument, stored: ProgramDocument | undefined, generation: number): boolean => {
  if (stored === undefined || stored.generation < generation) return true;
  if (stored.generation > generation) throw new SupersededError(`program ${document._id} belongs to generation ${stored.generation}; generation ${generation} may write no more`);
  if (sameContent(stored, document)) return false;
  throw new ConflictError(`program ${document._id} is stored with other content than this attempt made: its step must derive from stored documents only`);
};

export async function* eachProgram(collections: Collections, runId: RunId, fromStep: number): AsyncGenerator<ProgramDocument> {
  const run = await requireRun(collections, runId);
  for (let from = fromStep, steps = 1; from <= run.committedStep;) {
    const page = await collections.programs.find({ run: runId, bornSeq: { $gte: bornSeq(from, 0), $lt: bornSeq(from + steps, 0) } });
    yield* page.filter((program) => isLive(run, program)).sort((a, b) => a.bornSeq - b.bornSeq);
    from += steps;
    if (page.length < PAGE_PROGRAMS / 2) steps *= 2;
    else if (page.length > PAGE_PROGRAMS * 2 && steps > 1) steps /= 2;
  }
}

/** Duplicates have a hash but no evaluation: they make nothing known. */
export const knownHashes = async (
  collections: Collections, runId: RunId, hashes: readonly string[], beforeStep: number,
): Promise<ReadonlyMap<string, ProgramId>> => {
  const known = new Map<string, { readonly _id: ProgramId; readonly bornSeq: number }>();
  if (hashes.length === 0) return new Map();
  const run = await requireRun(collections, runId);
  const unique = [...new Set(hashes)];
  for (let i = 0; i < unique.length; i += HASHES_PER_QUERY) {
    const found = await collections.programs.find(
      { run: runId, normHash: { $in: unique.slice(i, i + HASHES_PER_QUERY) }, evaluation: { $ne: null } },
      ['normHash', 'bornSeq', 'step', 'generation'],
    );
    for (const program of found) {
      const other = known.get(program.normHash!);
      if (program.step < beforeStep && isLive(run, program) && (other === undefined || program.bornSeq < other.bornSeq)) known.set(program.normHash!, program);
    }
  }
  return new Map([...known].map(([hash, { _id }]) => [hash, _id]));
};
const HASHES_PER_QUERY = 25;

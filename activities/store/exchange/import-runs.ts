// Puts the runs of an export into the database. Run documents are written last, so an import that is cut short leaves
// no run, and the next import removes what it left.
import { hasEnded } from '../../../evolution/run-states.ts';
import type { RunId } from '../../../evolution/types.ts';
import { getByIds, type PortableCollection, type Row, sameContent } from '../documents/collection.ts';
import { ConflictError } from '../documents/errors.ts';
import { EXPORTED, type ExportedText } from './every-document.ts';
import type { CheckedExport } from './import.ts';
import { nameWasTaken, removedRun } from '../documents/run-documents.ts';
import { liveMarkerId } from '../documents/lineage.ts';
import { type Collections, LARGE_DOCUMENTS, type StoredRun, type StoredStep } from '../documents/stored.ts';
import type { Texts } from '../content/texts.ts';

const DOCUMENTS_PER_WRITE = 200;
/** Pages of snapshots hold up to 10,000 rows, and a chunk of a batch 4 MiB. */
const LARGE: ReadonlySet<string> = new Set(['population', 'cells', ...LARGE_DOCUMENTS]);
const PAGES_PER_WRITE = 5;
const CHARS_PER_WRITE = 4e6;

export type Imported = {
  /** The run itself is last. Runs that it was forked off and that were in the database already are not among them. */
  readonly imported: readonly RunId[];
};

/** Throws ConflictError where the run is there already, or a run that it was forked off has other steps. */
export const importRuns = async (
  collections: Collections,
  texts: Texts,
  { manifest, runs, documents }: CheckedExport,
): Promise<Imported> => {
  const present = await getByIds(collections.runs, manifest.runs);
  requireAbsent(present.get(manifest.run));
  const fresh = runs
    .filter(({ _id }) => !present.has(_id))
    .sort(
      (a, b) =>
        Number(a._id === manifest.run) - Number(b._id === manifest.run) ||
        a.createdAt.getTime() - b.createdAt.getTime(),
    );
  for (const run of fresh) await requireSameRun(collections, run);
  await requireSameSteps(collections, fresh, present, documents('steps'));
  await clearAway(collections, fresh);
  await putTexts(texts, documents('blobs'));
  await putAll(collections.tasks, documents('tasks'));
  const ids = new Set(fresh.map(({ _id }) => _id));
  for (const name of CONTENT) {
    const perWrite = LARGE.has(name) ? PAGES_PER_WRITE : DOCUMENTS_PER_WRITE;
    await putAll<RunRow>(rowsIn(collections, name), documents(name), perWrite, ({ run }) => ids.has(run));
  }
  for (const run of fresh) {
    if ((await collections.runs.insertAll([asImported(run, new Date(manifest.exportedAt))])).length > 0)
      requireAbsent(run);
  }
  return { imported: fresh.map(({ _id }) => _id) };
};

const CONTENT = EXPORTED.filter((name) => name !== 'runs' && name !== 'tasks' && name !== 'blobs');
type RunRow = Row & { readonly run: RunId };
const rowsIn = (collections: Collections, name: (typeof CONTENT)[number]): PortableCollection<RunRow> =>
  collections[name] as unknown as PortableCollection<RunRow>;

const requireAbsent = (there: StoredRun | undefined): void => {
  if (there !== undefined) {
    throw new ConflictError(
      `there is a run "${there._id}" in this database already (${there.status}): an import changes no run, and gives none another id, for the ids of its programs begin with it. Import into another data directory (EVOLVE_HOME) or database (MONGODB_URI)`,
    );
  }
};

/** A name whose run was removed takes only an export of that run itself. */
const requireSameRun = async (collections: Collections, { _id, createdAt }: StoredRun): Promise<void> => {
  const removed = await removedRun(collections, _id);
  if (removed !== null && removed.createdAt.getTime() !== createdAt.getTime())
    throw new ConflictError(
      `${nameWasTaken(_id, removed)}: an import gives no run another id, so import into another data directory (EVOLVE_HOME) or database (MONGODB_URI)`,
    );
};

/** A run that is there already must still have the steps that the new runs share with it, as exported. */
const requireSameSteps = async (
  { steps }: Collections,
  fresh: readonly StoredRun[],
  present: ReadonlyMap<RunId, StoredRun>,
  exported: AsyncIterable<StoredStep>,
): Promise<void> => {
  if (present.size === 0) return;
  const isShared = ({ _id, step }: StoredStep): boolean =>
    fresh.some((run) => step <= run.committedStep && liveMarkerId(run, step) === _id);
  for await (const marker of exported) {
    if (!present.has(marker.run) || !isShared(marker)) continue;
    const here = await steps.get(marker._id);
    // `state` is not compared, because a later rewind may have marked a step as superseded that a fork keeps.
    if (here !== null && sameContent({ ...here, state: null }, { ...marker, state: null })) continue;
    throw new ConflictError(
      `run "${marker.run}", of which the export holds a fork, is in this database already, but step ${marker.step} of it ${here === null ? 'is not there' : 'is another one'}: import into another data directory (EVOLVE_HOME) or database (MONGODB_URI)`,
    );
  }
};

/** Removes documents without a run document, which an import that was cut short has left. */
const clearAway = async (collections: Collections, runs: readonly StoredRun[]): Promise<void> => {
  for (const name of CONTENT) {
    for (const { _id: run } of runs)
      await rowsIn(collections, name).deleteAll(
        (await rowsIn(collections, name).find({ run }, ['_id'])).map(({ _id }) => _id),
      );
  }
};

const putAll = async <T extends Row>(
  collection: PortableCollection<T>,
  all: AsyncIterable<T>,
  perWrite = DOCUMENTS_PER_WRITE,
  isMeant: (document: T) => boolean = () => true,
): Promise<void> => {
  const page: T[] = [];
  for await (const document of all) {
    if (!isMeant(document)) continue;
    page.push(document);
    if (page.length >= perWrite) await collection.insertAll(page.splice(0));
  }
  await collection.insertAll(page);
};

const putTexts = async (texts: Texts, all: AsyncIterable<ExportedText>): Promise<void> => {
  let [page, chars]: [string[], number] = [[], 0];
  for await (const { text } of all) {
    if (text === null) continue;
    page.push(text);
    chars += text.length;
    if (chars < CHARS_PER_WRITE && page.length < DOCUMENTS_PER_WRITE) continue;
    await texts.put(page);
    [page, chars] = [[], 0];
  }
  await texts.put(page);
};

/** The workflow and the files stayed where they were, so a run is imported as stopped, and `resume` continues it. */
const asImported = ({ results: _elsewhere, ...run }: StoredRun, exportedAt: Date): StoredRun =>
  hasEnded(run)
    ? run
    : {
        ...run,
        status: 'stopped',
        statusReason: null,
        stopReason: `imported; it was ${run.status} when it was exported`,
        endedAt: exportedAt,
      };

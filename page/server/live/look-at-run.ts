// The news of a run since the look before, with the rows that followers want.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { type ColumnSet, columnSets, encodeColumns } from '../../api/rows/columns.ts';
import { lineageOf } from '../rows/run-rows.ts';
import type { Site } from '../site/site.ts';
import type { Look } from './follower.ts';

/** The progress of a run is told at most so often; new programs are told at once. */
const PROGRESS_MS = 5_000;
/** Rows that take longer are not waited for: the news come without them, and a page asks. */
const PATIENCE_MS = 2_000;

export type SeenRun = {
  readonly marks: string;
  readonly lineage: string;
  /** By the run's document. */
  readonly rows: number;
  /** The rows that were read then; null where nobody wanted them. */
  readonly end: number | null;
  readonly step: number;
  /** The progress that was told last. */
  readonly told: { readonly step: number; readonly atMs: number };
};

/** Everything that a page may show of a run beside what it has made. */
const marksOf = (run: RunDocument): string => {
  const { status, statusReason, stopReason, parked, configVersion, generation, endedAt } = run;
  return JSON.stringify([
    ...[status, statusReason, stopReason, parked, configVersion, generation, endedAt],
    ...[run.actedAt, run.isolation, run.policy, run.learned, run.results?.endedAt, run.setAside.length],
  ]);
};

/** Null where it fails or takes too long. */
const inTime = async <T>(wanted: Promise<T>): Promise<T | null> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((give) => {
    timer = setTimeout(give, PATIENCE_MS, null);
  });
  try {
    return await Promise.race([wanted, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};

/** The number of rows of the run by its document. */
const rowsOf = ({ committedStep, totals }: RunDocument): number => (committedStep < 0 ? 0 : totals.programs + 1);

type Added = { readonly [set in ColumnSet]?: string };

/** The rows of each set behind the first `from`, encoded. */
const addedRows = async (
  { rows }: Site,
  document: RunDocument,
  sets: readonly ColumnSet[],
  from: number,
): Promise<Added> => {
  const added: { [set in ColumnSet]?: string } = {};
  for (const set of sets) {
    const columns = await rows.columns(document, set, from, lineageOf(document));
    // Another lineage is the matter of the next look.
    if (columns.header.from === from && columns.header.rows > 0)
      added[set] = Buffer.from(encodeColumns(columns)).toString('base64');
  }
  return added;
};

export const lookAtRun =
  (site: Site, id: string): Look<SeenRun> =>
  async (before, wants, tell) => {
    const document = await site.looks.run(id);
    const { runs } = await site.engine.asTheyStand([document]);
    const [{ run }, lineage] = [document, lineageOf(document)];
    const sets = columnSets.filter((set) => wants.has(set));
    const now = { marks: marksOf(runs[0]!), lineage, rows: rowsOf(document), step: document.committedStep };
    const same = before !== null && before.lineage === lineage;
    const isNew = !same || before.rows !== now.rows;
    if (before !== null && !same) tell({ kind: 'again', run, lineage });
    let columns: Added | null = null;
    let end = same && sets.length > 0 ? before.end : null;
    if (sets.length === 0 && isNew) site.rows.readInPassing(document);
    else if (sets.length > 0 && (isNew || end === null)) {
      const from = end;
      end = (await inTime(site.rows.bringForward(document)))?.rows ?? null;
      // Rows that come in between are told twice, and never left out.
      if (isNew && from !== null && end !== null) columns = await inTime(addedRows(site, document, sets, from));
    }
    if (isNew) tell({ kind: 'rows', run, rows: now.rows, lineage, ...(columns === null ? {} : { columns }) });
    const atMs = performance.now();
    const progress = same && before.told.step !== now.step && atMs - before.told.atMs >= PROGRESS_MS;
    if (same && before.marks === now.marks && !progress) return { ...now, end, told: before.told };
    tell({ kind: 'run', run });
    return { ...now, end, told: { step: now.step, atMs } };
  };

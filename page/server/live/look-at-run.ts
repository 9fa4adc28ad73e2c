// What is new of a run since somebody looked before, with the rows and answers that followers want to come with it.
import type { RunDocument } from '../../../activities/store/documents.ts';
import { COLUMN_SETS, type ColumnSet, encodeColumns } from '../../data/columns.ts';
import { TOLD_ANSWERS, type ToldAnswer } from '../../data/live.ts';
import { lineageOf } from '../rows/run-rows.ts';
import type { Site } from '../site/site.ts';
import type { Look } from './follower.ts';
import { plainPiece, rowsPiece, ToldAnswers, type Want } from './piece.ts';

/** What a run has made and paid is told at most so often. New programs are told at once. */
const PROGRESS_MS = 5_000;
/** What takes longer is not waited for: the news come without it, and a page asks. */
const PATIENCE_MS = 2_000;

/** So small a part of the time is spent on what is costly to make and that nobody watches by the second. */
const COSTLY: ReadonlySet<ToldAnswer> = new Set(['islands']);
const COSTLY_SHARE = 1 / 200;

export type SeenRun = {
  readonly marks: string;
  readonly lineage: string;
  /** By the run's document. */
  readonly rows: number;
  /** The rows that were read then; null where nobody wanted them. */
  readonly end: number | null;
  readonly step: number;
  /** What was told last of its progress. */
  readonly told: { readonly step: number; readonly atMs: number };
};

/** Everything that a page may show of a run beside what it has made. */
const marksOf = (run: RunDocument): string => {
  const { status, statusReason, stopReason, parked, configVersion, generation, endedAt } = run;
  return JSON.stringify([
    ...[status, statusReason, stopReason, parked, configVersion, generation, endedAt],
    ...[run.isolation, run.policy, run.learned, run.results?.endedAt, run.setAside.length],
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

const setsIn = (wants: ReadonlySet<Want>): readonly ColumnSet[] =>
  (Object.keys(COLUMN_SETS) as ColumnSet[]).filter((set) => wants.has(set));

/** The rows of each set behind the first `from`, encoded. */
const addedRows = async (
  { rows }: Site,
  document: RunDocument,
  sets: readonly ColumnSet[],
  from: number,
): Promise<ReadonlyMap<ColumnSet, Uint8Array>> => {
  const added = new Map<ColumnSet, Uint8Array>();
  for (const set of sets) {
    const columns = await rows.columns(document, set, from, lineageOf(document));
    // Another lineage is the matter of the next look.
    if (columns.header.from === from && columns.header.rows > 0) added.set(set, encodeColumns(columns));
  }
  return added;
};

/** The answer of this server at `runs/<run>/<name>`, as JSON. Throws where there is none. */
export type AnswerOf = (document: RunDocument, name: ToldAnswer) => Promise<string>;

export const lookAtRun = (site: Site, answerOf: AnswerOf, id: string): Look<SeenRun> => {
  const told = new ToldAnswers();
  /** When it may be made again. */
  const dueMs = new Map<ToldAnswer, number>();
  const answerNow = async (document: RunDocument, name: ToldAnswer): Promise<string | null> => {
    const beganMs = performance.now();
    const text = await inTime(answerOf(document, name));
    const now = performance.now();
    if (COSTLY.has(name)) dueMs.set(name, now + (now - beganMs) / COSTLY_SHARE);
    return text;
  };
  /** One that fails is left out; null for one that is not due. */
  const answersNow = async (
    document: RunDocument,
    names: readonly ToldAnswer[],
    all: boolean,
  ): Promise<ReadonlyMap<ToldAnswer, string | null>> => {
    const found = new Map<ToldAnswer, string | null>();
    const beganMs = performance.now();
    for (const name of names) {
      const text = all || (dueMs.get(name) ?? 0) <= beganMs ? await answerNow(document, name) : undefined;
      if (text !== null) found.set(name, text ?? null);
    }
    return found;
  };
  return async (before, wants, tell) => {
    const document = await site.looks.run(id);
    const { runs } = await site.engine.asTheyStand([document]);
    const [{ run }, lineage, sets] = [document, lineageOf(document), setsIn(wants)];
    const now = { marks: marksOf(runs[0]!), lineage, rows: rowsOf(document), step: document.committedStep };
    const same = before !== null && before.lineage === lineage;
    const isNew = !same || before.rows !== now.rows;
    if (before !== null && !same) tell(plainPiece({ kind: 'again', run, lineage }));
    let added: Awaited<ReturnType<typeof addedRows>> | null = null;
    let end = same && sets.length > 0 ? before.end : null;
    if (sets.length === 0 && isNew) site.rows.readInPassing(document);
    else if (sets.length > 0 && (isNew || end === null)) {
      const from = end;
      end = (await inTime(site.rows.bringForward(document)))?.rows ?? null;
      // What comes in between is told twice, and left out never.
      if (isNew && from !== null && end !== null) added = await inTime(addedRows(site, document, sets, from));
    }
    if (isNew) tell(rowsPiece({ kind: 'rows', run, rows: now.rows, lineage }, added ?? new Map()));
    const atMs = performance.now();
    const others = !same || before.marks !== now.marks;
    const progress = same && before.told.step !== now.step && atMs - before.told.atMs >= PROGRESS_MS;
    if (others || progress) {
      const names = TOLD_ANSWERS.filter((name) => wants.has(name));
      tell(told.piece({ kind: 'run', run }, await answersNow(document, names, others)));
    }
    return { ...now, end, told: others || progress ? { step: now.step, atMs } : before.told };
  };
};

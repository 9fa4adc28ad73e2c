// Loading the population of a run: the latest snapshot of its rows, then the stored change sets since. Called by commit.ts and
// population-cache.ts.
//
// A marker of step n names a snapshot taken at some step below n. A new one is due when the changes since outnumber the rows, so a
// load never folds more than about two populations and a snapshot costs next to nothing per program. Reading the projected rows
// instead would need an index on them, which costs every candidate more CPU than storing its code.
import type { Cell, Membership } from '../../evolution/types.ts';
import { changeSets, committedMarker, rebuildPopulation } from './markers.ts';
import { Rows } from './rows.ts';
import type { Collections, Snapshot, StoredRun, StoredStep } from './stored.ts';
import { readText, type Texts } from './texts.ts';

const ROWS_PER_PART = 10_000;
const MIN_CHANGES = 2000;

type Part = { readonly memberships: readonly Membership[]; readonly cells: readonly Cell[] };

export const loadRows = async (collections: Collections, texts: Texts, run: StoredRun): Promise<Rows> => {
  if (run.committedStep < 0) return new Rows();
  const { snapshot } = await committedMarker(collections, run, run.committedStep);
  const rows = snapshot === null ? new Rows() : await readSnapshot(texts, snapshot);
  for await (const change of changeSets(collections, texts, run, snapshot === null ? 0 : snapshot.step + 1, run.committedStep)) rows.apply(change);
  if (rows.fingerprint === run.fingerprint) return rows;
  const rebuilt = await rebuildPopulation(collections, texts, run);
  if (rebuilt.fingerprint === run.fingerprint) return rebuilt;
  throw new Error(`expected the stored change sets of run '${run._id}' to give the rows of step ${run.committedStep} (${run.fingerprint}), got ${rebuilt.fingerprint}: the database is damaged; restore the run from an export`);
};

/** The snapshot that the next marker names, given the marker before it and the rows between the two. */
export const nextSnapshot = async (
  texts: Texts, previous: StoredStep | null, rows: Rows, changes: number,
): Promise<Pick<StoredStep, 'snapshot' | 'changesSince'>> => {
  if (previous === null) return { snapshot: null, changesSince: changes };
  const changesSince = previous.changesSince + changes;
  if (previous.changesSince < Math.max(MIN_CHANGES, rows.size)) return { snapshot: previous.snapshot, changesSince };
  return { snapshot: { step: previous.step, parts: await writeParts(texts, rows) }, changesSince: changes };
};

const writeParts = async (texts: Texts, rows: Rows): Promise<Snapshot['parts']> => {
  const [memberships, cells] = [[...rows.memberships.values()], [...rows.cells.values()]];
  const parts: Part[] = [];
  for (let from = 0; from < Math.max(memberships.length, cells.length); from += ROWS_PER_PART) {
    parts.push({ memberships: memberships.slice(from, from + ROWS_PER_PART), cells: cells.slice(from, from + ROWS_PER_PART) });
  }
  return texts.put(parts.map((part) => JSON.stringify(part)));
};

const readSnapshot = async (texts: Texts, { parts }: Snapshot): Promise<Rows> => {
  const read: Part[] = [];
  for (const ref of parts) read.push(JSON.parse(await readText(texts, ref)) as Part);
  return Rows.of(read.flatMap(({ memberships }) => memberships), read.flatMap(({ cells }) => cells));
};

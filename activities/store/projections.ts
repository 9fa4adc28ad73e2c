// Cells and population rows of a view: written after the commit point, read by a fresh process, repaired when a crash or a
// late writer left them other than the run document says. Called by population-cache.ts and commit.ts.
import type { Cell, ChangeSet, Membership } from '../../evolution/types.ts';
import { changeSets, rebuildPopulation } from './markers.ts';
import { requireRun } from './run-documents.ts';
import { cellKey, membershipKey, Rows } from './rows.ts';
import type { CellRow, Collections, PopulationRow, StoredRun } from './stored.ts';
import type { Texts } from './texts.ts';

/** Absolute writes, in any order with themselves: a repetition changes nothing. */
export const project = async ({ cells, population }: Collections, run: StoredRun, change: ChangeSet): Promise<void> => {
  const prefix = rowPrefix(run);
  const emptied = change.cells.filter(({ program }) => program === null);
  const owned = change.cells.filter((cell): cell is Cell => cell.program !== null);
  await population.deleteAll(change.remove.map((gone) => prefix + membershipKey(gone)));
  await population.insertAll(change.add.map((membership) => populationRow(run, membership)));
  await cells.deleteAll(emptied.map((cell) => prefix + cellKey(cell)));
  await cells.replaceAll(owned.map((cell) => cellRow(run, cell)));
};

export const markProjected = async ({ runs }: Pick<Collections, 'runs'>, run: StoredRun, step: number): Promise<void> => {
  await runs.update(run._id, { view: run.view }, { $max: { projectedStep: step } });
};

/** The run as it is now and its rows. Reads the rows, first repeating the change sets that a crash kept from them. */
export const loadRows = async (collections: Collections, texts: Texts, run: StoredRun): Promise<{ readonly run: StoredRun; readonly rows: Rows }> => {
  const behind = run.projectedStep < run.committedStep;
  const fresh = run.projectedStep < 0;
  if (behind && !fresh) {
    for await (const change of changeSets(collections, texts, run, run.projectedStep + 1, run.committedStep)) await project(collections, run, change);
  }
  const stored = await readRows(collections, run);
  if (stored.fingerprint === run.fingerprint) {
    if (behind) await markProjected(collections, run, run.committedStep);
    return { run, rows: stored };
  }
  const now = await requireRun(collections, run._id);
  if (now.view !== run.view || now.committedStep !== run.committedStep) return loadRows(collections, texts, now);
  const rows = await rebuildPopulation(collections, texts, run);
  if (rows.fingerprint !== run.fingerprint) {
    throw new Error(`expected the stored change sets of run '${run._id}' to give the rows of step ${run.committedStep} (${run.fingerprint}), got ${rows.fingerprint}: the database is damaged; restore the run from an export`);
  }
  await repair(collections, run, stored, rows);
  await markProjected(collections, run, run.committedStep);
  return { run, rows };
};

const readRows = async ({ cells, population }: Collections, run: StoredRun): Promise<Rows> => {
  const ofView = { run: run._id, view: run.view };
  return Rows.of(await population.find(ofView), await cells.find(ofView));
};

const repair = async ({ cells, population }: Collections, run: StoredRun, stored: Rows, target: Rows): Promise<void> => {
  const prefix = rowPrefix(run);
  const extra = (old: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>) =>
    [...old.keys()].filter((key) => !wanted.has(key)).map((key) => prefix + key);
  await population.deleteAll(extra(stored.memberships, target.memberships));
  await cells.deleteAll(extra(stored.cells, target.cells));
  await population.replaceAll([...target.memberships.values()].map((membership) => populationRow(run, membership)));
  await cells.replaceAll([...target.cells.values()].map((cell) => cellRow(run, cell)));
};

const rowPrefix = (run: StoredRun): string => `${run._id}:${run.view}:`;
const populationRow = (run: StoredRun, { id, fit, bornSeq, length, home, island }: Membership): PopulationRow => ({
  _id: rowPrefix(run) + membershipKey({ island, id }), run: run._id, view: run.view, island, id, fit, bornSeq, length, home,
});
const cellRow = (run: StoredRun, { island, cell, program, fit }: Cell): CellRow => ({
  _id: rowPrefix(run) + cellKey({ island, cell }), run: run._id, view: run.view, island, cell, program, fit,
});

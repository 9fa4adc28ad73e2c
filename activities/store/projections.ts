// Cells and population rows of a view, for people and dashboards: written after the commit point, completed by whoever finds them
// behind. The engine never reads them, so a late writer can spoil a picture but no population. Called by commit.ts and population-cache.ts.
import type { Cell, ChangeSet, Membership } from '../../evolution/types.ts';
import { changeSets } from './markers.ts';
import { cellKey, membershipKey, type Rows } from './rows.ts';
import type { CellRow, Collections, PopulationRow, StoredRun } from './stored.ts';
import type { Texts } from './texts.ts';

/** Absolute writes: a repetition changes nothing. */
export const project = async (collections: Collections, run: StoredRun, change: ChangeSet): Promise<void> => {
  const { cells, population } = collections;
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

/** Completes what a crash or a rewind left: repeats the stored change sets, or fills a fresh view with the rows as they are. */
export const catchUp = async (collections: Collections, texts: Texts, run: StoredRun, rows: Rows): Promise<void> => {
  if (run.projectedStep >= run.committedStep) return;
  if (run.projectedStep < 0) {
    const members = [...rows.memberships.values()].map((membership) => populationRow(run, membership));
    const owned = [...rows.cells.values()].map((cell) => cellRow(run, cell));
    await collections.population.replaceAll(members);
    await collections.cells.replaceAll(owned);
  } else {
    for await (const change of changeSets(collections, texts, run, run.projectedStep + 1, run.committedStep)) await project(collections, run, change);
  }
  await markProjected(collections, run, run.committedStep);
};

const rowPrefix = (run: StoredRun): string => `${run._id}:${run.view}:`;
const populationRow = (run: StoredRun, { id, fit, bornSeq, length, home, island }: Membership): PopulationRow => ({
  _id: rowPrefix(run) + membershipKey({ island, id }), run: run._id, view: run.view, island, id, fit, bornSeq, length, home,
});
const cellRow = (run: StoredRun, { island, cell, program, fit }: Cell): CellRow => ({
  _id: rowPrefix(run) + cellKey({ island, cell }), run: run._id, view: run.view, island, cell, program, fit,
});

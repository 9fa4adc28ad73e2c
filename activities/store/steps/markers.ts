// Step markers: they hold the stored change set of each step, and folding the change sets gives the population's rows.
import { range } from '../../../evolution/schedule/slots.ts';
import type { ChangeSet } from '../../../evolution/types.ts';
import { getByIds } from '../documents/collection.ts';
import { liveMarkerId } from '../documents/lineage.ts';
import { Rows } from '../documents/rows.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import { readText, RESTORE, type Texts } from '../content/texts.ts';

const MARKERS_PER_PAGE = 200;
const CHANGE_SETS_PER_PAGE = 50;

export const readChangeSet = async (texts: Texts, marker: StoredStep): Promise<ChangeSet> =>
  JSON.parse(await readText(texts, marker.changeSet)) as ChangeSet;

/** The marker of a committed step. A fork's may belong to another run. */
export const committedMarker = async ({ steps }: Collections, run: StoredRun, step: number): Promise<StoredStep> => {
  const id = liveMarkerId(run, step);
  return (await steps.get(id)) ?? lost(id);
};

/** The markers of committed steps `from` (0 at least) to `to`, in order, read in pages. */
export async function* committedMarkers(
  { steps }: Collections,
  run: StoredRun,
  from: number,
  to: number,
): AsyncGenerator<StoredStep> {
  for (let page = Math.max(0, from); page <= to; page += MARKERS_PER_PAGE) {
    const ids = range(page, Math.min(MARKERS_PER_PAGE, to - page + 1)).map((step) => liveMarkerId(run, step));
    const markers = await getByIds(steps, ids);
    yield* ids.map((id) => markers.get(id) ?? lost(id));
  }
}

/** The change sets of committed steps `from` to `to`, in order, read in pages. */
export async function* changeSets(
  collections: Collections,
  texts: Texts,
  run: StoredRun,
  from: number,
  to: number,
): AsyncGenerator<ChangeSet> {
  let page: StoredStep[] = [];
  for await (const marker of committedMarkers(collections, run, from, to)) {
    page.push(marker);
    if (page.length < CHANGE_SETS_PER_PAGE && marker.step < to) continue;
    const bodies = await texts.get(page.map(({ changeSet }) => changeSet));
    for (const { changeSet } of page)
      yield JSON.parse(bodies.get(changeSet) ?? (await readText(texts, changeSet))) as ChangeSet;
    page = [];
  }
}

/** The rows after the last committed step, from nothing but the stored change sets of all steps. */
export const rebuildPopulation = async (collections: Collections, texts: Texts, run: StoredRun): Promise<Rows> => {
  const rows = new Rows();
  for await (const change of changeSets(collections, texts, run, 0, run.committedStep)) rows.apply(change);
  return rows;
};

const lost = (id: string): never => {
  throw new Error(
    `expected step marker ${id} of a committed step, but there is none: the database has lost it. ${RESTORE}`,
  );
};

// Takes whole runs that have ended out of the database. What other runs still need is not removed: a fork holds the
// runs that it was forked off. The run document goes last, so that what was cut short is there to be named and ended.
import { modelPool } from '../../../evolution/models/ensemble.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { PortableCollection, Row } from '../documents/collection.ts';
import { EXPORTED } from '../exchange/every-document.ts';
import { isGoing, STAYS } from '../documents/run-documents.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';
import { chunkIds } from '../learning/updates.ts';

/** Tasks and texts belong to no run. Batches of equal content are stored once for several runs. */
const OWN = EXPORTED.filter((name) => name !== 'runs' && name !== 'tasks' && name !== 'blobs' && name !== 'batches');
type RunRow = Row & { readonly run: RunId };
const rowsIn = (
  collections: Collections,
  name: (typeof OWN)[number] | 'batches' | 'tracking',
): PortableCollection<RunRow> => collections[name] as unknown as PortableCollection<RunRow>;

const IDS_PER_DELETE = 500;

/** The runs among these that may not be removed together with the others, each with the reason. */
export const heldRuns = async (
  collections: Pick<Collections, 'runs' | 'sweeps'>,
  chosen: readonly RunId[],
): Promise<ReadonlyMap<RunId, string>> => {
  const going = new Set(chosen);
  const held = new Map<RunId, string>();
  const all = await collections.runs.find({ run: { $gte: '' } });
  const sweeps = await collections.sweeps.find({ run: { $gte: '' } });
  const ids = new Set(all.map(({ _id }) => _id));
  const hold = (run: RunId, why: string): boolean => going.delete(run) && held.set(run, why).size > 0;
  for (const run of all) if (!hasEnded(run)) hold(run._id, `it has not ended (${run.status})`);
  // A run that is held may hold another, so that this goes on until nothing changes.
  for (let changed = true; changed;) {
    changed = false;
    for (const run of all) {
      if (going.has(run._id)) continue;
      for (const parent of parentsOf(run)) changed = hold(parent, `run ${run._id} was forked off it`) || changed;
      for (const other of going)
        if (usesPolicyOf(run, other)) changed = hold(other, `run ${run._id} asks a policy of it`) || changed;
    }
    for (const sweep of sweeps) {
      const stays = hasEnded(sweep)
        ? sweep.runs.some(({ run }) => ids.has(run) && !going.has(run))
          ? `sweep ${sweep._id} keeps others of its runs`
          : null
        : `sweep ${sweep._id} has not ended`;
      if (stays !== null) for (const { run } of sweep.runs) changed = hold(run, stays) || changed;
    }
  }
  return held;
};

const parentsOf = ({ _id, lineage, origin }: StoredRun): ReadonlySet<RunId> => {
  const parents = new Set(lineage.map(({ run }) => run));
  if (origin !== null) parents.add(origin.run);
  parents.delete(_id);
  return parents;
};

/** True where settings name a policy of the other run, be it as `run@version` or by its id (named-policy.ts). */
const usesPolicyOf = ({ config }: StoredRun, other: RunId): boolean =>
  modelPool(config).some(
    ({ policy }) => policy !== null && (policy.startsWith(`${other}@`) || policy.startsWith(`${other}-v`)),
  );

/** The documents of a run, one collection after the other, because the ids of a long run are many. */
export async function* documentsOf(
  collections: Collections,
  run: RunId,
): AsyncGenerator<{ readonly rows: PortableCollection<RunRow>; readonly ids: readonly string[] }> {
  for (const name of [...OWN, 'batches', 'tracking'] as const) {
    const rows = rowsIn(collections, name);
    yield { rows, ids: (await rows.find({ run }, ['_id'])).map(({ _id }) => _id) };
  }
}

/**
 * Removes a run with all its documents, together with the other chosen ones; may be repeated. Resolves to the reason
 * for which it stays, where somebody forked it or went on with it; null once it is gone. `beside` takes what is outside
 * the database.
 */
export const removeRun = async (
  collections: Collections,
  run: RunId,
  { chosen, now, beside }: { readonly chosen: readonly RunId[]; readonly now: Date; readonly beside: () => void },
): Promise<string | null> => {
  const { runs, installation } = collections;
  const document = await runs.get(run);
  if (document === null) return null;
  const held = (await heldRuns(collections, chosen)).get(run);
  if (held !== undefined) return held;
  if (!isGoing(document)) {
    const { opening, status } = document;
    if (!(await runs.update(run, { opening, status, ...STAYS }, { $set: { removing: now } })))
      return 'somebody went on with it just now';
    // Whoever forked the run before it was marked is seen now, and whoever does so later sees the mark.
    const late = (await heldRuns(collections, chosen)).get(run);
    if (late !== undefined) {
      await runs.update(run, {}, { $set: { removing: null } });
      return late;
    }
  }
  beside();
  const stays = await batchesElsewhere(collections, run);
  for await (const { rows, ids: all } of documentsOf(collections, run)) {
    const ids = rows.name === 'batches' ? all.filter((id) => !stays(id)) : all;
    for (let from = 0; from < ids.length; from += IDS_PER_DELETE)
      await rows.deleteAll(ids.slice(from, from + IDS_PER_DELETE));
  }
  await installation.insertAll([{ _id: `removed:${run}`, createdAt: document.createdAt, removedAt: now }]);
  await runs.deleteAll([run]);
  return null;
};

/** A test for chunks of batches that other runs need: all of them while another run learns, which may refer to one. */
const batchesElsewhere = async ({ runs, updates }: Collections, run: RunId): Promise<(chunk: string) => boolean> => {
  const others = (await runs.find({ run: { $gte: '' } }, ['policy', 'status'])).filter(({ _id }) => _id !== run);
  if (others.some((one) => one.policy !== undefined && !hasEnded(one))) return () => true;
  const named = await updates.find({ run: { $ne: run } }, ['batch']);
  const chunks = new Set(named.flatMap(chunkIds));
  return (chunk) => chunks.has(chunk);
};

/** Removes the sweeps of which no run is left, and returns their names. */
export const removeSweeps = async ({ runs, sweeps }: Collections): Promise<readonly string[]> => {
  const ids = new Set((await runs.find({ run: { $gte: '' } }, ['_id'])).map(({ _id }) => _id));
  const gone = (await sweeps.find({ run: { $gte: '' } })).filter(
    (sweep) => hasEnded(sweep) && !sweep.runs.some(({ run }) => ids.has(run)),
  );
  await sweeps.deleteAll(gone.map(({ _id }) => _id));
  return gone.map(({ _id }) => _id);
};

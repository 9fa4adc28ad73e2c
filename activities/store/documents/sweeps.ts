// The documents of sweeps: which runs a sweep has, and how far it is.
import { sameContent } from './collection.ts';
import type { SweepDocument } from './documents.ts';
import type { Collections, StoredSweep } from './stored.ts';

type Sweeps = Pick<Collections, 'sweeps'>;

/** A sweep that is started again goes on with what it has and with what its new description adds. */
export const putSweep = async ({ sweeps }: Sweeps, sweep: SweepDocument): Promise<SweepDocument> => {
  for (;;) {
    const existing = await sweeps.insertAll([toStored(sweep, 1)]);
    if (existing.length === 0) return sweep;
    const stored = (await sweeps.get(sweep._id))!;
    const next = toStored(united(fromStored(stored), sweep), stored.revision + 1);
    const { _id, ...fields } = next;
    if (await sweeps.update(_id, { revision: stored.revision }, { $set: fields })) return fromStored(next);
  }
};

/**
 * Groups keep their numbers, because runs and decisions refer to them, and new groups follow. A group is the same when
 * it has the same settings with the same base and the same prompt text of the task; otherwise its runs differ, and so
 * does the group.
 */
const united = (known: SweepDocument, added: SweepDocument): SweepDocument => {
  const groups = [...known.groups];
  const runs = [...known.runs];
  const there = new Set(known.runs.map(({ run }) => run));
  for (const one of added.runs.filter(({ run }) => !there.has(run))) {
    const group = added.groups[one.group]!;
    const number = groups.findIndex(
      (other, at) => sameContent(other, group) && settingsOf(runs, at) === settingsPart(one.run),
    );
    runs.push({ ...one, group: number === -1 ? groups.push(group) - 1 : number });
  }
  return { ...known, spec: added.spec, groups, runs, status: 'running', stopReason: null, endedAt: null };
};

/** The part of a run's id that stands for the settings without the seed, and for the task's prompt text. */
const settingsPart = (run: string): string => run.replace(/-s\d+(-r\d+)?$/, '');
const settingsOf = (runs: SweepDocument['runs'], group: number): string | undefined => {
  const first = runs.find((run) => run.group === group);
  return first && settingsPart(first.run);
};

export const readSweep = async ({ sweeps }: Sweeps, name: string): Promise<SweepDocument | null> => {
  const stored = await sweeps.get(name);
  return stored === null ? null : fromStored(stored);
};

export const listSweeps = async ({ sweeps }: Sweeps): Promise<readonly SweepDocument[]> =>
  (await sweeps.find({ run: { $gte: '' } }))
    .map(fromStored)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1));

export const sweepStates = async ({ sweeps }: Sweeps) =>
  (await sweeps.find({ run: { $gte: '' } }, ['status', 'endedAt'])).toSorted((a, b) => (a._id < b._id ? -1 : 1));

export const setSweep = async (
  { sweeps }: Sweeps,
  name: string,
  fields: Partial<Pick<SweepDocument, 'status' | 'stopReason' | 'decisions' | 'endedAt'>>,
): Promise<void> => {
  if (!(await sweeps.update(name, {}, { $set: fields }))) {
    throw new Error(
      `expected sweep '${name}' in the database, but there is none by that name: evolve sweep status shows the sweeps there are`,
    );
  }
};

/** Settings are named by dotted keys, which a database may refuse, so they are stored as text. */
const toStored = ({ spec, groups, ...sweep }: SweepDocument, revision: number): StoredSweep => ({
  ...sweep,
  spec: JSON.stringify(spec),
  groups: groups.map((group) => JSON.stringify(group)),
  revision,
});
const fromStored = ({ spec, groups, revision: _, ...sweep }: StoredSweep): SweepDocument => ({
  ...sweep,
  spec: JSON.parse(spec) as SweepDocument['spec'],
  groups: groups.map((group) => JSON.parse(group) as SweepDocument['groups'][number]),
});

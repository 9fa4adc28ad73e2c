// The sweeps of the store: which runs a sweep has, and how far it is.
import { revise, sameContent } from './collection.ts';
import type { SweepDocument } from './documents.ts';
import type { Collections, StoredSweep } from './stored.ts';

export interface SweepStore {
  /** Insert-or-get by name. The runs and groups of a sweep that is there are united with the new ones. */
  putSweep(sweep: SweepDocument): Promise<SweepDocument>;
  readSweep(name: string): Promise<SweepDocument | null>;
  /** Newest first. */
  listSweeps(): Promise<readonly SweepDocument[]>;
  /** The state of every sweep in a few fields, as `runStates` has it of runs. */
  sweepStates(): Promise<readonly Pick<SweepDocument, '_id' | 'status' | 'endedAt'>[]>;
  setSweep(
    name: string,
    fields: Partial<Pick<SweepDocument, 'status' | 'stopReason' | 'decisions' | 'endedAt'>>,
  ): Promise<void>;
}

export const sweepStore = ({ sweeps }: Pick<Collections, 'sweeps'>): SweepStore => ({
  /** A sweep that is started again goes on with what it has and with what its new description adds. */
  async putSweep(sweep) {
    const stored = await revise(sweeps, sweep._id, (before) =>
      toStored(before === null ? sweep : united(fromStored(before), sweep)),
    );
    return fromStored(stored!);
  },
  async readSweep(name) {
    const stored = await sweeps.get(name);
    return stored === null ? null : fromStored(stored);
  },
  listSweeps: async () =>
    (await sweeps.find({ run: { $gte: '' } }))
      .map(fromStored)
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1)),
  sweepStates: async () =>
    (await sweeps.find({ run: { $gte: '' } }, ['status', 'endedAt'])).toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  async setSweep(name, fields) {
    if (!(await sweeps.update(name, {}, { $set: fields })))
      throw new Error(
        `expected sweep '${name}' in the database, but there is none by that name: evolve sweep status shows the sweeps there are`,
      );
  },
});

/**
 * Groups keep their numbers, to which runs and decisions refer, and new groups follow. A group is the same when it has
 * the same settings, base and prompt text of the task; else its runs differ, and so does the group.
 */
const united = (stored: SweepDocument, added: SweepDocument): SweepDocument => {
  const groups = [...stored.groups];
  const runs = [...stored.runs];
  const there = new Set(stored.runs.map(({ run }) => run));
  for (const one of added.runs.filter(({ run }) => !there.has(run))) {
    const group = added.groups[one.group]!;
    const number = groups.findIndex(
      (other, at) => sameContent(other, group) && settingsOf(runs, at) === settingsPart(one.run),
    );
    runs.push({ ...one, group: number === -1 ? groups.push(group) - 1 : number });
  }
  return { ...stored, spec: added.spec, groups, runs, status: 'running', stopReason: null, endedAt: null };
};

/** The part of a run's id that stands for the settings without the seed, and for the task's prompt text. */
const settingsPart = (run: string): string => run.replace(/-s\d+(-r\d+)?$/, '');
const settingsOf = (runs: SweepDocument['runs'], group: number): string | undefined => {
  const first = runs.find((run) => run.group === group);
  return first && settingsPart(first.run);
};

/** Settings are named by dotted keys, which a database may refuse, so they are stored as text. */
const toStored = ({ _id, spec, groups, ...sweep }: SweepDocument): Omit<StoredSweep, '_id' | 'revision'> => ({
  ...sweep,
  spec: JSON.stringify(spec),
  groups: groups.map((group) => JSON.stringify(group)),
});
const fromStored = ({ spec, groups, revision: _, ...sweep }: StoredSweep): SweepDocument => ({
  ...sweep,
  spec: JSON.parse(spec) as SweepDocument['spec'],
  groups: groups.map((group) => JSON.parse(group) as SweepDocument['groups'][number]),
});

// Notices that a person is sent of runs and sweeps. The number of attempts is raised before each attempt, so that of
// several engine workers one sends. A document is kept afterwards, so that nothing is sent again after a restart.
import type { RunStatus } from '../../../evolution/run-states.ts';
import type { PortableCollection } from '../documents/collection.ts';
import type { RunDocument, SweepDocument } from '../documents/documents.ts';
import type { NoticeDocument, SinceDocument, StoredNotice } from '../documents/installation-documents.ts';

/** The fields of runs and sweeps that say whether there is something to tell. */
export type Noticeable = {
  readonly parked: readonly Pick<RunDocument, 'run' | 'parked'>[];
  readonly ended: readonly Pick<RunDocument, 'run' | 'endedAt' | 'sweep'>[];
  readonly sweeps: readonly Pick<SweepDocument, 'run' | 'endedAt'>[];
};

export interface NoticesStore {
  /** Insert-or-get: the first time that is given stays. */
  noticesSince(offered: Date): Promise<Date>;
  /** Runs that need attention, and runs and sweeps that ended since. */
  noticeable(endedSince: Date): Promise<Noticeable>;
  /** False where somebody has claimed it before. */
  claimNotice(document: NoticeDocument): Promise<boolean>;
  readNotices(ids: readonly string[]): Promise<readonly NoticeDocument[]>;
  /** In the order of their claim. */
  listNotices(filter: {
    readonly state?: NoticeDocument['state'];
    readonly name?: string;
  }): Promise<readonly NoticeDocument[]>;
  /** False where another process has begun an attempt since `attempts` was read. */
  moveNotice(
    document: Pick<NoticeDocument, '_id' | 'attempts'>,
    fields: Partial<Pick<NoticeDocument, 'state' | 'attempts' | 'nextAt' | 'error'>>,
  ): Promise<boolean>;
}

type Collections = {
  readonly notices: PortableCollection<StoredNotice>;
  readonly runs: PortableCollection<RunDocument>;
  /** The runs of a sweep are stored in another form than they are read in, and not looked at here. */
  readonly sweeps: Pick<PortableCollection<Pick<SweepDocument, '_id' | 'run' | 'endedAt'>>, 'find'>;
};

const PARKED: readonly RunStatus[] = ['needs attention', 'retrying'];

export const noticesStore = ({ notices, runs, sweeps }: Collections): NoticesStore => {
  const collection = notices as unknown as PortableCollection<NoticeDocument>;
  return {
    async noticesSince(offered) {
      await notices.insertAll([{ _id: 'since', run: '', at: offered, state: 'since' }]);
      return ((await notices.get('since')) as SinceDocument).at;
    },
    async noticeable(endedSince) {
      const all = { run: { $gte: '' } };
      const [parked, ended, endedSweeps] = await Promise.all([
        runs.find({ ...all, status: { $in: PARKED } }, ['run', 'parked']),
        runs.find({ ...all, endedAt: { $gte: endedSince } }, ['run', 'endedAt', 'sweep']),
        sweeps.find({ ...all, endedAt: { $gte: endedSince } }, ['run', 'endedAt']),
      ]);
      return { parked, ended, sweeps: endedSweeps };
    },
    claimNotice: async (document) => (await notices.insertAll([document])).length === 0,
    readNotices: (ids) => collection.getMany(ids),
    async listNotices({ state, name }) {
      const filter = { ...(state === undefined ? {} : { state }), ...(name === undefined ? {} : { name }) };
      return (await collection.find({ run: '', ...filter }))
        .filter(({ _id }) => _id !== 'since')
        .sort((a, b) => a.claimedAt.getTime() - b.claimedAt.getTime() || (a._id < b._id ? -1 : 1));
    },
    moveNotice: ({ _id, attempts }, fields) => collection.update(_id, { attempts }, { $set: fields }),
  };
};

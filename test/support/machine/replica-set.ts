// A replica set of two members as a driver sees one, in front of a single database: who is its primary, and whether
// there is one, is said by the test. Both members have the same data, so what is played is the failover of a set that
// acknowledges writes when most of its members have them. What a set with weaker writes loses is not played.
import { ObjectId } from 'mongodb';
import { isWrite, type Network, networkTo } from './network.ts';
import { commandIn, replyTo } from './played-database.ts';

export type ReplicaSet = {
  readonly uri: string;
  /** The connections to both members. */
  readonly members: readonly [Network, Network];
  /** The primary is gone with all its connections; after so long the other one is elected, and it comes back. */
  failOver(electionMs: number): Promise<void>;
  /** The primary goes on as a secondary, and refuses what its clients send next. */
  stepDown(): void;
  /** Whether the disk of the database has no room, so that it refuses writes. */
  full(is: boolean): void;
  stop(): Promise<void>;
};

const NAME = 'played';
const SIZES = { maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 };
const WIRE = { minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30, readOnly: false };
const NOT_PRIMARY = { ok: 0, code: 10_107, codeName: 'NotWritablePrimary', errmsg: 'not primary' };
const NO_ROOM = { ok: 0, code: 14_031, codeName: 'OutOfDiskSpace', errmsg: 'available disk space is below 500 MB' };
const NO_SECONDARY = { ok: 0, code: 13_435, codeName: 'NotPrimaryNoSecondaryOk', errmsg: 'not primary' };
const READS = new Set(['find', 'aggregate', 'count', 'distinct', 'getMore']);

export const replicaSetTo = async (target: number): Promise<ReplicaSet> => {
  let primary: 0 | 1 | null = 0;
  let elections = 1;
  let isFull = false;
  const ports: number[] = [];
  const answerOf = (own: 0 | 1) => (message: Buffer) => {
    const command = commandIn(message) ?? '';
    if (command === 'hello') return replyTo(message, hello(own));
    if (own === primary) return isFull && isWrite(command) ? replyTo(message, NO_ROOM) : null;
    return isWrite(command)
      ? replyTo(message, NOT_PRIMARY)
      : READS.has(command)
        ? replyTo(message, NO_SECONDARY)
        : null;
  };
  const hello = (own: 0 | 1): object => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`);
    const isPrimary = own === primary;
    return {
      ...{ ok: 1, helloOk: true, isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: !isPrimary },
      ...{
        setName: NAME,
        setVersion: 1,
        hosts,
        me: hosts[own],
        ...(primary === null ? {} : { primary: hosts[primary] }),
      },
      ...(isPrimary ? { electionId: new ObjectId(elections.toString(16).padStart(24, '0')) } : {}),
      ...{ ...SIZES, ...WIRE, localTime: new Date() },
    };
  };
  const members = [await networkTo(target, answerOf(0)), await networkTo(target, answerOf(1))] as const;
  ports.push(...members.map(({ port }) => port));
  const elect = (next: 0 | 1): void => {
    elections += 1;
    primary = next;
  };
  return {
    uri: `mongodb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/?replicaSet=${NAME}`,
    members,
    async failOver(electionMs) {
      const old = primary ?? 0;
      primary = null;
      members[old].cut();
      await new Promise((resolve) => setTimeout(resolve, electionMs));
      elect(old === 0 ? 1 : 0);
      members[old].mend();
    },
    stepDown: () => elect(primary === 0 ? 1 : 0),
    full: (is) => {
      isFull = is;
    },
    async stop() {
      await Promise.all(members.map((member) => member.stop()));
    },
  };
};

// What all hosts of an installation have in common and read from the store: the secret of hidden draws, the queues of
// evaluation that runs need, keys of endpoints that an operator shares; and which worker processes are at work where.
import type { RunId } from '../../../evolution/types.ts';
import type { SealedKey } from '../../llm/transport/sealed-keys.ts';
import { insertOrGet, type PortableCollection } from '../documents/collection.ts';

/** The secret as 64 hexadecimal digits. It is made once and never replaced, because open runs draw from it. */
export type SecretDocument = { readonly _id: 'draw-secret'; readonly secret: string };
/** Queues beside `evolve-eval` on which runs wait for evaluations. A name says what its host must have. */
export type QueuesDocument = { readonly _id: 'queues'; readonly revision: number; readonly queues: readonly string[] };
/**
 * The name of a run that was removed stays taken. Workers keep what never changes in memory by its id, and ids begin with
 * the name. The same run may come back from an export; `createdAt` tells it from others.
 */
export type RemovedDocument = {
  readonly _id: `removed:${string}`;
  readonly createdAt: Date;
  readonly removedAt: Date;
};
/** The namespace of the workflow engine in which the database works. The rest tells people which one it is. */
export type EngineClaim = {
  readonly namespaceId: string;
  readonly namespace: string;
  readonly address: string;
  readonly host: string;
  readonly home: string;
  readonly since: Date;
};
export type EngineDocument = EngineClaim & { readonly _id: 'engine' };
/** Keys of endpoints, encrypted under a key that is never in the database. */
type KeysDocument = { readonly _id: 'keys'; readonly revision: number; readonly keys: readonly SealedKey[] };
export type InstallationDocument = SecretDocument | QueuesDocument | EngineDocument | RemovedDocument | KeysDocument;

/** A worker process that has a role on a host. `beats` counts its signs of life; `seenAt` is the host's own clock. */
export type HostDocument = {
  readonly _id: string;
  /** Reads that are not by id name a run first. A host belongs to none. */
  readonly run: '';
  readonly host: string;
  readonly pid: number;
  readonly role: string;
  readonly version: string;
  readonly since: Date;
  readonly seenAt: Date;
  readonly beats: number;
  readonly queues: readonly string[];
  /** How many activities it takes at once. */
  readonly slots: number;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly labels: readonly string[];
  /** The namespace in which it works. Hosts of versions before this was noted have none. */
  readonly namespaceId?: string;
};

/** The part of the store that hosts share. */
export interface InstallationStore {
  /** Insert-or-get: the first secret that is given stays. */
  drawSecret(offered: string): Promise<string>;
  readDrawSecret(): Promise<string | null>;
  /** Remembers that a run waits for evaluations on this queue. */
  needQueue(queue: string): Promise<void>;
  neededQueues(): Promise<readonly string[]>;
  sharedKeys(): Promise<readonly SealedKey[]>;
  /** `put` goes in the place of what there was for the endpoint. */
  changeSharedKeys(change: { readonly put: readonly SealedKey[]; readonly remove: readonly string[] }): Promise<void>;
  /** Null where no namespace has worked with the database yet. */
  readEngine(): Promise<EngineClaim | null>;
  /** Does nothing where another than `before` is there by now. */
  replaceEngine(before: EngineClaim | null, after: EngineClaim): Promise<void>;
  /** Writes a host's sign of life. */
  putHost(host: HostDocument): Promise<void>;
  removeHosts(ids: readonly string[]): Promise<void>;
  /** In the order of role and id, with those that are silent. */
  listHosts(): Promise<readonly HostDocument[]>;
}

type Kept = {
  readonly installation: PortableCollection<InstallationDocument>;
  readonly hosts: PortableCollection<HostDocument>;
};

export const installationStore = ({ installation, hosts }: Kept): InstallationStore => {
  const read = async <Id extends InstallationDocument['_id']>(
    id: Id,
  ): Promise<Extract<InstallationDocument, { readonly _id: Id }> | null> =>
    (await installation.get(id)) as Extract<InstallationDocument, { readonly _id: Id }> | null;
  return {
    async drawSecret(offered) {
      const [kept] = await insertOrGet(installation, [{ _id: 'draw-secret', secret: offered }]);
      return (kept as SecretDocument).secret;
    },
    readDrawSecret: async () => (await read('draw-secret'))?.secret ?? null,
    async needQueue(queue) {
      // Again and again until nobody was between.
      for (;;) {
        const before = await read('queues');
        if (before?.queues.includes(queue)) return;
        const queues = [...(before?.queues ?? []), queue].sort();
        const revision = (before?.revision ?? 0) + 1;
        if (before === null) {
          if ((await installation.insertAll([{ _id: 'queues', revision, queues }])).length === 0) return;
        } else if (await installation.update('queues', { revision: before.revision }, { $set: { revision, queues } })) {
          return;
        }
      }
    },
    neededQueues: async () => (await read('queues'))?.queues ?? [],
    sharedKeys: async () => (await read('keys'))?.keys ?? [],
    async changeSharedKeys({ put, remove }) {
      const gone = new Set([...remove, ...put.map(({ endpoint }) => endpoint)]);
      // Again and again until nobody was between.
      for (;;) {
        const before = await read('keys');
        const keys = [...(before?.keys ?? []).filter(({ endpoint }) => !gone.has(endpoint)), ...put];
        keys.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
        const revision = (before?.revision ?? 0) + 1;
        if (before === null) {
          if ((await installation.insertAll([{ _id: 'keys', revision, keys }])).length === 0) return;
        } else if (await installation.update('keys', { revision: before.revision }, { $set: { revision, keys } })) {
          return;
        }
      }
    },
    async readEngine() {
      const { _id, ...claim } = (await read('engine')) ?? { _id: null };
      return _id === null ? null : (claim as EngineClaim);
    },
    async replaceEngine(before, after) {
      if (before === null) await installation.insertAll([{ _id: 'engine', ...after }]);
      else await installation.update('engine', { namespaceId: before.namespaceId }, { $set: after });
    },
    putHost: (host) => hosts.upsert(host._id, {}, withoutId(host)).then(() => undefined),
    removeHosts: (ids) => hosts.deleteAll(ids),
    listHosts: async () =>
      [...(await hosts.find({ run: '' }))].sort((a, b) =>
        a.role === b.role ? (a._id < b._id ? -1 : 1) : a.role < b.role ? -1 : 1,
      ),
  };
};

const withoutId = ({ _id, ...fields }: HostDocument): Omit<HostDocument, '_id'> => fields;

/** The run of this name that was removed; null where there was none. */
export const removedRun = async (
  { installation }: Pick<Kept, 'installation'>,
  run: RunId,
): Promise<RemovedDocument | null> => (await installation.get(`removed:${run}`)) as RemovedDocument | null;

export const nameWasTaken = (run: RunId, { removedAt }: Pick<RemovedDocument, 'removedAt'>): string =>
  `run "${run}" was removed by \`npx evolve prune\` (${removedAt.toISOString().slice(0, 10)}), and its name stays taken: choose another one`;

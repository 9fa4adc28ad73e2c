// The documents that all hosts of an installation read from the store: the secret of hidden draws, the queues of
// evaluation that runs need, keys of endpoints that an operator shares; and which worker processes are at work where.
import type { SealedKey } from '../../llm/transport/sealed-keys.ts';
import { insertOrGet, type PortableCollection, revise } from '../documents/collection.ts';
import { databaseIdentity, type DatabaseIdentity, type IdentityDocument } from '../documents/identity.ts';
import type {
  EngineClaim,
  HostDocument,
  InstallationDocument,
  KeysDocument,
  QueuesDocument,
  SecretDocument,
} from '../documents/installation-documents.ts';
import type { Collections } from '../documents/stored.ts';

type Checks = { readonly [id: string]: string };

/** The part of the store that hosts share. */
export interface InstallationStore {
  /** Insert-or-get, and the same for ever. */
  identity(): Promise<DatabaseIdentity>;
  /** Checks of the keys with which this installation encrypts payloads, by id (activities/payloads/keys.ts). */
  payloadKeys(): Promise<Checks>;
  /** Keeps a check unless there is one of this id, and resolves to those that are then there. */
  keepPayloadKey(id: string, check: string): Promise<Checks>;
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

type Shared = Pick<Collections, 'identity' | 'installation' | 'hosts'>;

export const installationStore = ({ identity, installation, hosts }: Shared): InstallationStore => {
  const read = async <Id extends InstallationDocument['_id']>(
    id: Id,
  ): Promise<Extract<InstallationDocument, { readonly _id: Id }> | null> =>
    (await installation.get(id)) as Extract<InstallationDocument, { readonly _id: Id }> | null;
  return {
    identity: () => databaseIdentity(identity),
    ...payloadKeysIn(identity),
    async drawSecret(offered) {
      const [kept] = await insertOrGet(installation, [{ _id: 'draw-secret', secret: offered }]);
      return (kept as SecretDocument).secret;
    },
    readDrawSecret: async () => (await read('draw-secret'))?.secret ?? null,
    async needQueue(queue) {
      const collection = installation as unknown as PortableCollection<QueuesDocument>;
      await revise(collection, 'queues', (before) =>
        before?.queues.includes(queue) ? null : { queues: [...(before?.queues ?? []), queue].sort() },
      );
    },
    neededQueues: async () => (await read('queues'))?.queues ?? [],
    sharedKeys: async () => (await read('keys'))?.keys ?? [],
    async changeSharedKeys({ put, remove }) {
      const collection = installation as unknown as PortableCollection<KeysDocument>;
      const gone = new Set([...remove, ...put.map(({ endpoint }) => endpoint)]);
      await revise(collection, 'keys', (before) => {
        const keys = [...(before?.keys ?? []).filter(({ endpoint }) => !gone.has(endpoint)), ...put];
        return { keys: keys.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)) };
      });
    },
    async readEngine() {
      const { _id, ...claim } = (await read('engine')) ?? { _id: null };
      return _id === null ? null : (claim as EngineClaim);
    },
    async replaceEngine(before, after) {
      if (before === null) await installation.insertAll([{ _id: 'engine', ...after }]);
      else await installation.update('engine', { namespaceId: before.namespaceId }, { $set: after });
    },
    async putHost({ _id, ...fields }) {
      await hosts.upsert(_id, {}, fields);
    },
    removeHosts: (ids) => hosts.deleteAll(ids),
    listHosts: async () =>
      [...(await hosts.find({ run: '' }))].sort((a, b) =>
        a.role === b.role ? (a._id < b._id ? -1 : 1) : a.role < b.role ? -1 : 1,
      ),
  };
};

/** Checks of the keys that encrypt payloads, beside the identity of the database. The keys are nowhere in it. */
type PayloadKeysDocument = {
  readonly _id: 'payload-keys';
  /** Number of keys: whoever adds one has to know all others. */
  readonly count: number;
  readonly checks: readonly (readonly [id: string, check: string])[];
};

const payloadKeysIn = (identity: PortableCollection<IdentityDocument>) => {
  const collection = identity as unknown as PortableCollection<PayloadKeysDocument>;
  const payloadKeys = async (): Promise<Checks> =>
    Object.fromEntries((await collection.get('payload-keys'))?.checks ?? []);
  const keepPayloadKey = async (id: string, check: string): Promise<Checks> => {
    for (;;) {
      const present = await payloadKeys();
      if (Object.hasOwn(present, id)) return present;
      const checks = [...Object.entries(present), [id, check] as const];
      if (await collection.upsert('payload-keys', { count: checks.length - 1 }, { count: checks.length, checks }))
        return Object.fromEntries(checks);
    }
  };
  return { payloadKeys, keepPayloadKey };
};

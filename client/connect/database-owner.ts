// The namespace of the workflow engine in which a database works. Two namespaces with one database would both go on
// with its runs, so the database remembers one, and another is refused while workers of the first give signs of life.
// Once they are silent, the database moves by itself: the server's data or the installation may be new.
import type { Connection } from '@temporalio/client';
import type { EngineClaim } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { isForbidden } from './errors.ts';
import { beatingHosts } from './living-hosts.ts';

type OwnerStore = Pick<Store, 'readEngine' | 'replaceEngine' | 'listHosts'>;
type Place = { readonly address: string; readonly host: string; readonly home: string };

/** A namespace has an id that it was given when it was made, so that one of the same name elsewhere is another one. */
export const claimOf = async (
  { connection, namespace }: { readonly connection: Connection; readonly namespace: string },
  place: Place,
): Promise<EngineClaim> => {
  const described = await connection.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
    // A key that may not ask works with the name alone.
    if (isForbidden(error)) return null;
    throw error;
  });
  return { namespaceId: described?.namespaceInfo?.id || namespace, namespace, since: new Date(), ...place };
};

/**
 * The refusal of this namespace in one line; null where it may work with the database. Takes 6 s where the database
 * has worked in another namespace and hosts of that one are listed, because a clock does not tell whether they
 * live and their signs of life do.
 */
export const databaseRefusal = async (
  store: OwnerStore,
  ours: EngineClaim,
  listenMs?: number,
): Promise<string | null> => {
  const owner = await store.readEngine();
  if (owner === null || isSame(owner, ours)) return null;
  const [living] = await beatingHosts(store, (host) => host.namespaceId === owner.namespaceId, listenMs);
  return living === undefined
    ? null
    : refusalOf(owner, ours, `${living.role} on host ${living.host}, pid ${living.pid}`);
};

/**
 * Makes the database that of this namespace. The caller has asked `databaseRefusal`; of several at once one wins. False
 * where another namespace was faster.
 */
export const claimDatabase = async (store: OwnerStore, ours: EngineClaim): Promise<boolean> => {
  const owner = await store.readEngine();
  if (owner?.namespaceId === ours.namespaceId) return true;
  await store.replaceEngine(owner, ours);
  return (await store.readEngine())?.namespaceId === ours.namespaceId;
};

/**
 * One data directory with one address is one installation, though its server's data may be new. Where the directory
 * names another address than before, the workers of the first may still be at work.
 */
const isSame = (owner: EngineClaim, ours: EngineClaim): boolean =>
  owner.namespaceId === ours.namespaceId ||
  (owner.host === ours.host && owner.home === ours.home && owner.address === ours.address);

const nameOf = ({ namespace, address, home, host }: EngineClaim): string =>
  `${namespace} at ${address} (used by ${home} on host ${host})`;

const refusalOf = (owner: EngineClaim, ours: EngineClaim, living: string): string =>
  `the database works with another Temporal namespace since ${owner.since.toISOString()}: expected ${nameOf(owner)}, got ${nameOf(ours)}. ` +
  `Workers are at work there (${living}), and two namespaces would both go on with the runs of the database. Name that namespace (TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or a profile), ` +
  'or another database (MONGODB_URI); where the database is to move to this namespace, stop the workers there (`npx evolve hosts` lists them), and it moves by itself';

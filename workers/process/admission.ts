// What a worker needs before it may ask for work: its namespace belongs to its database and the database to it, and it
// has the keys of its installation. Where something is missing, the process says why, takes nothing, and looks again,
// because a person may hand over a namespace or put a key there.
import { Client } from '@temporalio/client';
import { hostname } from 'node:os';
import { PayloadKeyError, readPayloadKeys } from '../../activities/payloads/keys.ts';
import { agreeOnKeys, type Payloads, payloadsWith } from '../../activities/payloads/payloads.ts';
import type { EngineClaim } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { claimDatabase, claimOf, databaseRefusal } from '../../client/connect/database-owner.ts';
import { self } from '../../deploy/host/process-identity.ts';
import { claimNamespace, type Installation, installationOf, refusal } from '../../deploy/servers/installation.ts';
import { refusalLine } from '../../deploy/supervisor/health.ts';
import type { Engine } from './connect.ts';
import { insist } from './again.ts';

const AGAIN_MS = 3_000;
const OWN_AGAIN_MS = 20_000;

class Refused extends Error {}

/** Tries until the process is admitted. Each new reason is printed once. */
const admitted = <T>(work: () => Promise<T>): Promise<T> => {
  let printed = '';
  return insist(
    work,
    (error) => {
      if (!(error instanceof Refused || error instanceof PayloadKeyError)) return true;
      if (error.message === printed || error.message === '') return false;
      console.log(refusalLine(self(), error.message));
      printed = error.message;
      return false;
    },
    AGAIN_MS,
  );
};

/**
 * Resolves to the id of the namespace when it belongs to this database and the database to it. Either may be given away
 * later, for example when this machine was asleep and taken for gone. The process then drains and ends as after
 * SIGTERM, and the next one is refused.
 */
export const ownNamespace = async (
  { connection, namespace }: Engine,
  store: Store,
  place: { readonly mongodbUri: string; readonly home: string },
): Promise<string> => {
  const ours = installationOf({ database: (await store.identity()).id, uri: place.mongodbUri, home: place.home });
  const client = new Client({ connection, namespace });
  const address = connection.options.address;
  const claim = await claimOf({ connection, namespace }, { address, host: hostname(), home: place.home });
  await admitted(async () => {
    // The namespace is claimed for no database that works elsewhere.
    const why = (await databaseRefusal(store, claim)) ?? refusal(namespace, await claimNamespace(client, ours), ours);
    // Another namespace may be faster: its workers are looked for before the database is asked for again.
    if (why !== null || !(await claimDatabase(store, claim))) throw new Refused(why ?? '');
  });
  setInterval(() => void endWhenTaken(client, ours, store, claim), OWN_AGAIN_MS).unref();
  return claim.namespaceId;
};

const endWhenTaken = async (client: Client, ours: Installation, store: Store, claim: EngineClaim): Promise<void> => {
  // The marker is made again where it is lost. An engine or a database that does not answer is left to the workers.
  const marker = await claimNamespace(client, ours).catch(() => null);
  const owner = await store.readEngine().catch(() => null);
  const why =
    (marker === null ? null : refusal(client.options.namespace, marker, ours)) ??
    (owner === null || owner.namespaceId === claim.namespaceId
      ? null
      : `the database works in namespace ${owner.namespace} at ${owner.address} now (${owner.home} on host ${owner.host})`);
  if (why === null) return;
  console.error(`ending: ${why}`);
  process.kill(process.pid, 'SIGTERM');
};

export const openPayloads = (store: Store, home: string, env: NodeJS.ProcessEnv): Promise<Payloads> =>
  admitted(async () => {
    const keys = readPayloadKeys(env, home);
    await agreeOnKeys(keys, store);
    // Whoever sends a payload chooses the id, and `constructor` is that of no key.
    return payloadsWith(keys, async (id) => Object.hasOwn(await store.payloadKeys(), id));
  });

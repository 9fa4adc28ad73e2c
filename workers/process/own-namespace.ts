// Before a worker asks for work, the namespace has to belong to its database and the database to its namespace. If they
// do not, the process says why, takes nothing, and looks again now and then, for either may be handed over.
import { Client } from '@temporalio/client';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClaim } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { claimDatabase, claimOf, databaseRefusal } from '../../client/connect/database-owner.ts';
import { self } from '../../deploy/host/process-identity.ts';
import { claimNamespace, type Installation, installationOf, refusal } from '../../deploy/servers/installation.ts';
import { refusalLine } from '../../deploy/supervisor/health.ts';
import type { Engine } from './connect.ts';

const REFUSED_AGAIN_MS = 3_000;
const OWN_AGAIN_MS = 20_000;

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
  for (let told = ''; ; await sleep(REFUSED_AGAIN_MS)) {
    // The namespace is claimed for no database that works elsewhere.
    const why = (await databaseRefusal(store, claim)) ?? refusal(namespace, await claimNamespace(client, ours), ours);
    // Where another namespace was faster, its workers are looked for before the database is asked for again.
    if (why === null && (await claimDatabase(store, claim))) break;
    if (why !== null && why !== told) console.log(refusalLine(self(), why));
    told = why ?? told;
  }
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

// Before a worker asks for work, the namespace has to belong to its database. If it does not, the process says why,
// takes nothing, and looks again now and then, for the namespace may be handed over.
import { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../activities/store/store.ts';
import { self } from '../deploy/host/process-identity.ts';
import { claimNamespace, type Installation, installationOf, refusal } from '../deploy/stack/installation.ts';
import { refusalLine } from '../deploy/supervisor/health.ts';
import type { Engine } from './connect.ts';

const REFUSED_AGAIN_MS = 3_000;
const OWN_AGAIN_MS = 20_000;

/**
 * Resolves when the namespace belongs to this database. It may be given to another one later, for example when this
 * machine was asleep and taken for gone. The process then drains and ends as after SIGTERM, and the next one is
 * refused.
 */
export const ownNamespace = async (
  { connection, namespace }: Engine,
  store: Store,
  place: { readonly mongodbUri: string; readonly home: string },
): Promise<void> => {
  const ours = installationOf({ database: (await store.identity()).id, uri: place.mongodbUri, home: place.home });
  const client = new Client({ connection, namespace });
  for (let told = ''; ; await sleep(REFUSED_AGAIN_MS)) {
    const why = refusal(namespace, await claimNamespace(client, ours), ours);
    if (why === null) break;
    if (why !== told) console.log(refusalLine(self(), why));
    told = why;
  }
  setInterval(() => void endWhenTaken(client, ours), OWN_AGAIN_MS).unref();
};

const endWhenTaken = async (client: Client, ours: Installation): Promise<void> => {
  // The marker is made again where it is lost. An engine that does not answer is left to the workers.
  const marker = await claimNamespace(client, ours).catch(() => null);
  const why = marker === null ? null : refusal(client.options.namespace, marker, ours);
  if (why === null) return;
  console.error(`ending: ${why}`);
  process.kill(process.pid, 'SIGTERM');
};

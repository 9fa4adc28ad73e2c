// Before a worker asks for work: the namespace is this database's. Else the process says why, takes nothing, and
// looks again now and then, for the namespace may be handed over.
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
 * Resolves when the namespace is this database's. Should it be given to another later (this machine was asleep, say,
 * and taken for gone), the process drains and ends as for SIGTERM; the next one is refused.
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
  // Made again where it is lost. An engine that does not answer is the workers' matter.
  const marker = await claimNamespace(client, ours).catch(() => null);
  const why = marker === null ? null : refusal(client.options.namespace, marker, ours);
  if (why === null) return;
  console.error(`ending: ${why}`);
  process.kill(process.pid, 'SIGTERM');
};

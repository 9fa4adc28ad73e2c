// Which hosts give signs of life. Where a clock is wrong, here or there, a host that lives looks silent, so before one is
// taken for gone its next sign is waited for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { BEAT_MS, isSilent } from '../../evolution/hosts/hosts.ts';

export type HostStore = Pick<Store, 'listHosts'>;

/** In this time a host that lives gives at least one sign of life. */
const LISTEN_MS = 1.2 * BEAT_MS;

/** Of the hosts that are wanted. Waits where all that are listed look silent. */
export const livingHosts = async (
  store: HostStore,
  wanted: (host: HostDocument) => boolean,
  listenMs: number = LISTEN_MS,
): Promise<readonly HostDocument[]> => {
  const listed = async () => (await store.listHosts()).filter(wanted);
  const before = await listed();
  const now = new Date();
  const living = before.filter((host) => !isSilent(host, now));
  if (before.length === 0 || living.length > 0) return living;
  const beatsBefore = new Map(before.map(({ _id, beats }) => [_id, beats]));
  await sleep(listenMs);
  return (await listed()).filter(({ _id, beats }) => beats !== beatsBefore.get(_id));
};

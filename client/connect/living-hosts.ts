// The hosts that give signs of life. Where a clock is wrong, here or there, a living host looks silent, so this waits
// for its next sign.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { BEAT_MS, isSilent } from '../../evolution/hosts/hosts.ts';

export type HostStore = Pick<Store, 'listHosts'>;

/** In this time a host that lives gives at least one sign of life. */
const LISTEN_MS = 1.2 * BEAT_MS;

type Wanted = (host: HostDocument) => boolean;

/** The hosts among these that give a sign of life while this waits. */
export const beatingHosts = async (
  store: HostStore,
  isWanted: Wanted,
  listenMs = LISTEN_MS,
): Promise<readonly HostDocument[]> => {
  const listed = async () => (await store.listHosts()).filter(isWanted);
  const before = new Map((await listed()).map(({ _id, beats }) => [_id, beats]));
  if (before.size === 0) return [];
  await sleep(listenMs);
  return (await listed()).filter(({ _id, beats }) => beats !== before.get(_id));
};

/** The hosts among these that live. Waits only where all of them look silent. */
export const livingHosts = async (
  store: HostStore,
  isWanted: Wanted,
  listenMs?: number,
): Promise<readonly HostDocument[]> => {
  const now = new Date();
  const living = (await store.listHosts()).filter((host) => isWanted(host) && !isSilent(host, now));
  return living.length > 0 ? living : beatingHosts(store, isWanted, listenMs);
};

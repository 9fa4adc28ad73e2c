// Whether the Temporal namespace works with this home's database (deploy/installation.ts).
import type { Store } from '../../activities/store/store.ts';
import type { Engine, Place } from '../../client/connection.ts';
import type { Installation } from '../../deploy/installation.ts';
import { readUp } from '../../deploy/supervisor/plan.ts';

export const installationHere = async ({ home }: Place, store: Store): Promise<Installation> => {
  // Loaded here: commands that ask no server start faster.
  const { installationOf } = await import('../../deploy/installation.ts');
  return installationOf({
    database: (await store.identity()).id,
    uri: readUp(home)?.database.uri ?? 'mongodb://unknown/',
    home: home.root,
  });
};

/**
 * Why nothing may be started or steered from here; null where all is well, or where no worker has claimed the
 * namespace yet.
 */
export const namespaceRefusal = async (
  place: Place,
  { client, namespace }: Engine,
  store: Store,
): Promise<string | null> => {
  const { readMarker, refusal } = await import('../../deploy/installation.ts');
  const marker = await readMarker(client);
  return marker === null ? null : refusal(namespace, marker, await installationHere(place, store));
};

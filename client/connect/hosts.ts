// The hosts of an installation as people see them, and what runs need that none of them has.
import type { HostDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { isSilent, unserved } from '../../evolution/hosts/hosts.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { flagsFor, needsText } from '../../evolution/hosts/needs.ts';

/** `silentSeconds` is null for a host that gives signs of life. */
type Host = Omit<HostDocument, '_id' | 'run' | 'beats' | 'namespaceId'> & { readonly silentSeconds: number | null };
type Unserved = { readonly queue: string; readonly text: string };

/** The message for a queue that no host polls. */
export const unservedText = (queue: string): string =>
  `no host has ${needsText(queue)}: start one with \`${flagsFor(queue)}\``;

export const hostsOf = async (
  store: Pick<Store, 'listHosts' | 'listRuns'>,
  now: Date,
): Promise<{ readonly hosts: readonly Host[]; readonly unserved: readonly Unserved[] }> => {
  const [listed, runs] = await Promise.all([store.listHosts(), store.listRuns()]);
  const needed = runs.filter((run) => !hasEnded(run)).flatMap(({ queue }) => (queue === undefined ? [] : [queue]));
  return {
    hosts: listed.map(({ _id, run: _run, beats: _beats, namespaceId: _namespace, ...host }) => ({
      ...host,
      silentSeconds: isSilent(host, now) ? Math.round((now.getTime() - host.seenAt.getTime()) / 1000) : null,
    })),
    unserved: unserved([...new Set(needed)].sort(), listed, now).map((queue) => ({ queue, text: unservedText(queue) })),
  };
};

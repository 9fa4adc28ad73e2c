// Requires a host that may evaluate the programs of a task that needs something of its host. Where there is none, the
// step parks and says what is missing, and it goes on when such a host comes.
import { ApplicationFailure } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEAT_MS, couldServe, isSilent } from '../../../evolution/hosts/hosts.ts';
import { EVALUATION_QUEUE, flagsFor, needsText, queueOf } from '../../../evolution/hosts/needs.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { HostDocument } from '../../store/documents/installation-documents.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { Store } from '../../store/store.ts';

type HostStore = Pick<Store, 'listHosts'>;
/** In this time a host that lives gives two signs of life. */
const LISTEN_MS = 2.5 * BEAT_MS;

export const createRequireHost = ({
  store,
  listenMs = LISTEN_MS,
}: {
  readonly store: HostStore;
  readonly listenMs?: number;
}): Pick<StoreActivities, 'requireHost'> => ({
  async requireHost({ queue }) {
    const before = await store.listHosts();
    const now = new Date();
    if (isServed(queue, before, (host) => !isSilent(host, now))) return;
    // A host whose clock has jumped looks silent, but its signs of life go on.
    await sleep(listenMs);
    const beatsBefore = new Map(before.map(({ _id, beats }) => [_id, beats]));
    if (isServed(queue, await store.listHosts(), ({ _id, beats }) => beats !== beatsBefore.get(_id))) return;
    throw ApplicationFailure.nonRetryable(
      `no host has ${needsText(queue)} (queue ${queue}): start one with \`${flagsFor(queue)}\``,
      'NoHost',
    );
  },
});

const isServed = (queue: string, hosts: readonly HostDocument[], lives: (host: HostDocument) => boolean): boolean =>
  couldServe(
    queue,
    hosts.filter((host) => host.role === 'evaluation' && lives(host)),
  );

/**
 * The queue on which the programs of a run wait for evaluation; null for that of all hosts. It is remembered before
 * anything is put on it, so that hosts find it.
 */
export const evaluationQueue = async (
  store: Pick<Store, 'needQueue' | 'setFields' | 'listHosts'>,
  { run, queue: known }: Pick<RunDocument, 'run' | 'queue'>,
  { needs = {} }: Pick<Task, 'needs'>,
): Promise<string | null> => {
  const queue = queueOf(needs);
  if (queue === EVALUATION_QUEUE) return null;
  await store.needQueue(queue);
  if (known !== queue) await store.setFields(run, { queue });
  await createRequireHost({ store }).requireHost({ run, queue });
  return queue;
};

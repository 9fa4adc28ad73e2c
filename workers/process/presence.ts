// Signs of life: a process writes now and then who it is, which role it has and what it offers, so that people and runs
// see which hosts are there. Nothing waits for it, and an unreachable database only makes the host look silent.
import { hostname, totalmem } from 'node:os';
import type { HostDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { packageVersion } from '../../deploy/host/home.ts';
import { BEAT_MS, isLongGone } from '../../evolution/hosts/hosts.ts';

/** The self-description of a role. */
export type About = {
  readonly role: 'engine' | 'model' | 'evaluation';
  readonly slots: number;
  readonly cores: number;
  readonly gpus: number;
  readonly labels: readonly string[];
  /** Left out where it is that of this machine. */
  readonly memoryBytes?: number;
};

/** `queues` is asked at each sign of life. `stop` takes the host from the list. */
export const announce = async (
  store: Store,
  about: About,
  namespaceId: string,
  queues: () => readonly string[],
): Promise<{ readonly stop: () => Promise<void> }> => {
  const host = hostname();
  const since = new Date();
  const _id = `${host}:${process.pid}:${about.role}`;
  let beats = 0;
  const beat = (): Promise<void> => {
    beats += 1;
    const document: HostDocument = {
      ...{ _id, run: '' as const, host, pid: process.pid, version: packageVersion(), since, seenAt: new Date(), beats },
      ...{ memoryBytes: totalmem(), ...about, queues: queues(), namespaceId },
    };
    return store.putHost(document);
  };
  await beat();
  await forgetOld(store);
  let beating: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    beating = beat().catch(() => undefined);
  }, BEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      await beating;
      await store.removeHosts([_id]).catch(() => undefined);
    },
  };
};

/** Hosts that were killed cannot say that they are gone. */
const forgetOld = async (store: Store): Promise<void> => {
  const gone = (await store.listHosts()).filter((one) => isLongGone(one, new Date()));
  await store.removeHosts(gone.map(({ _id }) => _id));
};

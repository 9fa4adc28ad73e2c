// The contract of the store, what hosts share: one secret whoever makes it first, queues that nobody loses who names
// them at the same time, and hosts that come and go.
import { describe, expect, it } from 'vitest';
import type { HostDocument } from '../../../activities/store/installation.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { World } from './steering-contract.ts';

export const installationContract = ({ backend, store }: Pick<World, 'backend' | 'store'>): void => {
  const restarted = (): Store => storeOver(backend().collections);

  describe('the installation', () => {
    it('has the secret that was offered first, for every process and after a restart', async () => {
      const offered = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
      const kept = await Promise.all(offered.map((secret) => restarted().drawSecret(secret)));
      expect(new Set(kept).size).toBe(1);
      expect(offered).toContain(kept[0]);
      expect(await restarted().readDrawSecret()).toBe(kept[0]);
    });

    it('remembers every queue that runs need, once, also when they are named at the same moment', async () => {
      const queues = ['evolve-eval-gpu', 'evolve-eval-fast', 'evolve-eval-gpu', 'evolve-eval-mem64'];
      await Promise.all(queues.map((queue) => restarted().needQueue(queue)));
      expect(await store().neededQueues()).toEqual([...new Set(queues)].sort());
    });

    it('lists hosts by their last sign of life, until they are removed', async () => {
      const host = (pid: number, beats: number): HostDocument => ({
        ...{ _id: `h:${pid}:evaluation`, run: '', host: 'h', pid, role: 'evaluation', version: '1', beats },
        ...{ since: new Date(0), seenAt: new Date(beats), queues: ['evolve-eval'], slots: 1, cores: 1 },
        ...{ memoryBytes: 1e9, gpus: 0, labels: ['fast'] },
      });
      for (const one of [host(1, 1), host(2, 1), host(1, 2)]) await store().putHost(one);
      expect(await restarted().listHosts()).toEqual([host(1, 2), host(2, 1)]);
      await store().removeHosts([host(1, 0)._id, 'nobody']);
      expect(await store().listHosts()).toEqual([host(2, 1)]);
      await store().removeHosts([host(2, 0)._id]);
    });
  });
};

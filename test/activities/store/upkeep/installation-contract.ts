// The contract of the store, what hosts share: one secret whoever makes it first, queues that nobody loses who names
// them at the same time, and hosts that come and go.
import { describe, expect, it } from 'vitest';
import type { HostDocument } from '../../../../activities/store/documents/installation-documents.ts';
import type { NoticeDocument } from '../../../../activities/store/documents/installation-documents.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { newRun } from '../fixtures.ts';
import type { World } from '../steps/steering-contract.ts';

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

    it('names the queues of runs that have not ended', async () => {
      const queues = ['evolve-eval-open', 'evolve-eval-over', 'evolve-eval-nobody'] as const;
      for (const queue of queues) await store().needQueue(queue);
      for (const [run, queue] of [
        ['one', queues[0]],
        ['two', queues[0]],
        ['three', queues[1]],
      ] as const) {
        await store().createRun(newRun(run));
        await store().setFields(run, { queue });
      }
      await store().createRun(newRun('four'));
      await store().setStatus('three', 'finished', {});
      await store().setStatus('two', 'needs attention', {});
      expect(await store().openQueues()).toEqual([queues[0]]);
      await store().setStatus('three', 'running', {});
      expect(await store().openQueues()).toEqual([queues[0], queues[1]]);
    });

    it('remembers the namespace of whoever claims it first, and moves only from the one that was read', async () => {
      const claim = (namespaceId: string) => ({
        ...{ namespaceId, namespace: 'default', address: 'temporal:7233', host: 'h', home: '/home' },
        since: new Date(0),
      });
      expect(await store().readEngine()).toBeNull();
      await Promise.all([claim('one'), claim('two')].map((one) => restarted().replaceEngine(null, one)));
      const first = (await store().readEngine())!;
      await store().replaceEngine(claim('another'), claim('three'));
      expect(await restarted().readEngine()).toEqual(first);
      await store().replaceEngine(first, claim('three'));
      expect(await store().readEngine()).toEqual(claim('three'));
    });

    it('keeps one shared key for an endpoint, whoever shares at the same moment', async () => {
      const key = (endpoint: string, sealed: string) => ({ endpoint, sealed });
      await Promise.all(
        ['a', 'b', 'c'].map((name) => restarted().changeSharedKeys({ put: [key(name, 'first')], remove: [] })),
      );
      await store().changeSharedKeys({ put: [key('b', 'second')], remove: ['c', 'nobody'] });
      expect(await restarted().sharedKeys()).toEqual([key('a', 'first'), key('b', 'second')]);
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

    it('has each notice once, and one process at a time that sends it', async () => {
      const notice = { id: 'n', event: 'ended', kind: 'run', name: 'a', at: '', text: '' } as const;
      const document: NoticeDocument = {
        ...{ _id: 'n', run: '', name: 'a', event: 'ended', at: new Date(5), claimedAt: new Date(6), notice },
        ...{ state: 'open', attempts: 0, nextAt: new Date(6), error: null },
      };
      expect(await store().noticesSince(new Date(3))).toEqual(new Date(3));
      expect(await restarted().noticesSince(new Date(9))).toEqual(new Date(3));
      const claims = await Promise.all([1, 2, 3].map(() => restarted().claimNotice(document)));
      expect(claims.filter((claimed) => claimed)).toHaveLength(1);
      const moves = await Promise.all(
        [1, 2, 3].map(() => restarted().moveNotice(document, { state: 'sent', attempts: 1 })),
      );
      expect(moves.filter((moved) => moved)).toHaveLength(1);
      expect(await store().listNotices({ state: 'open' })).toEqual([]);
      expect(await store().listNotices({ name: 'a' })).toEqual([{ ...document, state: 'sent', attempts: 1 }]);
    });

    it('knows which runs need attention and which ended since', async () => {
      const since = new Date('2099-01-01T00:00:00Z');
      const parked = { since: '2099-01-01T00:00:00.000Z', tries: 1, next: null, trying: false };
      const runs = ['told-parked', 'told-ended', 'told-before'].map((run) => newRun(run));
      for (const run of runs) await store().createRun(run);
      await store().setStatus('told-parked', 'needs attention', { parked });
      await store().setStatus('told-ended', 'finished', { endedAt: new Date('2099-01-02T00:00:00Z') });
      await store().setStatus('told-before', 'finished', { endedAt: new Date('2098-01-02T00:00:00Z') });
      const found = await store().noticeable(since);
      expect(found.parked.filter(({ run }) => run.startsWith('told-'))).toMatchObject([{ run: 'told-parked', parked }]);
      expect(found.ended).toMatchObject([
        { run: 'told-ended', endedAt: new Date('2099-01-02T00:00:00Z'), sweep: null },
      ]);
      expect(found.sweeps).toEqual([]);
    });
  });
};

// Queues that an evaluation host asks for work: those that open runs need, not longer than they do, and never twice at
// once.
import { expect, it } from 'vitest';
import { followQueues } from '../../../workers/roles/followed-queues.ts';

const played = () => {
  let atMs = 0;
  let needed: readonly string[] = [];
  let away = false;
  const workers: { readonly queue: string; state: string }[] = [];
  const queues = followQueues({
    always: ['all'],
    needed: async () => needed,
    now: () => atMs,
    async workerFor(queue) {
      if (away) throw new Error('away');
      const one = { queue, state: 'RUNNING' };
      workers.push(one);
      return { getState: () => one.state as never, shutdown: () => void (one.state = 'DRAINING') };
    },
  });
  return {
    workers,
    polled: () => workers.filter(({ state }) => state === 'RUNNING').map(({ queue }) => queue),
    async look(now: readonly string[], afterMs = 5_000) {
      atMs += afterMs;
      needed = now;
      return queues.look();
    },
    serverIsAway: (is: boolean) => void (away = is),
  };
};

it('are left once no open run has needed them for a minute, and taken up again', async () => {
  const host = played();
  await host.look(['a', 'b']);
  expect(host.polled()).toEqual(['all', 'a', 'b']);
  await host.look(['b'], 50_000);
  await host.look(['a', 'b']);
  await host.look(['b'], 50_000);
  expect(host.polled()).toEqual(['all', 'a', 'b']);
  await host.look(['b'], 10_000);
  expect(host.polled()).toEqual(['all', 'b']);
  // While the old one drains, there is no second one.
  expect(await host.look(['a', 'b'])).toEqual([]);
  host.workers.find(({ queue }) => queue === 'a')!.state = 'STOPPED';
  await host.look(['a', 'b']);
  expect(host.polled()).toEqual(['all', 'b', 'a']);
});

it('that could not be taken up are tried at the next look, and the others are served', async () => {
  const host = played();
  await host.look(['a']);
  host.serverIsAway(true);
  expect(await host.look(['a', 'b'])).toMatchObject([{ status: 'rejected' }]);
  host.serverIsAway(false);
  await host.look(['a', 'b']);
  expect(host.polled()).toEqual(['all', 'a', 'b']);
});

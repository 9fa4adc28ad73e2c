// Slots for evaluations: never more activities in hand than a host can do soon, all given back, and no queue that keeps
// another one out. What an engine on another machine has.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as settled } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Aside } from '../../../activities/llm/rates/aside.ts';
import { engineMachine, evaluationSlots, modelSlots } from '../../../workers/process/tuning.ts';

const QUEUE = 'evolve-eval';
const played = (all: number) => {
  let waiting = 0;
  let fewer = (): void => undefined;
  const slots = evaluationSlots({ all, waiting: () => waiting, onFewer: (listener) => (fewer = listener) });
  const context = (taskQueue: string) => ({ taskQueue, slotType: 'activity' }) as never;
  return {
    reserve: (queue = QUEUE, signal = new AbortController().signal) => slots.reserveSlot(context(queue), signal),
    now: (queue = QUEUE) => slots.tryReserveSlot(context(queue)),
    use: (permit: object) => slots.markSlotUsed({ permit } as never),
    end: (permit: object) => slots.releaseSlot({ permit }),
    programsWait(count: number) {
      const less = count < waiting;
      waiting = count;
      if (less) fewer();
    },
  };
};

it('holds at most twice as many activities as cores, and gives what ended to whoever asked first', async () => {
  const slots = played(2);
  const held = await Promise.all([1, 2, 3, 4].map(() => slots.reserve()));
  expect(slots.now()).toBeNull();
  const served: string[] = [];
  const leaving = new AbortController();
  const gone = slots.reserve(QUEUE, leaving.signal);
  const fifth = slots.reserve().then((permit) => (served.push('fifth'), permit));
  const sixth = slots.reserve().then((permit) => (served.push('sixth'), permit));
  leaving.abort();
  await expect(gone).rejects.toThrow();
  expect(served).toEqual([]);
  slots.use(held[0]!);
  slots.end(held[0]!);
  await settled();
  expect(served).toEqual(['fifth']);
  // One that no work came for is given back, too.
  slots.end(held[1]!);
  await settled();
  expect(served).toEqual(['fifth', 'sixth']);
  for (const permit of [held[2]!, held[3]!, await fifth, await sixth]) slots.end(permit);
  expect([1, 2, 3, 4].map(() => slots.now())).not.toContain(null);
  expect(slots.now()).toBeNull();
});

it('takes nothing more while as many programs wait as run, whatever number of programs an activity brings', async () => {
  const slots = played(2);
  slots.use(slots.now()!);
  slots.programsWait(2);
  expect(slots.now()).toBeNull();
  let served = false;
  const next = slots.reserve().then((permit) => ((served = true), permit));
  await settled();
  expect(served).toBe(false);
  slots.programsWait(1);
  expect(await next).toBeTruthy();
});

it('slots that wait for work at one queue keep no other queue out', () => {
  const slots = played(1);
  expect([slots.now(), slots.now(), slots.now()].map((permit) => permit !== null)).toEqual([true, true, false]);
  const other = slots.now('evolve-eval-avx512')!;
  expect(other).not.toBeNull();
  // What is in hand counts for all.
  slots.use(other);
  expect(slots.now('evolve-eval-fast')).not.toBeNull();
  expect(slots.now('evolve-eval-fast')).toBeNull();
});

it('activities that wait for a rate take no slots of models, as far as a worker may hold more', async () => {
  const aside = new Aside();
  const slots = modelSlots({ most: 2, inFlight: 2 }, aside);
  const context = { taskQueue: 'evolve-llm', slotType: 'activity' } as never;
  const now = (): object | null => slots.tryReserveSlot(context);
  const rated = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
  /** An activity two requests of which wait for their rate. */
  const waits = (at: number) =>
    new MockActivityEnvironment({ activityId: String(at) }).run(() =>
      Promise.all([1, 2].map(() => aside.during(() => rated[at]!.promise))),
    );
  const held = [now(), now()];
  expect([...held, now()].map((permit) => permit !== null)).toEqual([true, true, false]);
  const next = slots.reserveSlot(context, new AbortController().signal);
  const activities = [waits(0)];
  expect(await next).not.toBeNull();
  expect(now()).toBeNull();
  for (let at = 1; at < 8; at++) activities.push(waits(at));
  // Two, and three times as many that wait.
  expect(Array.from({ length: 6 }, now).filter((permit) => permit !== null)).toHaveLength(5);
  for (const { resolve } of rated) resolve();
  await Promise.all(activities);
  expect(aside.waiting()).toBe(0);
  slots.releaseSlot({ permit: held[0]! } as never);
  expect(now()).toBeNull();
});

it('no activity of models is taken in hand while half as many requests wait for a place as there are places', async () => {
  const aside = new Aside();
  const slots = modelSlots({ most: 8, inFlight: 4 }, aside);
  const context = { taskQueue: 'evolve-llm', slotType: 'activity' } as never;
  const placed = [1, 2].map(() => Promise.withResolvers<void>());
  const requests = placed.map(({ promise }) => aside.place(() => promise));
  expect(slots.tryReserveSlot(context)).toBeNull();
  const next = slots.reserveSlot(context, new AbortController().signal);
  placed[0]!.resolve();
  expect(await next).not.toBeNull();
  placed[1]!.resolve();
  await Promise.all(requests);
});

it('an engine on another machine says what it has; what is free there is not known', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify({ NCPU: 96, MemTotal: 5e11 })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  // An address of this machine that does not look like one.
  const far = await engineMachine(`tcp://0.0.0.0:${port}`);
  expect(far).toMatchObject({ cores: 96, memoryBytes: 5e11 });
  expect(far.freeBytes()).toBeNull();
  const near = await engineMachine('unix:///var/run/docker.sock');
  expect(near.freeBytes()).toBeGreaterThan(0);
});

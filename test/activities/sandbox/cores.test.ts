// Cores and memory of an evaluation host: never more programs than both allow, everything given back, and a person's
// run before a sweep's.
import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Cores } from '../../../activities/sandbox/host/cores.ts';

const GIB = 2 ** 30;
const never = new AbortController().signal;

/** Programs that run until they are told to end. */
const hostOf = (machine: ConstructorParameters<typeof Cores>[0]) => {
  const cores = new Cores(machine);
  const running = new Map<string, (peakBytes: number | null) => void>();
  const begin = (name: string, wanted: { cores?: number; memoryBytes?: number } = {}, signal = never) =>
    cores.given({ cores: 1, memoryBytes: GIB, ...wanted }, signal, async (core) => {
      const { promise, resolve } = Promise.withResolvers<number | null>();
      running.set(name, resolve);
      const peakBytes = await promise;
      running.delete(name);
      return { core, peakBytes };
    });
  const end = async (name: string, peakBytes: number | null = null): Promise<void> => {
    running.get(name)!(peakBytes);
    await settled();
  };
  return { cores, begin, end, names: () => [...running.keys()] };
};

it('gives no more cores than there are, to whoever goes first by priority, and takes all back', async () => {
  let priority = 3;
  const { cores, begin, end, names } = hostOf({ cores: 2, priorityOf: () => priority });
  let fewer = 0;
  cores.onFewer(() => (fewer += 1));
  const sweep = ['a', 'b', 'c'].map((name) => begin(name));
  priority = 2;
  const person = begin('person');
  await settled();
  expect(names()).toEqual(['a', 'b']);
  expect(cores.waiting()).toBe(2);
  await end('a');
  expect(names()).toEqual(['b', 'person']);
  await end('b');
  expect(names()).toEqual(['person', 'c']);
  expect([cores.waiting(), fewer]).toEqual([0, 4]);
  await end('person');
  await end('c');
  const used = await Promise.all([...sweep, person]);
  expect(used.map(({ core }) => core).sort()).toEqual([0, 0, 1, 1]);
});

it('a program that fails or is given up gives its core back', async () => {
  const { cores, begin, end, names } = hostOf({ cores: 1 });
  await expect(
    cores.given({ cores: 1, memoryBytes: GIB }, never, () => Promise.reject(new Error('no container'))),
  ).rejects.toThrow('no container');
  const first = begin('first');
  const leaving = new AbortController();
  const second = begin('second', {}, leaving.signal);
  await settled();
  leaving.abort();
  await expect(second).rejects.toThrow();
  expect(cores.waiting()).toBe(0);
  await end('first');
  await first;
  const third = begin('third');
  await settled();
  expect(names()).toEqual(['third']);
  await end('third');
  await third;
});

it('a second program waits for memory, by its limit at first and then by what such programs took', async () => {
  let free = 1.5 * GIB;
  const { cores, begin, end, names } = hostOf({ cores: 4, freeBytes: () => free });
  const large = { memoryBytes: 2 * GIB };
  // Nothing runs yet, so the first one does not wait for what may never come.
  const first = begin('first', large);
  const second = begin('second', large);
  await settled();
  expect(names()).toEqual(['first']);
  expect(cores.waiting()).toBe(1);
  await end('first', GIB);
  await first;
  await expect.poll(names).toEqual(['second']);
  const third = begin('third', large);
  await settled();
  expect(names()).toEqual(['second', 'third']);
  free = GIB / 2;
  const fourth = begin('fourth', large);
  await settled();
  expect(names()).toEqual(['second', 'third']);
  free = GIB;
  await expect.poll(names).toEqual(['second', 'third', 'fourth']);
  for (const name of names()) await end(name);
  await Promise.all([second, third, fourth]);
});

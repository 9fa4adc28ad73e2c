// So many executions at a time, in the order in which they asked; one that uses several cores counts as so many.
import { expect, test } from 'vitest';
import { Permits } from '../../../activities/sandbox/host/permits.ts';

const never = new AbortController().signal;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('those that ask wait their turn, and one for several cores until so many are free', async () => {
  const permits = new Permits(2);
  const done: string[] = [];
  const asked = (name: string, count?: number): Promise<() => void> =>
    permits.acquire(never, { count: count ?? 1 }).then((release) => {
      done.push(name);
      return release;
    });
  const [first, second] = [await asked('first'), await asked('second')];
  const [both, fourth] = [asked('both', 2), asked('fourth')];
  first();
  first();
  await tick();
  expect(done).toEqual(['first', 'second']);
  second();
  const release = await both;
  expect(done).toEqual(['first', 'second', 'both']);
  release();
  (await fourth)();
  // More than there are is all that there are.
  (await permits.acquire(never, { count: 5 }))();
});

test('it is known how many are free, and how many wait', async () => {
  const permits = new Permits(3);
  const release = await permits.acquire(never, { count: 2 });
  const waiting = permits.acquire(never, { count: 2 });
  expect(permits.standing()).toEqual({ free: 1, waiting: 1 });
  release();
  (await waiting)();
  expect(permits.standing()).toEqual({ free: 3, waiting: 0 });
});

test('one that gives up makes room for those behind it', async () => {
  const permits = new Permits(2);
  const release = await permits.acquire(never);
  const leaving = new AbortController();
  const wide = permits.acquire(leaving.signal, { count: 2 });
  const narrow = permits.acquire(never);
  leaving.abort(new Error('left'));
  await expect(wide).rejects.toThrow('left');
  (await narrow)();
  release();
});

test("a person's run goes before what a sweep asked for earlier, and neither overtakes its own", async () => {
  let priority = 3;
  const permits = new Permits(1, () => priority);
  const release = await permits.acquire(never);
  const done: string[] = [];
  const all = (['sweep 1', 'person 1', 'sweep 2', 'person 2'] as const).map(async (name) => {
    priority = name.startsWith('person') ? 2 : 3;
    const end = await permits.acquire(never);
    done.push(name);
    end();
  });
  release();
  await Promise.all(all);
  expect(done).toEqual(['person 1', 'person 2', 'sweep 1', 'sweep 2']);
});

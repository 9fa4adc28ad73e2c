// Places of a run among the requests in flight: when a request may be booked.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Places } from '../../../../activities/llm/chat/places.ts';

const { signal } = new AbortController();

it('are booked at once while a place is empty, and else with those that come soon after', async () => {
  const { places, next } = new Places().of('r', 6);
  const taken = await Promise.all(Array.from({ length: 5 }, () => places.acquire(signal)));
  const soon = await Promise.race([next.acquire(signal), sleep(10).then(() => null)]);
  expect(soon).not.toBeNull();
  taken.push(await places.acquire(signal));

  const order: string[] = [];
  const one = next.acquire(signal).then(() => order.push('one'));
  setTimeout(() => order.push('later'), 10);
  const other = sleep(10).then(async () => {
    await next.acquire(signal);
    order.push('other');
  });
  await Promise.all([one, other]);
  expect(order).toEqual(['later', 'one', 'other']);
});

it('are booked for half of the places, and no more', async () => {
  const { next } = new Places().of('r', 6);
  const leave = await Promise.all(Array.from({ length: 3 }, () => next.acquire(signal)));
  const fourth = next.acquire(signal).then(() => 'booked');
  expect(await Promise.race([fourth, sleep(60).then(() => 'waits')])).toBe('waits');
  leave[0]!();
  expect(await fourth).toBe('booked');
});

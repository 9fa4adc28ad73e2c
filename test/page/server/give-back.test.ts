import { afterEach, expect, it, vi } from 'vitest';
import { giveBackMemory } from '../../../page/server/start/give-back.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('collects all that is of no use after the server has grown, and only then', () => {
  vi.useFakeTimers();
  let resident = 70e6;
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => resident);
  const collect = vi.fn<() => void>(() => {
    resident = 72e6;
  });
  vi.stubGlobal('gc', collect);
  giveBackMemory();
  resident = 73e6;
  vi.advanceTimersByTime(120_000);
  expect(collect).not.toHaveBeenCalled();
  resident = 90e6;
  vi.advanceTimersByTime(30_000);
  expect(collect).toHaveBeenCalledOnce();
  // What stayed is in use.
  vi.advanceTimersByTime(120_000);
  expect(collect).toHaveBeenCalledOnce();
  resident = 80e6;
  vi.advanceTimersByTime(30_000);
  expect(collect).toHaveBeenCalledTimes(2);
});

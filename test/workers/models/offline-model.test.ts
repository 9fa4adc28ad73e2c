// The offline model as a thread of a worker process, which is there only while the process has work.
import { afterEach, expect, it, vi } from 'vitest';
import { hands } from '../../../workers/process/again.ts';

const LONG_MS = 3_600_000;
afterEach(() => vi.useRealTimers());

it('is started when it is asked for, ends when the process has nothing to do, and is started again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { startOfflineModel } = await import('../../../workers/models/offline-model.ts');
  const answers = (url: string): Promise<boolean> =>
    fetch(`${url}/models`).then(
      ({ ok }) => ok,
      () => false,
    );
  const first = await startOfflineModel();
  expect(await startOfflineModel()).toBe(first);
  await hands.hold(async () => {
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(await answers(first)).toBe(true);
  });
  vi.advanceTimersByTime(LONG_MS);
  await vi.waitFor(async () => expect(await answers(first)).toBe(false));
  expect(await answers(await startOfflineModel())).toBe(true);
});

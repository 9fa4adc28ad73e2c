// A heartbeat of an activity carries what the activity tells, and nothing where it tells nothing.
import type { Context } from '@temporalio/activity';
import { afterEach, expect, test, vi } from 'vitest';
import { tellInHeartbeats } from '../../../activities/telemetry/heartbeat-details.ts';
import { heartbeating } from '../../../workers/process/process.ts';

afterEach(() => void vi.useRealTimers());

test('heartbeats tell what programs print, as it is then', async () => {
  vi.useFakeTimers();
  const sent: unknown[][] = [];
  const context = { heartbeat: (...details: unknown[]) => sent.push(details) } as unknown as Context;
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = heartbeating(context).inbound.execute!({ args: [], headers: {} }, () => promise);
  await vi.advanceTimersByTimeAsync(3_000);
  let line = 'epoch 1';
  tellInHeartbeats(context, () => [line]);
  await vi.advanceTimersByTimeAsync(3_000);
  line = 'epoch 2';
  await vi.advanceTimersByTimeAsync(3_000);
  resolve();
  await work;
  await vi.advanceTimersByTimeAsync(9_000);
  expect(sent).toEqual([[], [['epoch 1']], [['epoch 2']]]);
});

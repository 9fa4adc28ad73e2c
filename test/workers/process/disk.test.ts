// A worker parks what it would write to a nearly full disk, with how much is needed, and goes on when there is room.
import type { ApplicationFailure, Context } from '@temporalio/activity';
import { MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { leastFree, shortage, type Space } from '../../../deploy/host/space.ts';
import { sparingDisk } from '../../../workers/process/disk.ts';

const GB = 1e9;

/** Runs an activity behind the interceptor, on a disk that says what `space` is at that time. */
const worker = (disk: { space: Space }) => {
  const factory = () =>
    sparingDisk({ directory: '/data', least: leastFree({ EVOLVE_LEAST_FREE: '2GB' }), look: async () => disk.space });
  return async (activityType: string, work: () => Promise<unknown> = async () => 'done'): Promise<unknown> => {
    const { inbound } = factory()({ info: { activityType } } as Context);
    return inbound!.execute!({ args: [], headers: {} }, work);
  };
};
const failure = async (work: Promise<unknown>): Promise<ApplicationFailure> =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error as ApplicationFailure,
  );

describe('a worker on a nearly full disk', () => {
  it('begins nothing that writes, says how much is needed, and goes on when there is room', async () => {
    const disk = { space: { free: 0.5 * GB, total: 100 * GB } };
    const run = worker(disk);
    const refused = await failure(run('commitStep'));
    expect(refused).toMatchObject({ type: 'NoSpace', nonRetryable: true });
    expect(refused.message).toContain('/data is nearly full: 500 MB free, 2.0 GB needed: make room for 1.5 GB');
    expect(await run('markRun')).toBe('done');
    disk.space = { free: 3 * GB, total: 100 * GB };
    expect(await run('commitStep')).toBe('done');
  });

  it('is told by a server on another machine, too', async () => {
    const run = worker({ space: { free: 9 * GB, total: 100 * GB } });
    const full = new MongoServerError({ message: 'available disk space is below 500 MB', code: 14_031 });
    const parked = await failure(run('commitStep', async () => Promise.reject(new Error('commit', { cause: full }))));
    expect(parked).toMatchObject({ type: 'NoSpace', nonRetryable: true });
    expect(parked.message).toMatch(/the disk of the database is full \(available disk space/);
    const other = new Error('reset');
    await expect(run('commitStep', async () => Promise.reject(other))).rejects.toBe(other);
  });
});

describe('EVOLVE_LEAST_FREE', () => {
  it.each([
    [undefined, { free: 0.9 * GB, total: 64 * GB }, true],
    [undefined, { free: 0.9 * GB, total: 10 * GB }, false],
    ['5%', { free: 4 * GB, total: 100 * GB }, true],
    ['500MB', { free: 0.6 * GB, total: 100 * GB }, false],
  ])('%s with %o', (setting, space, short) => {
    expect(shortage('/data', space, leastFree({ EVOLVE_LEAST_FREE: setting })) !== null).toBe(short);
  });

  it.each(['2', '-1GB', '95%', 'much'])('refuses %s with what was expected', (text) => {
    expect(() => leastFree({ EVOLVE_LEAST_FREE: text })).toThrow(/^EVOLVE_LEAST_FREE: expected .* 500MB, 2GB or 5%/);
  });
});

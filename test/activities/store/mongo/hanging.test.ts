// A database that hangs - accepts, and answers no more - is an error after a while, not a wait without end; when it
// goes on, so does the store.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { connectStore } from '../../../../activities/store/mongo/connect-store.ts';
import { startDatabase } from '../database.ts';
import { newRun } from '../fixtures.ts';

it('a database that hangs is an error, and nothing is lost', async ({ skip }) => {
  const database = await startDatabase();
  try {
    const { pid } = database;
    if (pid === null) return skip("MONGODB_URI names a database that is not the test's to stop");
    const store = await connectStore({ uri: database.uri, log: () => undefined, socketTimeoutMs: 500 });
    const run = 'hanging';
    await store.createRun(newRun(run));
    process.kill(pid, 'SIGSTOP');
    await sleep(300);
    try {
      const answer = await Promise.race([
        store.readRun(run).then(
          () => 'answered',
          (error: Error) => error,
        ),
        sleep(600_000, 'waits', { ref: false }),
      ]);
      expect(answer).toBeInstanceOf(Error);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await store.readRun(run)).toMatchObject({ run });
    await store.close();
  } finally {
    await database.stop();
  }
});

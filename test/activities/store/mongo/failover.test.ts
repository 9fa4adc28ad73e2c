// The failover of a replica set in the middle of a run's commits: the driver and our store over it, a set that is played.
import { expect, it } from 'vitest';
import { connectStore } from '../../../../activities/store/mongo/connect-store.ts';
import { replicaSetTo } from '../../../support/machine/replica-set.ts';
import { startDatabase } from '../database.ts';
import { collect, commitOf, newRun } from '../fixtures.ts';

const RUN = 'failover';
const STEPS = 9;

it('another primary, after one that is gone and one that steps down, loses no commit and makes none twice', async ({
  skip,
}) => {
  const database = await startDatabase();
  if (database.pid === null) return skip('MONGODB_URI names a database of its own kind');
  const set = await replicaSetTo(Number(new URL(database.uri).port));
  const store = await connectStore({ uri: set.uri, log: () => undefined });
  try {
    await store.createRun(newRun(RUN));
    const commit = async (step: number): Promise<void> => {
      await store.commit(commitOf(RUN, step, await store.openStep(RUN, step, 'w')));
    };
    // As an activity is tried again.
    const until = async (work: () => Promise<void>): Promise<void> => {
      for (let tries = 0; ; tries += 1)
        try {
          return await work();
        } catch (error) {
          if (tries === 20) throw error;
        }
    };
    for (let step = 0; step < STEPS; step += 1) {
      const change = step === 3 ? set.failOver(1_000) : step === 6 ? set.stepDown() : undefined;
      await until(() => commit(step));
      await change;
    }
    expect(await store.readRun(RUN)).toMatchObject({ committedStep: STEPS - 1 });
    const made = (await collect(store.eachProgram(RUN))).map(({ step, slot }) => `${step}:${slot}`);
    const slots = Array.from({ length: STEPS }, (_, step) => commitOf(RUN, step, 1).programs).flat();
    expect(made).toEqual(slots.map(({ step, slot }) => `${step}:${slot}`));
  } finally {
    await store.close();
    await set.stop();
    await database.stop();
  }
});

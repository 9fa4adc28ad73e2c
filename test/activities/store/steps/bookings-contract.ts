// The contract of the store, bookings: a request that left counts exactly once, answered or not, whatever was killed
// between sending, storing and settling.
import { describe, expect, it } from 'vitest';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId } from '../../../../evolution/ids.ts';
import { booking, commitOf, newRun, prompt, rollout } from '../fixtures.ts';
import type { World } from './steering-contract.ts';

export const bookingsContract = ({ backend, store, freshRun }: World): void => {
  const restarted = (): Store => storeOver(backend().collections);
  const AFTER = new Date(Date.UTC(2026, 10, 2));
  const DURING = new Date(Date.UTC(2026, 10, 1, 0, 0, 30));
  const sums = async (run: string, now: Date) => {
    const { requests, waiting, tokens, costUsd, estimated } = await restarted().unanswered(run, now);
    expect(await restarted().owed(run, now)).toEqual({ requests, tokens, costUsd });
    return { requests, waiting, tokens: tokens.in + tokens.out, costUsd, estimated };
  };
  const nothing = { requests: 0, waiting: 0, tokens: 0, costUsd: 0, estimated: 0 };

  describe('bookings', () => {
    it('are there once for each sending, in the order of sending, and of one answer alone', async () => {
      const run = freshRun();
      expect(await store().book(booking(run, 0))).toBe(true);
      expect(await restarted().book({ ...booking(run, 0), model: 'another' })).toBe(false);
      for (const sending of [2, 3, 19]) expect(await store().book(booking(run, 0, { sending }))).toBe(true);
      await store().book(booking(run, 1));
      await store().book(booking(run, 0, { stage: 'embedding' }));
      const { answer } = booking(run, 0);
      const found = await restarted().bookingsFor('program', answer);
      expect(found.map(({ sending }) => sending)).toEqual([1, 2, 3, 19]);
      expect(found[0]).toEqual(booking(run, 0));
      expect(await store().bookingsFor('embedding', answer)).toEqual([booking(run, 0, { stage: 'embedding' })]);
      expect(await store().bookingsFor('idea', 'nobody')).toEqual([]);
    });

    it('count once their time-out is over, or when they are known to have no answer; before, they are on their way', async () => {
      const run = freshRun();
      await store().book(booking(run, 0));
      await store().book(booking(run, 1));
      expect(await sums(run, DURING)).toEqual({ ...nothing, waiting: 2 });
      await store().keepBooking({
        ...booking(run, 1),
        state: 'unanswered',
        reason: 'cut off',
        usage: { in: 70, out: 30 },
        costUsd: 0.5,
        estimated: false,
      });
      expect(await sums(run, DURING)).toEqual({ requests: 1, waiting: 1, tokens: 100, costUsd: 0.5, estimated: 0 });
      expect(await sums(run, AFTER)).toEqual({ requests: 2, waiting: 0, tokens: 150, costUsd: 0.75, estimated: 1 });
      await store().settleBookings([booking(run, 0)._id, booking(run, 1)._id]);
      expect(await sums(run, AFTER)).toEqual(nothing);
    });

    it('of a worker that was killed between storing and settling count as their answer, and not besides', async () => {
      const run = freshRun();
      await store().book(booking(run, 0));
      await store().book(booking(run, 1));
      await store().book(booking(run, 1, { sending: 2 }));
      await store().putRollouts([rollout(run, 1, 0), { ...rollout(run, 1, 1), sending: 2 }]);
      // Of slot 1, the first sending was answered by nobody.
      expect((await restarted().unanswered(run, AFTER)).bookings).toEqual([booking(run, 1)]);
      const call = { run, step: 1, epoch: 0, group: 0, reasoning: null, model: 'm', finishReason: null, costUsd: 0 };
      await store().book({ ...booking(run, 0, { stage: 'idea' }), _id: 'idea#0001', answer: `${run}:idea` });
      await store().putCalls([
        { ...call, _id: `${run}:idea`, stage: 'idea', response: '0'.repeat(64), usage: { in: 1, out: 1 } },
      ]);
      expect((await restarted().unanswered(run, AFTER)).bookings).toEqual([booking(run, 1)]);
    });

    it('are of their run alone, and older runs have none', async () => {
      const [run, other] = [freshRun(), freshRun()];
      await store().book(booking(run, 0));
      expect(await sums(other, AFTER)).toEqual(nothing);
      expect(await sums(run, AFTER)).toMatchObject({ requests: 1 });
    });

    it('count in what the run has paid by now, with what is stored for a step that is not committed', async () => {
      const run = freshRun();
      await store().createRun(newRun(run));
      await store().commit(commitOf(run, 0, await store().openStep(run, 0, 'w')));
      const before = await store().paidNow(run, AFTER);
      await store().openStep(run, 1, 'w');
      await store().putPrompts([prompt(run, 1, 0)]);
      await store().putRollouts([rollout(run, 1, 0)]);
      await store().book(booking(run, 1));
      expect(await restarted().paidNow(run, AFTER)).toEqual({
        programs: before.programs + 1,
        tokens: before.tokens + 120 + 50,
        costUsd: before.costUsd + 0.25,
      });
      // A rewind and a request for other answers change nothing of it.
      await store().resample(run, 1, 'me');
      expect((await restarted().paidNow(run, AFTER)).tokens).toBe(before.tokens + 120 + 50);
      await store().createFork({ ...newRun(`${run}-fork`), from: run, step: 0 });
      expect((await restarted().paidNow(`${run}-fork`, AFTER)).tokens).toBe(before.tokens);
      expect(booking(run, 1).answer).toBe(programId(run, 1, 0, 1));
    });
  });
};

// Activities `awaitRuns` and `markSweep`: how a sweep follows its runs. Run documents say how far they are, the engine whether they are open.
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { restOf } from '../../evolution/sweep/reasons.ts';
import type { SweepActivities, SweptRun } from '../interface.ts';
import { missing } from '../step-summary.ts';
import type { RunDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export type AwaitRunsDeps = {
  readonly store: Pick<Store, 'readRun' | 'setSweep'>;
  /** Whether the run's workflow is open. */
  readonly isOpen: (run: string) => Promise<boolean>;
  readonly pollMs?: number; readonly patienceMs?: number;
};

const ROUNDS_BETWEEN_LOOKS = 10;
const hasEnded = ({ status }: RunDocument): boolean => status === 'finished' || status === 'stopped';

export const createAwaitRuns = ({ store, isOpen, pollMs = 1_000, patienceMs = 20_000 }: AwaitRunsDeps): Pick<SweepActivities, 'awaitRuns' | 'markSweep'> => ({
  async awaitRuns({ runs, known }) {
    const { cancellationSignal } = Context.current();
    const deadline = Date.now() + patienceMs;
    const open = new Map<string, boolean>();
    for (let round = 0; ; round += 1) {
      const seen = await Promise.all(runs.map(async (run) => {
        const document = await store.readRun(run);
        if (!document) throw missing(`run ${run}`);
        // Most runs are under way most of the time: the engine is asked about them now and then.
        if (round % ROUNDS_BETWEEN_LOOKS === 0 || hasEnded(document)) open.set(run, await isOpen(run));
        return swept(document, open.get(run)!);
      }));
      if (Date.now() >= deadline || seen.some(({ run, state }) => state !== known[run])) return seen;
      await sleep(pollMs, undefined, { signal: cancellationSignal });
    }
  },
  async markSweep({ sweep, status, stopReason }) {
    await store.setSweep(sweep, { status, stopReason: stopReason ?? null, endedAt: status === 'finished' || status === 'stopped' ? new Date() : null });
  },
});

/** A run has ended when its document says so and its workflow is closed: one that is being started again still has the old word. */
const swept = (document: RunDocument, open: boolean): SweptRun => {
  const { run, status, stopReason, totals, best } = document;
  const ended = hasEnded(document);
  return {
    run, state: open ? 'alive' : ended ? 'ended' : status === 'queued' ? 'queued' : 'lost',
    attention: status === 'needs attention', programs: totals.programs, best: best?.score ?? null, rung: ended ? restOf(stopReason) : null,
  };
};

// A run whose steps are sent to trackers: a store in memory that grows and is rewound, and engine workers that look.
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Trackers } from '../../../deploy/servers/trackers.ts';
import { type Tracker, Tracking, trackersOf } from '../../../workers/tracking/tracking.ts';
import { commitOf, config, newRun, program, SLOTS, totals } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

const BEST = 'def best():\n    return "ü"\n';

export class TrackedRun {
  readonly store: Store = storeOver(memoryCollections());
  nowMs = Date.UTC(2026, 10, 2);
  readonly id: string;

  private constructor(id: string) {
    this.id = id;
  }

  static async of(id: string, lastStep: number, own = config()): Promise<TrackedRun> {
    const tracked = new TrackedRun(id);
    await tracked.store.createRun({ ...newRun(id), config: own });
    await tracked.grow(0, lastStep);
    return tracked;
  }

  /** An owner of its own begins a step that was there already, which rewinds the run. */
  async grow(from: number, to: number, owner = 'w'): Promise<void> {
    const [code] = await this.store.putTexts([BEST]);
    for (let step = from; step <= to; step += 1) {
      const generation = await this.store.openStep(this.id, step, owner);
      const made = { failures: { no_diff: step }, costUsd: step / 3 };
      const programs = Array.from({ length: SLOTS }, (_, slot) =>
        program(this.id, step, slot, generation, { code: code! }),
      );
      await this.store.commit({
        ...{ ...commitOf(this.id, step, generation), programs },
        totals: { ...totals(step), programs: 2 * SLOTS * step, ...made },
      });
    }
  }

  async end(status: 'finished' | 'stopped' | 'terminated' = 'finished', stopReason = 'steps'): Promise<void> {
    await this.store.setStatus(this.id, status, { stopReason, endedAt: new Date(Date.UTC(2026, 10, 3)) });
  }

  /** A worker that has no memory of what others did. */
  worker(named: Trackers, env: NodeJS.ProcessEnv = {}, change = (tracker: Tracker): Tracker => tracker): Tracking {
    return new Tracking({
      ...{ store: this.store, trackers: () => trackersOf(named, env).map(change), now: () => this.nowMs },
      redact: (text) => text.replaceAll('sk-secret', '[key removed]'),
      loadTask: () => Promise.reject(new Error('no task')),
      report: ({ run, best }) => ({ run, best }),
    });
  }

  later(ms = 600_000): void {
    this.nowMs += ms;
  }

  async error(): Promise<string | null> {
    return (await this.store.listTracking())[0]!.error;
  }
}

/** The tracker has what it was sent, and the sender dies before that is written down. */
export const dying = (tracker: Tracker): Tracker => ({
  ...tracker,
  send: async (tracked) => {
    await tracker.send(tracked);
    throw new Error('killed');
  },
});

// What the engine's worker looks up of runs and of the disk when somebody asks for its metrics. It costs nothing where
// nobody does.
import { statfs } from 'node:fs/promises';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { gaugeAt } from '../../activities/telemetry/metrics.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import type { MetricsRegistry } from './registry.ts';

type Runs = Pick<Store, 'listRuns' | 'committedAt'>;

/** The kind of a failure stands before its words (`explain` in workflows/engine/park.ts). */
const causeOf = ({ statusReason }: RunDocument): string =>
  /^(?:[a-z]\w*: )?([A-Z]\w{0,40}|timeout): /.exec(statusReason ?? '')?.[1] ?? 'other';

const secondsSince = (time: Date | string, nowMs: number): number =>
  Math.max(0, (nowMs - new Date(time).getTime()) / 1000);

/** Makes the function that sets these gauges. A run that ended is told of once more, and then no longer. */
export const runGauges = (store: Runs, home: string): ((registry: MetricsRegistry) => Promise<void>) => {
  let before: ReadonlySet<string> = new Set();
  return async (registry) => {
    const { bavail, blocks, bsize } = await statfs(home);
    gaugeAt('diskFree', { folder: home }, bavail * bsize);
    gaugeAt('diskSize', { folder: home }, blocks * bsize);
    const runs = await store.listRuns();
    const open = runs.filter((run) => !hasEnded(run));
    const kept = new Set(open.map(({ run }) => run));
    await registry.keepRuns(new Set([...kept, ...before]));
    before = kept;
    registry.clear('runs', 'running', 'parked', 'openStep');
    for (const [state, all] of Map.groupBy(runs, ({ status }) => status)) gaugeAt('runs', { state }, all.length);
    const nowMs = Date.now();
    for (const one of open) {
      const { run, status, committedStep, createdAt } = one;
      gaugeAt('running', { run }, status === 'running' ? 1 : 0);
      if (isParked(status) && one.parked)
        gaugeAt('parked', { run, cause: causeOf(one) }, secondsSince(one.parked.since, nowMs));
      const since = (committedStep < 0 ? null : await store.committedAt(run, committedStep)) ?? createdAt;
      if (status === 'running' || isParked(status)) gaugeAt('openStep', { run }, secondsSince(since, nowMs));
    }
  };
};

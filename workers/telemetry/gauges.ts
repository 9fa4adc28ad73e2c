// Gauges that are looked up when somebody asks for the metrics of a process: runs and the disk, versions of the
// workflows, and the slots that are free and taken.
import { statfs } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { Permits } from '../../activities/sandbox/host/permits.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { gaugeAt } from '../../activities/telemetry/metrics.ts';
import { openByVersion } from '../../deploy/versions/executions.ts';
import { polledOn, readVersions, type Version } from '../../deploy/versions/versions.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { MetricsRegistry } from './registry.ts';

/** The SDK tells free slots only of workers with a fixed number of them; those of evaluations and models have none. */
export const slotGauges =
  (of: 'cores' | 'requests', all: number, standing: Permits['standing']): (() => Promise<void>) =>
  async () => {
    const { free, waiting } = standing();
    gaugeAt('places', { of, state: 'free' }, free);
    gaugeAt('places', { of, state: 'taken' }, all - free);
    gaugeAt('places', { of, state: 'waited for' }, waiting);
  };

type Runs = Pick<Store, 'listRuns' | 'committedAt'>;

/** The kind of a failure stands before its words (`explain` in workflows/engine/park.ts). */
const causeOf = ({ statusReason }: RunDocument): string =>
  /^(?:[a-z]\w*: )?([A-Z]\w{0,40}|timeout): /.exec(statusReason ?? '')?.[1] ?? 'other';

const secondsSince = (time: Date | string, nowMs: number): number =>
  Math.max(0, (nowMs - new Date(time).getTime()) / 1000);

/** Makes the function that sets these gauges. A run that has ended is set once more, and then no longer. */
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

type VersionLook = {
  readonly versions: () => Promise<readonly Version[]>;
  readonly open: (versions: readonly Version[]) => Promise<ReadonlyMap<string, number>>;
  readonly polled: () => Promise<ReadonlySet<string>>;
};

/** Open executions by version. Those of a version that nobody serves would wait for ever. */
export const versionGauges = (client: Client): ReturnType<typeof versionGaugesOf> =>
  versionGaugesOf({
    versions: () => readVersions(client),
    open: (versions) => openByVersion(client, versions),
    polled: () => polledOn(client, QUEUES.workflow),
  });

export const versionGaugesOf =
  (look: VersionLook) =>
  async (registry: MetricsRegistry): Promise<void> => {
    const [versions, polled] = await Promise.all([look.versions(), look.polled()]);
    const open = await look.open(versions);
    registry.clear('versionOpen');
    for (const [build, count] of open)
      if (count > 0) gaugeAt('versionOpen', { build, served: polled.has(build) ? 'yes' : 'no' }, count);
  };

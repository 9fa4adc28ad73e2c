// What the engine's worker looks up of the versions of the workflows when somebody asks for its metrics: whether
// something is open on a version that nobody serves, which would wait for ever.
import type { Client } from '@temporalio/client';
import { gaugeAt } from '../../activities/telemetry/metrics.ts';
import { openByVersion } from '../../deploy/versions/executions.ts';
import { polledOn, readVersions, type Version } from '../../deploy/versions/versions.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { MetricsRegistry } from './registry.ts';

type Looked = {
  readonly versions: () => Promise<readonly Version[]>;
  readonly open: (versions: readonly Version[]) => Promise<ReadonlyMap<string, number>>;
  readonly polled: () => Promise<ReadonlySet<string>>;
};

export const versionGauges = (client: Client): ReturnType<typeof gaugesOf> =>
  gaugesOf({
    versions: () => readVersions(client),
    open: (versions) => openByVersion(client, versions),
    polled: () => polledOn(client, QUEUES.workflow),
  });

export const gaugesOf =
  (look: Looked) =>
  async (registry: MetricsRegistry): Promise<void> => {
    const [versions, polled] = await Promise.all([look.versions(), look.polled()]);
    const open = await look.open(versions);
    registry.clear('versionOpen');
    for (const [build, count] of open)
      if (count > 0) gaugeAt('versionOpen', { build, served: polled.has(build) ? 'yes' : 'no' }, count);
  };

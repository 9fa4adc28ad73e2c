// What the engine's worker looks up of the versions of the workflows when somebody asks for its metrics: whether
// something is open on a version that nobody serves, which would wait for ever.
import { Client } from '@temporalio/client';
import { gaugeAt } from '../../activities/telemetry/metrics.ts';
import { openOn, polledOn, readVersions, type Version } from '../../deploy/stack/versions.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { Engine } from '../connect.ts';
import type { MetricsRegistry } from './registry.ts';

type Looked = {
  readonly versions: () => Promise<readonly Omit<Version, 'leftAtMs'>[]>;
  readonly open: (build: string) => Promise<number>;
  readonly polled: () => Promise<ReadonlySet<string>>;
};

export const versionGauges = (engine: Pick<Engine, 'connection' | 'namespace'>): ReturnType<typeof gaugesOf> => {
  const { connection, namespace } = engine;
  const client = new Client({ connection, namespace });
  return gaugesOf({
    versions: () => readVersions(client),
    open: (build) => openOn(client, build),
    polled: () => polledOn(client, QUEUES.workflow),
  });
};

export const gaugesOf =
  (look: Looked) =>
  async (registry: MetricsRegistry): Promise<void> => {
    const [versions, polled] = await Promise.all([look.versions(), look.polled()]);
    const open = await Promise.all(
      versions
        .filter(({ current, drained }) => current || !drained)
        .map(async ({ build }) => ({ build, count: await look.open(build) })),
    );
    registry.clear('versionOpen');
    for (const { build, count } of open)
      if (count > 0) gaugeAt('versionOpen', { build, served: polled.has(build) ? 'yes' : 'no' }, count);
  };

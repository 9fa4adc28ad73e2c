// The versions of the workflows that a Temporal namespace knows, and which of them new runs begin with. Workers tell the
// server the hash of their workflow bundle (the build); an execution stays with the build that began it, and goes over
// to the current one where it continues as new.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Release } from './kept-versions.ts';

const { temporal } = proto;

/** All workers that run workflows belong to this deployment. */
export const DEPLOYMENT = 'durable-evolve';

export type Asked = Pick<Client, 'workflowService' | 'workflow' | 'options'>;

export type Version = {
  readonly build: string;
  readonly current: boolean;
  /** The server has seen that no pinned execution is open on it. It looks every few minutes. */
  readonly drained: boolean;
  /** The time when another one took its place, in ms since 1970. 0 where none did. */
  readonly leftAtMs: number;
};

export type Deployment = {
  readonly versions: readonly Version[];
  /**
   * True once every queue of the server knows the current version. The server says so of a new one a moment
   * after it has taken it, 2 s and more where it is busy; until then what asks may hear of the version before.
   */
  readonly routed: boolean;
  /** The time when the server took the current version, in ms since 1970. 0 where there is none. */
  readonly sinceMs: number;
};
type Known = Deployment & { readonly conflictToken: Uint8Array };

/**
 * A build of ours is named by a hash. Whoever reaches the server may make workers of any other name; such a version runs
 * nothing of ours, and its name would change the meaning of the queries below.
 */
const BUILD = /^[\w.-]{1,100}$/;

const NOT_FOUND = 5;
const hasCode = (error: unknown, code: number): boolean => (error as { readonly code?: unknown }).code === code;

const describeDeployment = async ({ workflowService, options }: Asked): Promise<Known> => {
  const { DRAINED } = STATUS;
  try {
    const { workerDeploymentInfo, conflictToken } = await workflowService.describeWorkerDeployment({
      namespace: options.namespace,
      deploymentName: DEPLOYMENT,
    });
    const { currentDeploymentVersion, currentVersionChangedTime: since } = workerDeploymentInfo?.routingConfig ?? {};
    const current = currentDeploymentVersion?.buildId ?? null;
    const versions = (workerDeploymentInfo?.versionSummaries ?? []).flatMap(
      ({ deploymentVersion, drainageStatus, lastDeactivationTime: left }) => {
        const build = deploymentVersion?.buildId ?? '';
        if (!BUILD.test(build)) return [];
        return [
          {
            build,
            current: build === current,
            drained: drainageStatus === DRAINED,
            leftAtMs: left ? tsToMs(left) : 0,
          },
        ];
      },
    );
    // Servers that say nothing of it answer only once all their queues know.
    const routed = workerDeploymentInfo?.routingConfigUpdateState !== UNDER_WAY;
    return { versions, routed, sinceMs: since ? tsToMs(since) : 0, conflictToken };
  } catch (error) {
    if (hasCode(error, NOT_FOUND)) return { ...NO_DEPLOYMENT, conflictToken: new Uint8Array() };
    throw error;
  }
};

const STATUS = {
  DRAINED: temporal.api.enums.v1.VersionDrainageStatus.VERSION_DRAINAGE_STATUS_DRAINED,
} as const;

const { ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS: UNDER_WAY } = temporal.api.enums.v1.RoutingConfigUpdateState;
const NO_DEPLOYMENT: Deployment = { versions: [], routed: true, sinceMs: 0 };

/** None where no versioned worker has worked in the namespace. */
export const readVersions = async (client: Asked): Promise<readonly Version[]> =>
  (await describeDeployment(client)).versions;

const ROUTED_EVERY_MS = 100;

/** Waits for as long at most until every queue of the server knows the current version, and says how it stands then. */
export const readWhenRouted = async (client: Asked, limitMs: number): Promise<Deployment> => {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const { versions, routed, sinceMs } = await describeDeployment(client);
    if (routed || performance.now() >= endMs) return { versions, routed, sinceMs };
    await sleep(ROUTED_EVERY_MS);
  }
};

export const versionOf = (buildId: string) => ({ deploymentName: DEPLOYMENT, buildId });

/** The release of a build, as stored when it became the current one. Null where nothing is known. */
export const readRelease = async ({ workflowService, options }: Asked, build: string): Promise<Release | null> => {
  const { workerDeploymentVersionInfo } = await workflowService.describeWorkerDeploymentVersion({
    namespace: options.namespace,
    deploymentVersion: versionOf(build),
  });
  const { release, since } = workerDeploymentVersionInfo?.metadata?.entries ?? {};
  const [said, sinceMs] = [plainly(release), plainly(since)];
  return typeof said === 'string' && Number.isFinite(sinceMs)
    ? { build, release: said, sinceMs: sinceMs as number }
    : null;
};

/** Anybody may have written what the server keeps of a version. */
const plainly = (payload: unknown): unknown => {
  try {
    return payload ? defaultPayloadConverter.fromPayload(payload as never) : undefined;
  } catch {
    return undefined;
  }
};

const numbers = (release: string): readonly number[] => release.split(/[.-]/).map((part) => Number.parseInt(part, 10));

/** True if `one` gives way to `other`: the newer release wins, and within one release the one asked for last. */
export const givesWay = (one: Release, other: Release): boolean => {
  const [mine, theirs] = [numbers(one.release), numbers(other.release)];
  for (let part = 0; part < 3; part += 1) {
    const difference = (mine[part] || 0) - (theirs[part] || 0);
    if (difference !== 0) return difference < 0;
  }
  return one.sinceMs < other.sinceMs;
};

export type Standing =
  /** New executions begin with it. */
  | { readonly kind: 'current'; readonly changed: boolean }
  /** A newer one is the current one. */
  | { readonly kind: 'older'; readonly than: Release }
  /** The server has seen no worker of it yet. */
  | { readonly kind: 'unseen' };

/**
 * Makes a version the current one, so that new executions begin with it and others go over to it. Two hosts with
 * different code do not take turns: an older release gives way (`givesWay`), unless a person `insists`.
 */
export const makeCurrent = async (client: Asked, ours: Release, insists = false): Promise<Standing> => {
  const { workflowService, options } = client;
  const { versions, conflictToken } = await describeDeployment(client);
  if (!versions.some(({ build }) => build === ours.build)) return { kind: 'unseen' };
  const current = versions.find((version) => version.current);
  if (current?.build === ours.build) return { kind: 'current', changed: false };
  const than = current === undefined ? null : await readRelease(client, current.build);
  if (!insists && than !== null && givesWay(ours, than)) return { kind: 'older', than };
  const { namespace } = options;
  try {
    await workflowService.updateWorkerDeploymentVersionMetadata({
      namespace,
      deploymentVersion: versionOf(ours.build),
      upsertEntries: {
        release: defaultPayloadConverter.toPayload(ours.release),
        since: defaultPayloadConverter.toPayload(ours.sinceMs),
      },
    });
    await workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName: DEPLOYMENT,
      buildId: ours.build,
      conflictToken,
      // Earlier versions may have polled queues that no longer exist.
      ignoreMissingTaskQueues: true,
      // A person may name a version that is served only once it is the current one.
      allowNoPollers: insists,
    });
  } catch (error) {
    // No worker of it polls yet, or somebody else changed the deployment meanwhile: the next look decides.
    if ([NOT_FOUND, FAILED_PRECONDITION, ABORTED].some((code) => hasCode(error, code))) return { kind: 'unseen' };
    throw error;
  }
  return { kind: 'current', changed: true };
};

const FAILED_PRECONDITION = 9;
const ABORTED = 10;

/** The builds whose workers have asked a queue for work in the last minutes, on whichever host. */
export const polledOn = async ({ workflowService, options }: Asked, queue: string): Promise<ReadonlySet<string>> => {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name: queue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return new Set((pollers ?? []).flatMap(({ deploymentOptions }) => deploymentOptions?.buildId ?? []));
};

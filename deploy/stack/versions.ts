// The versions of the workflows that a Temporal namespace knows, and which of them new runs begin with. Workers tell the
// server the hash of their workflow bundle (the build); an execution stays with the build that began it, and goes over
// to the current one where it continues as new.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Release } from '../parts/kept-versions.ts';

const { temporal } = proto;

/** All workers that run workflows belong to this deployment. */
export const DEPLOYMENT = 'durable-evolve';

/** The search attribute of an execution that says its version. The server writes it. */
const OF_VERSION = 'TemporalWorkerDeploymentVersion';

type Asked = Pick<Client, 'workflowService' | 'workflow' | 'options'>;

export type Version = {
  readonly build: string;
  readonly current: boolean;
  /** The server has seen that no pinned execution is open on it. It looks every few minutes. */
  readonly drained: boolean;
  /** When another one took its place, in ms since 1970. 0 where none did. */
  readonly leftAtMs: number;
};

export type Deployment = {
  readonly versions: readonly Version[];
  /**
   * Whether every queue of the server knows which version is the current one. The server says so of a new one a moment
   * after it has taken it, 2 s and more where it is busy; until then what asks may hear of the version before.
   */
  readonly routed: boolean;
  /** When the server took the current version, in ms since 1970. 0 where there is none. */
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

const queryOf = (build: string): string => `${OF_VERSION} = "${DEPLOYMENT}:${build}" AND ExecutionStatus = "Running"`;

/** How many executions are open on a version. Lists follow the executions a moment later. */
const openOn = async ({ workflow }: Asked, build: string): Promise<number> =>
  (await workflow.count(queryOf(build))).count;

/**
 * How many executions are open on each version. Of versions that are drained it asks once for all together: a server
 * remembers a hundred of them, and allows ten such questions a second in a namespace.
 */
export const openByVersion = async (
  client: Asked,
  versions: readonly Pick<Version, 'build' | 'current' | 'drained'>[],
): Promise<ReadonlyMap<string, number>> => {
  const atRest = versions.filter(({ current, drained }) => drained && !current);
  // Something is open on one of them where a person has bound it there.
  const builds = atRest.map(({ build }) => `"${DEPLOYMENT}:${build}"`).join(', ');
  const together = `${OF_VERSION} IN (${builds}) AND ExecutionStatus = "Running"`;
  const none = atRest.length === 0 || (await client.workflow.count(together)).count === 0;
  const open = new Map(versions.map(({ build }) => [build, 0]));
  for (const one of versions) if (!(none && atRest.includes(one))) open.set(one.build, await openOn(client, one.build));
  return open;
};

export type OpenExecution = { readonly workflowId: string; readonly runId: string; readonly type: string };

const listed = async ({ workflow }: Asked, query: string): Promise<readonly OpenExecution[]> => {
  const found: OpenExecution[] = [];
  for await (const { workflowId, runId, type } of workflow.list({ query })) found.push({ workflowId, runId, type });
  return found;
};

const among = (types: readonly string[]): string => `WorkflowType IN (${types.map((type) => `"${type}"`).join(', ')})`;

export const executionsOn = (
  client: Asked,
  build: string,
  types?: readonly string[],
): Promise<readonly OpenExecution[]> =>
  listed(client, `${queryOf(build)}${types === undefined ? '' : ` AND ${among(types)}`}`);

/** All that is open of these types, on whichever version. */
export const openExecutions = (client: Asked, types: readonly string[]): Promise<readonly OpenExecution[]> =>
  listed(client, `ExecutionStatus = "Running" AND ${among(types)}`);

/** A run or a sweep, and the steps and updates that are its children. */
export const executionsOf = (client: Asked, workflowId: string): Promise<readonly OpenExecution[]> =>
  listed(
    client,
    `ExecutionStatus = "Running" AND (WorkflowId = "${workflowId}" OR WorkflowId STARTS_WITH "${workflowId}/")`,
  );

export type Binding = {
  /** The version that made its last decision. Null: none did yet, or a worker without a version. */
  readonly build: string | null;
  /** The version to which a person or a worker has bound it, `current` where it is whichever is current, else null. */
  readonly override: string | null;
};

/** Null where it is not open any more. */
export const bindingOf = async (
  { workflow }: Asked,
  { workflowId, runId }: Pick<OpenExecution, 'workflowId' | 'runId'>,
): Promise<Binding | null> => {
  const described = await workflow
    .getHandle(workflowId, runId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
      throw error;
    });
  if (described === null || !['RUNNING', 'PAUSED'].includes(described.status.name)) return null;
  const { raw } = described;
  const { deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  return {
    build: deploymentVersion?.buildId || null,
    override: versioningOverride?.pinned?.version?.buildId ?? (versioningOverride?.autoUpgrade ? 'current' : null),
  };
};

/**
 * What was moved to the current version and has made a decision there is an execution of that version from then on: it
 * would else go over to the next one in the middle of its history.
 */
export const settleMoved = async (client: Asked, current: string): Promise<void> => {
  const query = `${queryOf(current)} AND TemporalWorkflowVersioningBehavior = "AutoUpgrade"`;
  for (const one of await listed(client, query)) {
    const binding = await bindingOf(client, one);
    if (binding?.override === 'current' && binding.build === current) await overrideVersion(client, one, 'none');
  }
};

const versionOf = (buildId: string) => ({ deploymentName: DEPLOYMENT, buildId });

/** What was said of a build when it became the current one. Null where nothing is known. */
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

/** Whether `one` is to give way to `other`: the newer release wins, and within one release who was asked for last. */
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

/** Executions that it begins inherit what is pinned; `current`: whatever it is, from the next task on; `none`: its own. */
type Override = { readonly pinned: string } | 'current' | 'none';

/** Says for one open execution where its tasks go. Without a `runId` it is the newest one of the id. */
export const overrideVersion = async (
  { workflowService, options }: Asked,
  { workflowId, runId }: { readonly workflowId: string; readonly runId?: string },
  override: Override,
): Promise<void> => {
  const { PINNED_OVERRIDE_BEHAVIOR_PINNED: behavior } =
    temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior;
  const versioningOverride =
    override === 'none'
      ? null
      : override === 'current'
        ? { autoUpgrade: true }
        : { pinned: { behavior, version: versionOf(override.pinned) } };
  await workflowService.updateWorkflowExecutionOptions({
    namespace: options.namespace,
    workflowExecution: { workflowId, ...(runId === undefined ? {} : { runId }) },
    workflowExecutionOptions: { versioningOverride },
    updateMask: { paths: ['versioning_override'] },
  });
};

/** The builds whose workers have asked a queue for work in the last minutes, on whichever host. */
export const polledOn = async ({ workflowService, options }: Asked, queue: string): Promise<ReadonlySet<string>> => {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name: queue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return new Set((pollers ?? []).flatMap(({ deploymentOptions }) => deploymentOptions?.buildId ?? []));
};

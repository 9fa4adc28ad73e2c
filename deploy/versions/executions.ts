// The open executions of each version of the workflows, and the route of their tasks. Lists follow the executions a
// moment later.
import proto from '@temporalio/proto';
import { type Asked, DEPLOYMENT, type Version, versionOf } from './versions.ts';

const { temporal } = proto;

/** The search attribute of an execution that says its version. The server writes it. */
const OF_VERSION = 'TemporalWorkerDeploymentVersion';

const queryOf = (build: string): string => `${OF_VERSION} = "${DEPLOYMENT}:${build}" AND ExecutionStatus = "Running"`;

/** The number of open executions of a version. */
const openOn = async ({ workflow }: Asked, build: string): Promise<number> =>
  (await workflow.count(queryOf(build))).count;

/**
 * The number of open executions of each version. Drained versions are asked for in one question: a server
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
  const executions: OpenExecution[] = [];
  for await (const { workflowId, runId, type } of workflow.list({ query }))
    executions.push({ workflowId, runId, type });
  return executions;
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
 * An execution that was moved to the current version becomes one of that version with its first decision there: it
 * would else go over to the next one in the middle of its history.
 */
export const settleMoved = async (client: Asked, current: string): Promise<void> => {
  const query = `${queryOf(current)} AND TemporalWorkflowVersioningBehavior = "AutoUpgrade"`;
  for (const one of await listed(client, query)) {
    const binding = await bindingOf(client, one);
    if (binding?.override === 'current' && binding.build === current) await overrideVersion(client, one, 'none');
  }
};

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

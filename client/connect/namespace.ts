// The Temporal namespace and this home's database: whether they belong together, and how a namespace is taken over
// where the installation that worked in it is gone. Nothing of the other installation is continued: its workers must be
// silent, and what it left open is ended, because workers here would otherwise go on with it and pay for it.
import { WorkflowNotFoundError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Store } from '../../activities/store/store.ts';
import { identityOf } from '../../deploy/host/process-identity.ts';
import {
  type Installation,
  installationOf,
  readMarker,
  refusal,
  replaceMarker,
} from '../../deploy/servers/installation.ts';
import { readUp } from '../../deploy/supervisor/plan.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import { type Engine, type Place, upOf, withEngine, withStore } from './connection.ts';
import { claimOf, databaseRefusal } from './database-owner.ts';
import { upElsewhere } from './elsewhere.ts';
import { MissingError, UsageError } from './errors.ts';
import { isOurs, RUN_WORKFLOW, SWEEP_WORKFLOW } from '../../evolution/ids.ts';

const installationHere = async (place: Place, store: Store): Promise<Installation> =>
  installationOf({
    database: (await store.identity()).id,
    uri: readUp(place.home)?.database.uri ?? upElsewhere(place.home, place.env)?.database.uri ?? 'mongodb://unknown/',
    home: place.home.root,
  });

/**
 * The reason to start or steer nothing from here. Null where all is well, or where no worker has claimed the namespace
 * yet.
 */
export const namespaceRefusal = async (
  place: Place,
  { client, connection, namespace }: Engine,
  store: Store,
): Promise<string | null> => {
  const marker = await readMarker(client);
  const ours = await installationHere(place, store);
  return (
    (marker === null ? null : refusal(namespace, marker, ours)) ??
    (await databaseRefusal(store, await claimHere({ connection, namespace }, ours)))
  );
};

const claimHere = (engine: Pick<Engine, 'connection' | 'namespace'>, { host, home }: Installation) =>
  claimOf(engine, { address: engine.connection.options.address, host, home });

const { TaskQueueType } = proto.temporal.api.enums.v1;

export type Poll = { readonly worker: string; readonly queue: string; readonly atMs: number };

/** Workflow ids of runs and sweeps, and ids of schedules that are not paused. */
export type OpenWork = { readonly workflows: readonly string[]; readonly schedules: readonly string[] };

/**
 * A living worker asks again within 60 s, because the server lets it wait no longer. The server remembers for 5 minutes
 * who has asked.
 */
const SILENT_MS = 90_000;
const NAMED = 10;

/**
 * Takes the namespace and resolves to the work that it ended or paused. Throws UsageError while workers poll the
 * namespace and, without `endRuns`, where it holds open work that this home's database does not know.
 */
export const takeNamespace = (place: Place, { endRuns }: { readonly endRuns: boolean }): Promise<OpenWork> =>
  withStore(place, (store) => withEngine(place, (engine) => take(place, engine, store, endRuns)));

const take = async (place: Place, engine: Engine, store: Store, endRuns: boolean): Promise<OpenWork> => {
  const { client, namespace } = engine;
  const ours = await installationHere(place, store);
  const elsewhere = await databaseRefusal(store, await claimHere(engine, ours));
  if (elsewhere !== null) throw new UsageError(`--take-namespace: ${elsewhere}`);
  const before = await readMarker(client);
  const polling = pollingText(
    namespace,
    (await pollsIn(engine)).filter(({ worker }) => !isOver(place, worker)),
    Date.now(),
  );
  if (polling !== null) throw new UsageError(polling);
  const open = await foreignWork(engine, store);
  if (!endRuns && open.workflows.length + open.schedules.length > 0) throw new UsageError(openText(namespace, open));
  const reason = `namespace ${namespace} is given to database ${ours.database}`;
  for (const id of open.workflows)
    await client.workflow
      .getHandle(id)
      .terminate(reason)
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  for (const id of open.schedules) await client.schedule.getHandle(id).pause(reason);
  const why = refusal(namespace, await replaceMarker(client, before, ours, reason), ours);
  if (why !== null) throw new MissingError(`--take-namespace: another installation took it at the same time. ${why}`);
  return open;
};

/**
 * True where a worker (`pid@host`) has ended. This shows only for a development server of this home, whose workers
 * run on this machine; elsewhere several hosts may have one name.
 */
const isOver = (place: Place, worker: string): boolean => {
  const [, pid] = /^(\d+)@/.exec(worker) ?? [];
  return !upOf(place).temporal.external && pid !== undefined && identityOf(Number(pid)) === null;
};

const pollsIn = async ({ connection, namespace }: Engine): Promise<readonly Poll[]> =>
  (
    await Promise.all(
      Object.values(QUEUES).map(async (queue) => {
        const { pollers } = await connection.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: queue },
          taskQueueType:
            queue === QUEUES.workflow ? TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW : TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
        });
        return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
          worker: identity ?? '',
          queue,
          atMs: lastAccessTime ? tsToMs(lastAccessTime) : 0,
        }));
      }),
    )
  ).flat();

/** Null where every worker has been silent for long enough. */
export const pollingText = (namespace: string, polls: readonly Poll[], nowMs: number): string | null => {
  const [newest] = polls.toSorted((a, b) => b.atMs - a.atMs);
  const silentMs = newest === undefined ? SILENT_MS : nowMs - newest.atMs;
  if (newest === undefined || silentMs >= SILENT_MS) return null;
  const [ago, wait] = [Math.max(0, silentMs), SILENT_MS - Math.max(0, silentMs)].map((ms) => Math.ceil(ms / 1000));
  return (
    `--take-namespace: workers of another installation are at work in namespace ${namespace}: ${newest.worker} asked ${newest.queue} for work ${ago} s ago. ` +
    `Stop them there (\`npx evolve down\`); if they are stopped already, try again in ${wait} s`
  );
};

export const openText = (namespace: string, { workflows, schedules }: OpenWork): string => {
  const all = [...workflows, ...schedules.map((id) => `schedule ${id}`)];
  return (
    `--take-namespace: namespace ${namespace} holds open work that this database does not know: ${all.slice(0, NAMED).join(', ')}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}. ` +
    'Workers here would go on with it and pay for it. `npx evolve up --take-namespace --end-runs` terminates the runs and sweeps and pauses the schedules; the other database keeps ' +
    'what they made, and `npx evolve resume` opens a run again for it in a namespace of its own'
  );
};

const foreignWork = async ({ client }: Engine, store: Store): Promise<OpenWork> => {
  const [workflows, schedules]: [string[], string[]] = [[], []];
  for await (const { workflowId } of client.workflow.list({
    query: `WorkflowType IN ("${RUN_WORKFLOW}", "${SWEEP_WORKFLOW}") AND CloseTime IS NULL`,
  })) {
    const name = workflowId.replace(/^(run|sweep)\//, '');
    const stored = workflowId.startsWith('run/') ? await store.readRun(name) : await store.readSweep(name);
    if (stored === null) workflows.push(workflowId);
  }
  for await (const { scheduleId, action, state } of client.schedule.list())
    if (isOurs(action?.workflowType) && !state.paused) schedules.push(scheduleId);
  return { workflows, schedules };
};

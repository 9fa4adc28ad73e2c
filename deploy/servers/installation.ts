// The database that works in a Temporal namespace. Queues and workflow ids are the same in every installation, so two
// databases in one namespace would take each other's work. The namespace remembers the first one in the memo of a
// workflow that no worker ever runs. That workflow stays open, so that no retention ends it, and making it takes only
// the right to start workflows.
import { Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { hostname } from 'node:os';

/** `database` is the id that the database has given itself. The rest tells people which database it is. */
export type Installation = {
  readonly database: string;
  readonly servers: string;
  readonly host: string;
  readonly home: string;
};
export type Marker = {
  readonly owner: Installation;
  readonly since: Date;
  readonly open: boolean;
  readonly runId: string;
};

export const MARKER_ID = 'durable-evolve/installation';
/** No worker polls this queue. */
const QUEUE = 'durable-evolve-installation';

/** Leaves out user, password and options of the address, because all who use the namespace can read the marker. */
export const installationOf = (place: {
  readonly database: string;
  readonly uri: string;
  readonly home: string;
}): Installation => {
  const { srvHost, hosts } = new MongoClient(place.uri).options;
  return { database: place.database, servers: srvHost ?? hosts.join(','), host: hostname(), home: place.home };
};

/** Resolves to null where no installation has worked in the namespace. */
export const readMarker = async (client: Client): Promise<Marker | null> => {
  try {
    const { memo, startTime, status, runId } = await client.workflow.getHandle(MARKER_ID).describe();
    const textOf = (key: keyof Installation): string => (typeof memo?.[key] === 'string' ? memo[key] : 'unknown');
    return {
      owner: { database: textOf('database'), servers: textOf('servers'), host: textOf('host'), home: textOf('home') },
      since: startTime,
      open: status.name === 'RUNNING',
      runId,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
};

/**
 * Makes the marker unless there is one, and resolves to the one that is then there. If several try at once, one wins.
 */
export const claimNamespace = async (client: Client, ours: Installation): Promise<Marker> => {
  const marker = await readMarker(client);
  // A marker that a person closed by hand still says whose the namespace is, for as long as the server keeps it.
  if (marker !== null && (marker.open || marker.owner.database !== ours.database)) return marker;
  return makeMarker(client, ours);
};

/**
 * Ends `before`, makes a marker of ours, and resolves to the one that is then there. If several try at once, one wins,
 * because each ends only what it had read.
 */
export const replaceMarker = async (
  client: Client,
  before: Marker | null,
  ours: Installation,
  reason: string,
): Promise<Marker> => {
  if (before?.open) {
    await client.workflow
      .getHandle(MARKER_ID, before.runId)
      .terminate(reason)
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  }
  return makeMarker(client, ours);
};

/** Gives the marker that is open already, if any. */
const makeMarker = async (client: Client, ours: Installation): Promise<Marker> => {
  await startMarker(client, ours);
  const marker = await readMarker(client);
  if (marker === null)
    throw new Error(
      `workflow ${MARKER_ID} was started in namespace ${client.options.namespace} and is not there: try again`,
    );
  return marker;
};

const startMarker = async ({ connection, options }: Client, ours: Installation): Promise<void> => {
  // Never encrypted: an installation with other keys has to read it as well.
  await new Client({ connection, namespace: options.namespace }).workflow
    .start('installation', {
      workflowId: MARKER_ID,
      taskQueue: QUEUE,
      args: [],
      memo: { ...ours },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: 'says which database works in this namespace; leave it open',
      staticDetails: detailsOf(ours),
    })
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
};

const detailsOf = (owner: Installation): string =>
  [
    `The runs of this namespace are those of one DurableEvolve database: ${nameOf(owner)}.`,
    'This workflow only says so, to installations with another database that would otherwise take their work. No worker runs it, and it needs none.',
    'To give the namespace to another database: `npx evolve up --take-namespace` there.',
  ].join('\n\n');

const nameOf = ({ database, servers, host, home }: Installation): string =>
  `${database} (${servers}, used by ${home} on host ${host})`;

/** The reason why this installation must leave the namespace alone. Null where the namespace is its own. */
export const refusal = (
  namespace: string,
  { owner, since }: Pick<Marker, 'owner' | 'since'>,
  ours: Installation,
): string | null =>
  owner.database === ours.database
    ? null
    : `Temporal namespace ${namespace} works with another database since ${since.toISOString()}: expected ${nameOf(owner)}, got ${nameOf(ours)}. ` +
      "Two databases in one namespace would take each other's work. Name another namespace (TEMPORAL_NAMESPACE or a profile; with the development server another EVOLVE_HOME), " +
      'or that database (MONGODB_URI); where that installation is gone, or this one changes its database, `npx evolve up --take-namespace` gives the namespace to this one';

// A home's Temporal server and database as a test sees them: the plain client, with the words that the Temporal UI
// says, and the store to look at. Nothing here goes through our own library.
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { randomUUID } from 'node:crypto';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { connectStore } from '../../../activities/store/mongo/connect-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { type TestHome, until } from '../machine/home.ts';
import { configFrom } from '../domain/asked-run.ts';

export type Point = 'first' | 'middle' | 'last';

export type TestEngine = {
  readonly client: Client;
  readonly store: Store;
  /**
   * Starts a run as the UI's "Start Workflow" form does: one JSON object. The settings are completed as the command
   * line completes them.
   */
  start(run: string, settings: RunSettings): Promise<void>;
  signal(run: string, name: string, body: object): Promise<void>;
  update<T = unknown>(run: string, name: string, body: object): Promise<T>;
  document(run: string): Promise<RunDocument>;
  /** Waits until the run document is as wanted. */
  seen(run: string, what: string, is: (document: RunDocument) => boolean, limitMs?: number): Promise<RunDocument>;
  /** Waits until the run's workflow is closed and its document says that it ended. */
  ended(run: string, limitMs?: number): Promise<RunDocument>;
  isOpen(workflowId: string): Promise<boolean>;
  /** The UI's Reset to a completed workflow task of the newest execution, or of the one that is named. */
  reset(workflowId: string, point: Point, runId?: string): Promise<void>;
  /** A workflow's history as the UI's download writes it. */
  history(workflowId: string, runId?: string): Promise<string>;
  close(): Promise<void>;
};

type Event = { readonly eventId: string; readonly eventType: string };

export const connectEngine = async (home: TestHome): Promise<TestEngine> => {
  const { temporal, database } = home.up();
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const store = await connectStore({ uri: database.uri, log: () => undefined });
  const handle = (run: string) => client.workflow.getHandle(`run/${run}`);

  /** Waits for a run that is so; the error says how it stood at last. */
  const standing = (
    run: string,
    what: string,
    limitMs: number,
    is: (document: RunDocument) => boolean | Promise<boolean>,
  ): Promise<RunDocument> => {
    let last: RunDocument | null = null;
    return until(
      `run ${run}: ${what}`,
      limitMs,
      async () => ((last = await store.readRun(run)) && (await is(last)) ? last : null),
      () => `; it is ${last?.status} at step ${last?.committedStep}, for ${last?.stopReason}`,
    );
  };
  const engine: TestEngine = {
    client,
    store,
    async start(run, settings) {
      const config = configFrom(settings);
      await client.workflow.start('evolutionRun', {
        workflowId: `run/${run}`,
        taskQueue: 'evolve-workflow',
        args: [{ run, config }],
      });
    },
    async signal(run, name, body) {
      await handle(run).signal(name, body);
    },
    update: (run, name, body) => handle(run).executeUpdate(name, { args: [body] }),
    async document(run) {
      const found = await store.readRun(run);
      if (!found) throw new Error(`there is no run ${run}`);
      return found;
    },
    seen: (run, what, is, limitMs = 90_000) => standing(run, what, limitMs, is),
    ended: (run, limitMs = 120_000) =>
      standing(run, 'its end', limitMs, async (found) => hasEnded(found) && !(await engine.isOpen(`run/${run}`))),
    async isOpen(workflowId) {
      return ['RUNNING', 'PAUSED'].includes((await client.workflow.getHandle(workflowId).describe()).status.name);
    },
    async reset(workflowId, point, runId) {
      const events = (JSON.parse(await engine.history(workflowId, runId)) as { events: Event[] }).events;
      const points = events
        .filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED')
        .map(({ eventId }) => Number(eventId));
      const at = { first: 0, middle: Math.floor(points.length / 2), last: points.length - 1 }[point];
      await client.workflowService.resetWorkflowExecution({
        namespace: temporal.namespace,
        workflowExecution: { workflowId, ...(runId === undefined ? {} : { runId }) },
        reason: `a test resets to the ${point} workflow task`,
        workflowTaskFinishEventId: points[at]! as never,
        requestId: randomUUID(),
      });
    },
    async history(workflowId, runId) {
      return historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    },
    async close() {
      await store.close();
      await connection.close();
    },
  };
  return engine;
};

/** Everything that an error and its causes say. */
export const words = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${words(error.cause)}` : '';

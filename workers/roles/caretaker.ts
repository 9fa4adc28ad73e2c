// Keeps the lists of the engine true where no workflow can do it itself: a run that a person terminated could not write
// down its end, and a run that goes on, or was reset, has left its last execution behind. The main worker looks every
// few seconds. Several workers may do so at the same time, because every act is done once or changes nothing.
import { Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { endedBy } from '../../client/temporal/ended-calls.ts';
import { type Execution, readExecution } from '../../client/temporal/execution.ts';
import { type Payloads, PLAIN_PAYLOADS } from '../../activities/payloads/payloads.ts';
import type { Store } from '../../activities/store/store.ts';
import { deleteRests, startRest, startSweepRest } from '../../client/upkeep/rest.ts';
import { RUN_WORKFLOW, SWEEP_WORKFLOW } from '../../evolution/ids.ts';
import { again } from '../process/again.ts';
import type { Engine } from '../process/connect.ts';

/** A kind of workflow that has one row in the lists, and rests in a last execution. */
export type Kept = {
  readonly workflowType: string;
  /** The name of the run or sweep; null where the id is none of its kind. */
  readonly nameOf: (workflowId: string) => string | null;
  /** Starts the last execution of one that was ended from outside, if there is such a one in the database. */
  readonly rest: (client: Client, name: string, ended: Execution) => Promise<void>;
};

const EVERY_MS = 3_000;
/** The lists may know of an execution only a while after it began or ended; so long back each look looks again. */
const OVERLAP_MS = 60_000;
/** An execution within the overlap is looked at so often. */
const LOOKS = 3;
/** Ended without a word of its own. Those that are refused at their start fail. */
const OUTSIDE = ['TERMINATED', 'TIMED_OUT', 'CANCELLED', 'FAILED'];

type Watch = {
  readonly query: string;
  readonly field: 'StartTime' | 'CloseTime';
  readonly at: (one: WorkflowExecutionInfo) => Date | undefined;
};

type Changed = {
  readonly workflowId: string;
  readonly kind: Kept;
  readonly key: string;
  readonly atMs: number;
};

export class Caretaker {
  readonly #client: Client;
  readonly #kinds: readonly Kept[];
  readonly #stopped = new AbortController();
  /** The newest time that each watch has seen, by the server's clock. */
  readonly #newest = new Map<Watch, number>();
  /** The number of looks at executions within the overlap, by run id. */
  readonly #seen = new Map<string, { readonly atMs: number; readonly looks: number }>();

  constructor(
    { connection, namespace }: Pick<Engine, 'connection' | 'namespace'>,
    kinds: readonly Kept[],
    { ofClient }: Pick<Payloads, 'ofClient'> = PLAIN_PAYLOADS,
  ) {
    this.#client = new Client({ connection, namespace, dataConverter: ofClient });
    this.#kinds = kinds;
  }

  /** Looks until it is stopped. */
  run(log: (line: string) => void): Promise<void> {
    const watches = this.#watches();
    const { signal } = this.#stopped;
    return again({
      ...{ signal, everyMs: EVERY_MS },
      // Calls to a server that is away take long, and a worker that ends does not wait for them.
      look: () => endedBy(this.#client.connection, signal, () => this.#look(watches)),
      log: (words) => log(`the caretaker could not look: ${words}`),
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  #watches(): readonly Watch[] {
    const types = `WorkflowType IN (${this.#kinds.map(({ workflowType }) => `"${workflowType}"`).join(', ')})`;
    return [
      { query: `${types} AND ExecutionStatus != "Running"`, field: 'CloseTime', at: ({ closeTime }) => closeTime },
      { query: types, field: 'StartTime', at: ({ startTime }) => startTime },
    ];
  }

  async #look(watches: readonly Watch[]): Promise<void> {
    let failed: unknown = null;
    for (const watch of watches)
      for (const { workflowId, kind, key, atMs } of await this.#changed(watch))
        try {
          await this.#settle(workflowId, kind);
          this.#seen.set(key, { atMs, looks: (this.#seen.get(key)?.looks ?? 0) + 1 });
        } catch (error) {
          failed ??= error;
        }
    const old = Math.min(...this.#newest.values()) - 2 * OVERLAP_MS;
    for (const [key, { atMs }] of this.#seen) if (atMs < old) this.#seen.delete(key);
    if (failed !== null) throw failed;
  }

  /** One execution of each id that has begun or ended since the look before. The first look sees all that are kept. */
  async #changed(watch: Watch): Promise<readonly Changed[]> {
    const { query, field, at } = watch;
    const before = this.#newest.get(watch);
    const since = before === undefined ? '' : ` AND ${field} >= "${new Date(before - OVERLAP_MS).toISOString()}"`;
    const changes = new Map<string, Changed>();
    let newest = before ?? 0;
    for await (const one of this.#client.workflow.list({ query: `${query}${since}`, pageSize: 1_000 })) {
      const { workflowId, runId, type } = one;
      const atMs = at(one)?.getTime() ?? 0;
      newest = Math.max(newest, atMs);
      const key = `${field} ${runId}`;
      const kind = this.#kinds.find(({ workflowType }) => workflowType === type);
      if (kind === undefined || kind.nameOf(workflowId) === null) continue;
      if ((this.#seen.get(key)?.looks ?? 0) < LOOKS) changes.set(workflowId, { workflowId, kind, key, atMs });
    }
    this.#newest.set(watch, newest);
    return [...changes.values()];
  }

  async #settle(workflowId: string, kind: Kept): Promise<void> {
    const engine = { client: this.#client, namespace: this.#client.options.namespace };
    const present = await readExecution(engine, workflowId);
    if (present === null) return;
    if (!OUTSIDE.includes(present.state)) return deleteRests(this.#client, workflowId, present.runId);
    // A reset ends an execution and puts another in its place, which the engine may know of a moment later.
    if (present.resetTo !== null) return;
    // A start that was refused leaves the row that there was.
    if (present.state === 'FAILED' && (await this.#hasRow(workflowId))) return;
    await kind.rest(this.#client, kind.nameOf(workflowId)!, present);
  }

  async #hasRow(workflowId: string): Promise<boolean> {
    const query = `WorkflowId = "${workflowId}" AND ExecutionStatus = "Completed"`;
    return (await this.#client.workflow.count(query)).count > 0;
  }
}

const OUTSIDE_WORDS = 'ended in the workflow engine';

/** A run that was never opened has no end, and what was refused at its start ended nothing. */
const hasEnd = (document: { readonly endedAt: Date | null } | null, state: Execution['state']): boolean =>
  document !== null && !(state === 'FAILED' && document.endedAt === null);

export const keptRuns = (store: Pick<Store, 'readRun'>): Kept => ({
  workflowType: RUN_WORKFLOW,
  nameOf: (workflowId) => /^run\/([a-z0-9-]+)$/.exec(workflowId)?.[1] ?? null,
  async rest(client, run, { state, ending }) {
    if (hasEnd(await store.readRun(run), state)) await startRest(client, run, ending ?? OUTSIDE_WORDS);
  },
});

export const keptSweeps = (store: Pick<Store, 'readSweep'>): Kept => ({
  workflowType: SWEEP_WORKFLOW,
  nameOf: (workflowId) => /^sweep\/([a-z0-9-]+)$/.exec(workflowId)?.[1] ?? null,
  async rest(client, name, { state, ending }) {
    if (hasEnd(await store.readSweep(name), state)) await startSweepRest(client, name, ending ?? OUTSIDE_WORDS);
  },
});

// The source of facts for watching: the run document from the store, and the live state from the workflow. A part that
// is away throws no error.
import { withUnanswered } from '../../activities/store/steps/bookings.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import type { InStep, RunProgress } from '../../workflows/messages/messages.ts';
import type { Engine } from '../connect/connection.ts';
import { endedBy } from '../temporal/ended-calls.ts';
import { CLOSED, standing, wordOfExecution, wordOfProgress, type WorkflowWord } from '../temporal/run-state.ts';
import { isNotFound, progressOf } from '../temporal/workflow.ts';

export type Facts = {
  /** The document in its present state, for which an open workflow counts first. */
  readonly run: RunDocument | null;
  readonly live: RunProgress | null;
  readonly inStep: InStep | null;
  readonly waitingFor: string | null;
  /** The workflow's end, when it has one: COMPLETED, TERMINATED, FAILED, ... */
  readonly closed: string | null;
};

export type Source = {
  readonly facts: () => Promise<Facts>;
  /** Is aborted when the workflow is closed, and then the facts say so. */
  readonly ended: AbortSignal;
  readonly close: () => Promise<void>;
};

/** The part of a store that watching uses: the compiler tells a test that plays one when this changes. */
type Watched = Pick<Store, 'readRun' | 'owed' | 'close'>;
type Open = { readonly store: () => Promise<Watched>; readonly engine: () => Promise<Engine> };

/** Queries and descriptions are asked in the background, because a worker that is away must not hold up the display. */
const STALE_MS = 8_000;
const STORE_PATIENCE_MS = 10_000;
const ANSWER_MS = 5_000;

class WatchSource implements Source {
  readonly #run: string;
  readonly #open: Open;
  /** Is kept while the store is being opened, so that a database that answers late is waited for and not asked anew. */
  #opening: Promise<Watched> | null = null;
  #store: Watched | null = null;
  #engine: Engine | null = null;
  #last: RunDocument | null = null;
  #live: { word: RunProgress; inStep: InStep | null; atMs: number } | null = null;
  #closed: string | null = null;
  /** The engine's last description of the workflow. */
  #described: WorkflowWord | null = null;
  #asking: Promise<void> | null = null;
  #engineAway = false;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  readonly ended = this.#over.signal;
  #listens = false;
  readonly #startedMs = Date.now();

  constructor(run: string, open: Open) {
    this.#run = run;
    this.#open = open;
  }

  async facts(): Promise<Facts> {
    void this.#ask();
    const reached = await this.#readRun();
    const fresh = this.#live !== null && Date.now() - this.#live.atMs < STALE_MS;
    const silent = !fresh && Date.now() - this.#startedMs > STALE_MS && this.#closed === null;
    const waitingFor = !reached
      ? 'the database'
      : this.#engineAway
        ? 'the workflow engine'
        : silent
          ? 'the workers'
          : null;
    const word = this.#engineAway
      ? null
      : fresh && this.#live !== null && this.#closed === null
        ? wordOfProgress(this.#live.word)
        : this.#described;
    return {
      run: this.#last && standing(this.#last, word),
      live: fresh ? (this.#live?.word ?? null) : null,
      inStep: fresh ? (this.#live?.inStep ?? null) : null,
      waitingFor,
      closed: this.#closed,
    };
  }

  /** A question that is under way is dropped. */
  async close(): Promise<void> {
    this.#ending.abort();
    if (this.#store === null) void this.#opening?.then((late) => late.close()).catch(() => undefined);
    await this.#store?.close().catch(() => undefined);
    await this.#engine?.close().catch(() => undefined);
  }

  async #readRun(): Promise<boolean> {
    try {
      this.#opening ??= this.#open.store().catch((error: unknown) => {
        this.#opening = null;
        throw error;
      });
      this.#store = await withTimeout(this.#opening, STORE_PATIENCE_MS);
      this.#last = (await withTimeout(readFrom(this.#store, this.#run), STORE_PATIENCE_MS)) ?? this.#last;
      return true;
    } catch {
      const broken = this.#store;
      if (broken !== null) this.#store = this.#opening = null;
      void broken?.close().catch(() => undefined);
      return false;
    }
  }

  #ask(): Promise<void> {
    return (this.#asking ??= this.#askEngine().finally(() => {
      this.#asking = null;
    }));
  }

  /** The engine keeps this call until the workflow is closed. */
  async #listen({ client, connection }: Engine): Promise<void> {
    if (this.#listens) return;
    this.#listens = true;
    const result = () => client.workflow.getHandle(runWorkflowId(this.#run)).result();
    await endedBy(connection, this.#ending.signal, result).catch(() => undefined);
    if (this.#ending.signal.aborted) return;
    await this.#asking;
    await this.#ask();
    this.#listens = false;
    if (this.#closed !== null) this.#over.abort();
  }

  async #askEngine(): Promise<void> {
    try {
      const to = (this.#engine ??= await this.#open.engine());
      if (this.#ending.signal.aborted) {
        await to.close();
        return;
      }
      await endedBy(to.connection, this.#ending.signal, async () => {
        const handle = to.client.workflow.getHandle(runWorkflowId(this.#run));
        const description = await handle.describe();
        this.#engineAway = false;
        this.#described = wordOfExecution(description);
        this.#closed = this.#described.open ? null : description.status.name;
        if (this.#closed !== null) return;
        void this.#listen(to);
        this.#live = (await askWorkflow(to, this.#run)) ?? this.#live;
      });
    } catch (error) {
      if (isNotFound(error)) {
        this.#engineAway = false;
        this.#closed = 'NOT_FOUND';
        this.#described = CLOSED;
        return;
      }
      this.#engineAway = true;
      const broken = this.#engine;
      this.#engine = null;
      void broken?.close().catch(() => undefined);
    }
  }
}

export const createSource = (run: string, open: Open): Source => new WatchSource(run, open);

const readFrom = async (store: Watched, run: string): Promise<RunDocument | null> => {
  const document = await store.readRun(run);
  return document && (await withUnanswered(store, [document]))[0]!;
};

const askWorkflow = async (
  engine: Engine,
  run: string,
): Promise<{ word: RunProgress; inStep: InStep | null; atMs: number } | null> => {
  try {
    const { inStep, ...word } = await progressOf(engine, run, ANSWER_MS);
    return { word, inStep, atMs: Date.now() };
  } catch (error) {
    if (isNotFound(error)) throw error;
    return null;
  }
};

const withTimeout = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
};

// Where watching gets its facts: the run document from the store, and the live state from the workflow. It never throws
// because a part is away.
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

export type Source = { readonly facts: () => Promise<Facts>; readonly close: () => Promise<void> };

/** What watching asks of a store: a test that plays one is told by the compiler when this changes. */
type Watched = Pick<Store, 'readRun' | 'owed' | 'close'>;
type Open = { readonly store: () => Promise<Watched>; readonly engine: () => Promise<Engine> };

/** Queries and descriptions are asked in the background, because a worker that is away must not hold up the display. */
const STALE_MS = 8_000;
const STORE_PATIENCE_MS = 10_000;
const ANSWER_MS = 5_000;

export const createSource = (run: string, open: Open): Source => {
  /** Is kept while the store is being opened, so that a database that answers late is waited for and not asked anew. */
  let opening: Promise<Watched> | null = null;
  let store: Watched | null = null;
  let engine: Engine | null = null;
  let last: RunDocument | null = null;
  let live: { word: RunProgress; inStep: InStep | null; atMs: number } | null = null;
  let closed: string | null = null;
  /** What the engine said of the workflow when it was asked last. */
  let described: WorkflowWord | null = null;
  let asking: Promise<void> | null = null;
  let engineAway = false;
  const ending = new AbortController();
  const startedMs = Date.now();

  const readRun = async (): Promise<boolean> => {
    try {
      opening ??= open.store().catch((error: unknown) => {
        opening = null;
        throw error;
      });
      store = await withTimeout(opening, STORE_PATIENCE_MS);
      last = (await withTimeout(readFrom(store, run), STORE_PATIENCE_MS)) ?? last;
      return true;
    } catch {
      const broken = store;
      if (broken !== null) store = opening = null;
      void broken?.close().catch(() => undefined);
      return false;
    }
  };

  const askEngine = async (): Promise<void> => {
    try {
      const to = (engine ??= await open.engine());
      if (ending.signal.aborted) {
        await to.close();
        return;
      }
      await endedBy(to.connection, ending.signal, async () => {
        const handle = to.client.workflow.getHandle(runWorkflowId(run));
        const description = await handle.describe();
        engineAway = false;
        described = wordOfExecution(description);
        closed = described.open ? null : description.status.name;
        if (closed === null) live = (await askWorkflow(to, run)) ?? live;
      });
    } catch (error) {
      if (isNotFound(error)) {
        engineAway = false;
        closed = 'NOT_FOUND';
        described = CLOSED;
        return;
      }
      engineAway = true;
      const broken = engine;
      engine = null;
      void broken?.close().catch(() => undefined);
    }
  };

  return {
    async facts() {
      asking ??= askEngine().finally(() => {
        asking = null;
      });
      const reached = await readRun();
      const fresh = live !== null && Date.now() - live.atMs < STALE_MS;
      const silent = !fresh && Date.now() - startedMs > STALE_MS && closed === null;
      const waitingFor = !reached ? 'the database' : engineAway ? 'the workflow engine' : silent ? 'the workers' : null;
      const word = engineAway
        ? null
        : fresh && live !== null && closed === null
          ? wordOfProgress(live.word)
          : described;
      return {
        run: last && standing(last, word),
        live: fresh ? (live?.word ?? null) : null,
        inStep: fresh ? (live?.inStep ?? null) : null,
        waitingFor,
        closed,
      };
    },
    /** A question that is under way is dropped. */
    async close() {
      ending.abort();
      if (store === null) void opening?.then((late) => late.close()).catch(() => undefined);
      await store?.close().catch(() => undefined);
      await engine?.close().catch(() => undefined);
    },
  };
};

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

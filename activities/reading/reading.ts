// Texts of models and candidates are read in threads of their own, so that no text can hold the event loop on which all
// runs of a worker live. A thread has a limit on CPU time for each text and one on memory; passing a limit is the
// outcome of that text, and never an error of the step that it belongs to.
import { Worker } from 'node:worker_threads';
import type { Reading, ReadOf, TextOf } from './readings.ts';

/** The result of reading a text, or the reason for which it could not be read. */
export type Read<T> = { readonly value: T; readonly failed: null } | { readonly value: null; readonly failed: string };

/** Texts that are read in this order. */
export type ToThread = { readonly reading: Reading; readonly texts: readonly unknown[] };

type Limits = {
  /** CPU time of the thread for one text. Wall time says nothing, because the machine may be busy. */
  readonly cpuMs: number;
  readonly heapMb: number;
  readonly threads: number;
};

const LIMITS: Limits = { cpuMs: 5_000, heapMb: 512, threads: 2 };

/** The pause between two questions to a busy thread for its CPU time. */
const LOOK_MS = 250;
/** A thread that does not even say its CPU time for so long stands in one operation that cannot be interrupted. */
const SILENT_MS = 120_000;
/** A thread that has nothing to do for so long is ended, so that its memory is given back. */
const IDLE_MS = 30_000;

type Batch = ToThread & { readonly reads: Read<unknown>[]; readonly done: () => void };

type Thread = {
  readonly worker: Worker;
  /** The CPU time, in milliseconds, that the thread had taken when it began with the present text. */
  readonly began: Float64Array;
  idle: NodeJS.Timeout | null;
};

/** Reads lists of texts, in order; the results are in the order of the texts. Nothing is thrown for a text. */
export type ReadTexts = <K extends Reading>(
  reading: K,
  texts: readonly TextOf<K>[],
) => Promise<readonly Read<ReadOf<K>>[]>;

/** Null when all texts are read, else what the thread died of; it is ended then. */
const readBy = (
  { worker, began }: Thread,
  { reading, texts, reads }: Batch,
  { cpuMs, heapMb }: Limits,
): Promise<string | null> =>
  new Promise((resolve) => {
    let heard = performance.now();
    let asked = false;
    const end = (failed: string | null): void => {
      clearInterval(look);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      if (failed !== null) void worker.terminate();
      resolve(failed);
    };
    const look = setInterval(() => {
      if (performance.now() - heard > SILENT_MS) return end(`reading it took longer than ${SILENT_MS / 1000} s`);
      if (asked) return;
      asked = true;
      const of = reads.length;
      worker.cpuUsage().then(
        ({ user, system }) => {
          asked = false;
          heard = performance.now();
          if (of === reads.length && (user + system) / 1000 - began[0]! > cpuMs)
            end(`reading it took longer than ${cpuMs / 1000} s of CPU time`);
        },
        // It has not begun yet, or has ended, which its events say.
        () => {
          asked = false;
        },
      );
    }, LOOK_MS);
    const onMessage = (read: Read<unknown>): void => {
      heard = performance.now();
      reads.push(read.failed === null ? read : { value: null, failed: `reading it failed: ${read.failed}` });
      if (reads.length === texts.length) end(null);
    };
    const onError = (error: Error & { code?: string }): void =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `reading it took more than ${heapMb} MB of memory`
          : `reading it failed: ${error.message.slice(0, 200)}`,
      );
    const onExit = (code: number): void => end(`reading it failed: the thread ended with ${code}`);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage({ reading, texts: texts.slice(reads.length) } satisfies ToThread);
  });

/** Threads that read texts; at most a set number of them at a time. */
class ReadingThreads {
  readonly #limits: Limits;
  readonly #free: Thread[] = [];
  readonly #waiting: Batch[] = [];
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  read<K extends Reading>(reading: K, texts: readonly TextOf<K>[]): Promise<readonly Read<ReadOf<K>>[]> {
    return new Promise((resolve) => {
      if (texts.length === 0) return resolve([]);
      const reads: Read<unknown>[] = [];
      this.#waiting.push({ reading, texts, reads, done: () => resolve(reads as never) });
      this.#next();
    });
  }

  #started(): Thread {
    const began = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { began },
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
      // It needs neither keys nor the options of the process around it.
      env: {},
      execArgv: [],
    });
    const thread: Thread = { worker, began, idle: null };
    // A thread may end while nothing is read; without a listener, its error would end the process.
    worker.on('error', () => {});
    worker.on('exit', () => this.#leave(thread));
    return thread;
  }

  #leave(thread: Thread): void {
    if (this.#free.includes(thread)) this.#free.splice(this.#free.indexOf(thread), 1);
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#running < this.#limits.threads) {
      this.#running += 1;
      const thread = this.#free.pop() ?? this.#started();
      if (thread.idle !== null) clearTimeout(thread.idle);
      thread.worker.ref();
      void this.#serve(thread, this.#waiting.shift()!);
    }
  }

  /** Lets the thread read the batch. When the thread dies of a text, another one goes on with the next text. */
  async #serve(first: Thread, batch: Batch): Promise<void> {
    let thread: Thread | null = first;
    while (batch.reads.length < batch.texts.length) {
      thread ??= this.#started();
      const failed = await readBy(thread, batch, this.#limits);
      if (failed === null) continue;
      batch.reads.push({ value: null, failed });
      thread = null;
    }
    this.#running -= 1;
    if (thread !== null) this.#rest(thread);
    batch.done();
    this.#next();
  }

  #rest(thread: Thread): void {
    this.#free.push(thread);
    thread.worker.unref();
    thread.idle = setTimeout(() => {
      this.#leave(thread);
      void thread.worker.terminate();
    }, IDLE_MS).unref();
  }
}

export const createReadTexts = (limits: Limits = LIMITS): ReadTexts => {
  const threads = new ReadingThreads(limits);
  return (reading, texts) => threads.read(reading, texts);
};

/** The threads of this process. They start with the first text and end when there is nothing to read. */
export const readTexts: ReadTexts = createReadTexts();

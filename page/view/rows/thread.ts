// The page's side of its worker: one worker for the whole page, questions with tickets, columns that are sent as they
// grow.
import { columnsOfQuery, type RowQuery } from '../../api/rows/order.ts';
import type { Rows } from '../../api/rows/rows.ts';
import type { WorkMessage, Results, Grown, WorkReply, Work } from '../../api/rows/tasks.ts';

type Question = { readonly done: (value: never) => void; readonly failed: (error: Error) => void };

/** A rewind or another run makes another table; only the last few are kept. */
const TABLES = 2;

class Thread {
  #worker: Worker | null = null;
  #tickets = 0;
  readonly #waiting = new Map<number, Question>();
  /** The number of rows of each column that the worker has, by table. */
  readonly #sent = new Map<string, Map<string, number>>();

  ask<T>(work: Work, transfer: readonly Transferable[] = []): Promise<T> {
    return new Promise<T>((done, failed) => {
      const question: WorkMessage = { ticket: ++this.#tickets, work };
      this.#waiting.set(question.ticket, { done, failed });
      (this.#worker ??= this.#start()).postMessage(question, [...transfer]);
    });
  }

  /** Sends the rows of these columns that the worker does not have. */
  send(table: string, rows: Rows, names: readonly string[]): void {
    const lengths = this.#lengthsOf(table);
    const columns: Grown[] = [];
    for (const name of names) {
      const [whole, from] = [rows.column[name], lengths.get(name) ?? 0];
      if (whole === undefined || from >= whole.length) continue;
      columns.push({ name, from, values: whole.slice(from) });
      lengths.set(name, whole.length);
    }
    const buffers = columns.map(({ values }) => values.buffer as ArrayBuffer);
    if (columns.length > 0) this.#order({ kind: 'columns', table, columns }, buffers);
  }

  /** The table becomes the newest, and old ones are dropped. */
  #lengthsOf(table: string): Map<string, number> {
    const lengths = this.#sent.get(table) ?? new Map<string, number>();
    this.#sent.delete(table);
    this.#sent.set(table, lengths);
    for (const old of [...this.#sent.keys()].slice(0, -TABLES)) {
      this.#sent.delete(old);
      this.#order({ kind: 'drop', table: old });
    }
    return lengths;
  }

  /** Work without an answer. Where it fails, the next question says so. */
  #order(work: Work, transfer: readonly Transferable[] = []): void {
    this.ask<null>(work, transfer).catch(() => undefined);
  }

  /** A page that was exported has the script inside itself, in an element that nothing runs. */
  #start(): Worker {
    const inside = document.getElementById('worker-script')?.textContent;
    const worker =
      inside === undefined
        ? new Worker('worker.js')
        : new Worker(URL.createObjectURL(new Blob([inside], { type: 'text/javascript' })));
    worker.onmessage = ({ data }) => {
      const reply = data as WorkReply;
      const question = this.#waiting.get(reply.ticket);
      this.#waiting.delete(reply.ticket);
      if ('failed' in reply) question?.failed(new Error(reply.failed));
      else question?.done(reply.done as never);
    };
    // The script could not be loaded, or died. The next question starts it again.
    worker.onerror = () => {
      this.#worker = null;
      for (const { failed } of this.#waiting.values())
        failed(new Error('the worker of this page has ended: load the page again'));
      this.#waiting.clear();
      this.#sent.clear();
    };
    return worker;
  }
}

const thread = new Thread();

/** The rows that a query wants, in its order. `run` names the table. */
export const askOrder = (run: string, rows: Rows, query: RowQuery): Promise<Results['order']> => {
  const table = `${run} ${rows.lineage}`;
  thread.send(table, rows, columnsOfQuery(query));
  return thread.ask<Results['order']>({ kind: 'order', table, rows: rows.rows, query });
};

export const askCompare = (before: string, after: string): Promise<Results['compare']> =>
  thread.ask({ kind: 'compare', before, after });
export const askColour = (code: string, language: string): Promise<Results['colour']> =>
  thread.ask({ kind: 'colour', code, language });

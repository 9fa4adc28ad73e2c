// The page's side of its worker: one worker for the whole page, questions with tickets, columns that are sent as they
// grow.
import type { Rows } from '../../api/rows/rows.ts';
import { columnsOfQuery, type RowQuery } from '../../api/rows/order.ts';
import type { Asked, Done, Grown, Told, Work } from '../../api/rows/tasks.ts';

let worker: Worker | null = null;
let tickets = 0;
const waiting = new Map<number, { readonly done: (value: never) => void; readonly failed: (error: Error) => void }>();

/** A page that was exported has the script inside itself, in an element that nothing runs. */
const started = (): Worker => {
  const inside = document.getElementById('worker-script')?.textContent;
  const one =
    inside === undefined
      ? new Worker('/worker.js')
      : new Worker(URL.createObjectURL(new Blob([inside], { type: 'text/javascript' })));
  one.onmessage = ({ data }) => {
    const reply = data as Told;
    const question = waiting.get(reply.ticket);
    waiting.delete(reply.ticket);
    if ('failed' in reply) question?.failed(new Error(reply.failed));
    else question?.done(reply.done as never);
  };
  one.onerror = () => {
    // The script could not be loaded, or died: whoever waits is told, and the next question starts it again.
    worker = null;
    for (const { failed } of waiting.values())
      failed(new Error('the worker of this page has ended: load the page again'));
    waiting.clear();
    sent.clear();
  };
  return one;
};

const ask = <T>(work: Work, transfer: readonly Transferable[] = []): Promise<T> =>
  new Promise<T>((done, failed) => {
    const question: Asked = { ticket: ++tickets, work };
    waiting.set(question.ticket, { done, failed });
    (worker ??= started()).postMessage(question, [...transfer]);
  });

/** The number of rows of each column that the worker has, by table. */
const sent = new Map<string, Map<string, number>>();
/** A rewind or another run makes another table; only the last few are kept. */
const TABLES = 2;

const send = (table: string, rows: Rows, names: readonly string[]): void => {
  const has = sent.get(table) ?? new Map<string, number>();
  sent.delete(table);
  sent.set(table, has);
  for (const old of [...sent.keys()].slice(0, -TABLES)) {
    sent.delete(old);
    void ask<null>({ kind: 'drop', table: old }).catch(() => undefined);
  }
  const columns: Grown[] = [];
  for (const name of names) {
    const [whole, from] = [rows.column[name], has.get(name) ?? 0];
    if (whole === undefined || from >= whole.length) continue;
    columns.push({ name, from, values: whole.slice(from) });
    has.set(name, whole.length);
  }
  if (columns.length > 0)
    void ask<null>(
      { kind: 'columns', table, columns },
      columns.map(({ values }) => values.buffer as ArrayBuffer),
    ).catch(() => undefined);
};

/** The rows that a query wants, in its order. `run` names the table. */
export const askOrder = (run: string, rows: Rows, query: RowQuery): Promise<Done['order']> => {
  const table = `${run} ${rows.lineage}`;
  send(table, rows, columnsOfQuery(query));
  return ask<Done['order']>({ kind: 'order', table, rows: rows.rows, query });
};

export const askCompare = (before: string, after: string): Promise<Done['compare']> =>
  ask({ kind: 'compare', before, after });
export const askColour = (code: string): Promise<Done['colour']> => ask({ kind: 'colour', code });

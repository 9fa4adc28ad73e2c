// The worker of a page, a script of its own: it keeps columns of runs, and does the work that would hold the page up.
import { diffLines } from 'diff';
import type { Column } from '../../api/rows/columns.ts';
import { lengthsOf, linesOf } from '../../api/program/diff.ts';
import { orderOf } from '../../api/rows/order.ts';
import { coloursOf } from '../../api/program/colours.ts';
import { grown } from '../../api/rows/rows.ts';
import type { WorkMessage, Results, WorkReply, Work } from '../../api/rows/tasks.ts';

const tables = new Map<string, { [name: string]: Column }>();

/** Texts that have little in common are compared for this long; then all of one stands against all of the other. */
const COMPARE_MS = 3_000;

const compare = (before: string, after: string): Uint32Array => {
  const parts = diffLines(before, after, { timeout: COMPARE_MS, stripTrailingCr: false });
  return parts === undefined
    ? Uint32Array.of(0, linesOf(before).length, linesOf(after).length)
    : lengthsOf(parts.map(({ count, added, removed }) => ({ count: count ?? 0, added, removed })));
};

const carryOut = (work: Work): Results[keyof Results] | null => {
  switch (work.kind) {
    case 'columns': {
      const table = tables.get(work.table) ?? {};
      for (const { name, from, values } of work.columns)
        table[name] = grown(from === 0 ? undefined : table[name], values, from);
      tables.set(work.table, table);
      return null;
    }
    case 'drop':
      tables.delete(work.table);
      return null;
    case 'order': {
      const began = performance.now();
      const rows = orderOf({ rows: work.rows, column: tables.get(work.table) ?? {} }, work.query);
      return { rows, ms: performance.now() - began };
    }
    case 'compare':
      return compare(work.before, work.after);
    case 'colour':
      return coloursOf(work.code, work.language);
  }
};

type Scope = {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer: readonly ArrayBufferLike[]): void;
};
/** The global scope of a worker, for which a page's types have no name. */
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => {
  const { ticket, work } = data as WorkMessage;
  try {
    const done = carryOut(work);
    const reply: WorkReply = { ticket, done };
    const array = done === null ? null : done instanceof Uint32Array ? done : done.rows;
    scope.postMessage(reply, array === null ? [] : [array.buffer]);
  } catch (error) {
    const reply: WorkReply = { ticket, failed: error instanceof Error ? error.message : String(error) };
    scope.postMessage(reply, []);
  }
};

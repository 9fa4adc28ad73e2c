// The questions of a page to its worker, and the answers. The worker orders rows, compares texts and colours code, so
// that the page stays responsive.
import type { Column } from './columns.ts';
import type { RowQuery } from './order.ts';

export type Work =
  /** Values of columns of a table, which the worker keeps, each from its row `from` on. */
  | { readonly kind: 'columns'; readonly table: string; readonly columns: readonly Grown[] }
  | { readonly kind: 'drop'; readonly table: string }
  | { readonly kind: 'order'; readonly table: string; readonly rows: number; readonly query: RowQuery }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }
  | { readonly kind: 'colour'; readonly code: string; readonly language: string };

/** The new part of a column. */
export type Grown = { readonly name: string; readonly from: number; readonly values: Column };

export type Results = {
  /** Rows in the order in which they are shown, and how long that took. */
  readonly order: { readonly rows: Uint32Array; readonly ms: number };
  /** As in `page/api/program/diff.ts`. */
  readonly compare: Uint32Array;
  /** As in `page/api/program/colours.ts`. */
  readonly colour: Uint32Array;
};

export type WorkMessage = { readonly ticket: number; readonly work: Work };
export type WorkReply =
  | { readonly ticket: number; readonly done: Results[keyof Results] | null }
  | { readonly ticket: number; readonly failed: string };

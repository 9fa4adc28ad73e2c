// Programs of a run as typed columns: what travels to a page in one answer, and what tables and plots are made of. A row
// is a program of the run's present lineage, in the order in which programs were committed; row 0 is the initial one.
// Everything here is pure and runs in the browser and on the server.
//
// On the wire, little-endian: the length of the header in bytes (Uint32), the header as JSON, then one column after the
// other, each beginning at a multiple of 8 bytes from the start.

export const COLUMN_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
export type ColumnType = keyof typeof COLUMN_TYPES;
export type Column = InstanceType<(typeof COLUMN_TYPES)[ColumnType]>;

/**
 * Sets of columns, each asked for when it is first needed.
 *
 * base: `owner` (index into `owners`), `step`, `named` (the step in whose name the id is), `epoch`, `slot`, `island`,
 * `outcome` (index into `outcomes`), `score` and `strict` (as the task counts them; NaN for none), `parent` (row, -1 for
 * none), `length` (of the code, in characters), `flags` (FLAGS).
 *
 * paid: `model` (index into `models`), `tokensIn`, `tokensOut`, `cost` (US dollars), of the response alone.
 *
 * features: `f0`, `f1`, ... in the order of `features`; NaN for none. `reward`.
 */
export const COLUMN_SETS = {
  base: {
    owner: 'u8',
    step: 'u32',
    named: 'u32',
    epoch: 'u16',
    slot: 'u32',
    island: 'u16',
    outcome: 'u8',
    score: 'f64',
    strict: 'f64',
    parent: 'i32',
    length: 'u32',
    flags: 'u8',
  },
  paid: { model: 'u8', tokensIn: 'u32', tokensOut: 'u32', cost: 'f32' },
  features: { reward: 'f32' },
} as const satisfies { readonly [set: string]: { readonly [name: string]: ColumnType } };
export type ColumnSet = keyof typeof COLUMN_SETS;

/** `change`: it has a delta. `helped`: it is better than its parent. `record`: it was the best of the run so far. */
export const FLAGS = { injected: 1, founder: 2, change: 4, helped: 8, record: 16, idea: 32 } as const;

export type ColumnsHeader = {
  /** Names the present lineage: it changes when a rewind sets rows aside, so that nothing stale is appended to. */
  readonly lineage: string;
  readonly set: ColumnSet;
  /** The first row of this answer, and the number of rows in it. */
  readonly from: number;
  readonly rows: number;
  /** Rows that are committed in all, as far as the server knows. */
  readonly total: number;
  readonly owners: readonly string[];
  readonly outcomes: readonly string[];
  readonly models: readonly string[];
  readonly features: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
};

export type Columns = { readonly header: ColumnsHeader; readonly column: { readonly [name: string]: Column } };

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Throws where a column is missing, or has another type or length than the header says. */
export const encodeColumns = ({ header, column }: Columns): Uint8Array => {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = padded(4 + text.length);
  const size = header.columns.reduce(
    (sum, { type }) => sum + padded(COLUMN_TYPES[type].BYTES_PER_ELEMENT * header.rows),
    start,
  );
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = start;
  for (const { name, type } of header.columns) {
    const values = column[name];
    if (!(values instanceof COLUMN_TYPES[type]) || values.length !== header.rows)
      throw new TypeError(
        `column ${name}: expected ${header.rows} values of type ${type}, got ${values?.constructor.name} of ${values?.length}`,
      );
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += padded(values.byteLength);
  }
  return bytes;
};

/** Views into the bytes, nothing is copied. Throws RangeError where the bytes end too early. */
export const decodeColumns = (bytes: ArrayBuffer): Columns => {
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as ColumnsHeader;
  const column: { [name: string]: Column } = {};
  let at = padded(4 + length);
  for (const { name, type } of header.columns) {
    column[name] = new COLUMN_TYPES[type](bytes, at, header.rows);
    at += padded(column[name].byteLength);
  }
  return { header, column };
};

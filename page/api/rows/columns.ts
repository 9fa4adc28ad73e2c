// Programs of a run as typed columns: what travels to a page in one answer, and what tables and plots are made of. A
// row is a program of the run's present lineage, in the order in which programs were committed; row 0 is the initial
// one. Everything here is pure and runs in the browser and on the server.
//
// An answer has at most ROWS_PER_ANSWER rows: those from `from` to the next multiple of it. Whoever wants all asks
// again with the row after the last one while that is below `total`; several answers may be asked for at the same time.
// Where the lineage that was named is not the present one, the answer begins at row 0 and has the present one's name.
//
// On the wire, little-endian: the length of the header in bytes (Uint32), the header as JSON, then one column after the
// other. A column's first bytes come before its second bytes and so on, and some columns are differences, because so
// they take half the room when they are compressed.
import { type ColumnType, numberEntry, numbersIn, type NumberSet } from '../../../evolution/reports/program-numbers.ts';

/** Answers and stored files end at multiples of it. */
export const ROWS_PER_ANSWER = 16_384;

export const COLUMN_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const satisfies { readonly [type in ColumnType]: unknown };
export type Column = InstanceType<(typeof COLUMN_TYPES)[ColumnType]>;

const typesIn = (set: NumberSet): { readonly [name: string]: ColumnType } =>
  Object.fromEntries(numbersIn(set).map((name) => [name, numberEntry(name).type]));

/**
 * Sets of columns, each asked for when it is first needed: `runs/:run/columns?set=base&from=0`. Each has the numbers of
 * evolution/reports/program-numbers.ts, NaN for none, and these beside them:
 *
 * base: `owner` (index into `owners`), `step`, `named` (the step in whose name the id is), `epoch`, `slot`, `island`,
 * `outcome` (index into `outcomes`), `parent` (row, -1 for none), `flags` (FLAGS).
 *
 * features: `f0`, `f1`, ... in the order of `features`, the measured ones alone.
 *
 * paid: `model` (index into `models`, whose first is '' for programs that no model answered).
 */
export const COLUMN_SETS: { readonly [set in NumberSet]: { readonly [name: string]: ColumnType } } = {
  base: {
    owner: 'u16',
    step: 'u32',
    named: 'u32',
    epoch: 'u16',
    slot: 'u32',
    island: 'u16',
    outcome: 'u8',
    ...typesIn('base'),
    parent: 'i32',
    flags: 'u8',
  },
  features: typesIn('features'),
  paid: { model: 'u16', ...typesIn('paid') },
  evaluated: typesIn('evaluated'),
};
export type ColumnSet = NumberSet;
export const columnSets = Object.keys(COLUMN_SETS) as readonly ColumnSet[];
export const isColumnSet = (text: string): text is ColumnSet => Object.hasOwn(COLUMN_SETS, text);

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
  /** `more` if a higher score is better; null where nothing was valid so far. */
  readonly better: 'more' | 'less' | null;
  /** Runs whose programs these are: the run itself, and those that it was forked off. */
  readonly owners: readonly string[];
  readonly outcomes: readonly string[];
  readonly models: readonly string[];
  readonly features: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
};

export type Columns = { readonly header: ColumnsHeader; readonly column: { readonly [name: string]: Column } };

type Values = ColumnsHeader['columns'];
/** Is part of the form of stored files. */
const DIFFERENCES: ReadonlySet<string> = new Set(['step', 'named', 'slot', 'parent']);

const widthOf = (type: ColumnType): number => COLUMN_TYPES[type].BYTES_PER_ELEMENT;
const sizeOf = (columns: Values, rows: number): number =>
  columns.reduce((sum, { type }) => sum + widthOf(type) * rows, 0);

/** Differences to the value before, or back, in place; a wrap-around is undone by the way back. */
const toDifferences = (values: Column): void => {
  for (let i = values.length - 1; i > 0; i--) values[i] = values[i]! - values[i - 1]!;
};
const fromDifferences = (values: Column): void => {
  for (let i = 1; i < values.length; i++) values[i] = values[i]! + values[i - 1]!;
};

/** Two scores of a program are mostly the same, and then nothing is left. */
const crossed = (strict: Uint8Array, score: Uint8Array): void => {
  for (let i = 0; i < strict.length; i++) strict[i]! ^= score[i]!;
};

const bytesOf = ({ buffer, byteOffset, byteLength }: Column): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const splitInto = (to: Uint8Array, from: Uint8Array, width: number): void => {
  const count = from.length / width;
  for (let byte = 0; byte < width; byte++)
    for (let i = 0; i < count; i++) to[byte * count + i] = from[i * width + byte]!;
};
const joinInto = (to: Uint8Array, from: Uint8Array, width: number): void => {
  const count = to.length / width;
  for (let byte = 0; byte < width; byte++)
    for (let i = 0; i < count; i++) to[i * width + byte] = from[byte * count + i]!;
};

/** The length of the header and the header, as they stand before the columns. */
export const encodeHeader = (header: ColumnsHeader): Uint8Array<ArrayBuffer> => {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  return bytes;
};

/** The columns alone. Throws where one is missing, or has another type or length than the header says. */
export const encodeValues = ({ header, column }: Columns): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(sizeOf(header.columns, header.rows));
  let at = 0;
  for (const { name, type } of header.columns) {
    const values = column[name];
    if (!(values instanceof COLUMN_TYPES[type]) || values.length !== header.rows)
      throw new TypeError(
        `column ${name}: expected ${header.rows} values of type ${type}, got ${values?.constructor.name} of ${values?.length}`,
      );
    const copy = values.slice();
    if (DIFFERENCES.has(name)) toDifferences(copy);
    if (name === 'strictScore' && column['score'] !== undefined) crossed(bytesOf(copy), bytesOf(column['score']));
    splitInto(bytes.subarray(at, at + copy.byteLength), bytesOf(copy), widthOf(type));
    at += copy.byteLength;
  }
  return bytes;
};

export const encodeColumns = (columns: Columns): Uint8Array<ArrayBuffer> => {
  const [header, values] = [encodeHeader(columns.header), encodeValues(columns)];
  const bytes = new Uint8Array(header.length + values.length);
  bytes.set(header);
  bytes.set(values, header.length);
  return bytes;
};

/** The end of the header. Throws RangeError where there is none. */
const endOfHeader = (bytes: Uint8Array): number => {
  const length = bytes.length < 4 ? Infinity : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (4 + length > bytes.length) throw new RangeError(`columns: expected a header, got ${bytes.length} bytes`);
  return 4 + length;
};
const headerOf = (bytes: Uint8Array, end: number): string => new TextDecoder().decode(bytes.subarray(4, end));

/** The same columns behind a header whose JSON was changed. */
export const withHeader = (bytes: Uint8Array, change: (json: string) => string): Uint8Array => {
  const end = endOfHeader(bytes);
  const header = encodeHeader(JSON.parse(change(headerOf(bytes, end))) as ColumnsHeader);
  const changed = new Uint8Array(header.length + bytes.length - end);
  changed.set(header);
  changed.set(bytes.subarray(end), header.length);
  return changed;
};

/** Throws RangeError where the bytes are not as many as the header says. */
export const decodeColumns = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Columns => {
  const all = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const end = endOfHeader(all);
  const header = JSON.parse(headerOf(all, end)) as ColumnsHeader;
  const expected = end + sizeOf(header.columns, header.rows);
  if (all.length !== expected) throw new RangeError(`columns: expected ${expected} bytes, got ${all.length}`);
  const column: { [name: string]: Column } = {};
  let at = end;
  for (const { name, type } of header.columns) {
    const values = new COLUMN_TYPES[type](header.rows);
    joinInto(bytesOf(values), all.subarray(at, at + values.byteLength), widthOf(type));
    if (DIFFERENCES.has(name)) fromDifferences(values);
    if (name === 'strictScore' && column['score'] !== undefined) crossed(bytesOf(values), bytesOf(column['score']));
    column[name] = values;
    at += values.byteLength;
  }
  return { header, column };
};

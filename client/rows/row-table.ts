// Rows as one table: CSV, an Arrow stream or Parquet. They wait in a scratch file, because each may bring columns
// (metrics) that the rows before it have not, and memory holds a batch of them alone.
import { appendFileSync, createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { DataType } from 'apache-arrow';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inCsv } from '../../evolution/visible.ts';

type Cell = string | number | boolean | null;
type Row = { readonly [column: string]: Cell };
type Kind = 'DOUBLE' | 'BOOLEAN' | 'STRING';
export type Column = { readonly name: string; readonly type: Kind };

/** Fields of objects become columns `metrics.radius`; lists become JSON. */
const flat = (value: object, before = ''): readonly (readonly [string, Cell])[] =>
  Object.entries(value).flatMap(([name, field]: [string, unknown]): readonly (readonly [string, Cell])[] => {
    if (field === undefined) return [];
    if (field instanceof Date) return [[before + name, field.toISOString()]];
    if (Array.isArray(field)) return [[before + name, JSON.stringify(field)]];
    if (typeof field === 'object' && field !== null) return flat(field, `${before}${name}.`);
    return [[before + name, field as Cell]];
  });

const kindOf = (cell: Cell): Kind | null =>
  cell === null ? null : typeof cell === 'number' ? 'DOUBLE' : typeof cell === 'boolean' ? 'BOOLEAN' : 'STRING';

/** These are whole in every run, and metrics only by chance. */
const COUNTED = 'step slot island generation epoch settings programs valid answers best.step'.split(' ');
const typeOf = ({ name, type }: Column): 'INT32' | Kind =>
  type === 'DOUBLE' && COUNTED.includes(name) ? 'INT32' : type;

const inParquet = (column: Column): 'INT32' | 'TIMESTAMP' | Kind =>
  column.name === 'at' && column.type === 'STRING' ? 'TIMESTAMP' : typeOf(column);

/** The cell as its column has it. */
const ofKind = (cell: Cell | undefined, kind: Kind): Cell =>
  cell == null ? null : kind === 'STRING' ? String(cell) : cell;

/** Rows that are written, or make an Arrow batch, at once. */
const BATCH = 1_000;

export class RowTable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'evolve-rows-'));
  readonly #scratch = join(this.#folder, 'rows.jsonl');
  /** Lines that are not in the scratch file yet. */
  #lines: string[] = [];
  /** In the order in which they came; null where no row has a value of it yet. A column of two kinds holds texts. */
  readonly #columns = new Map<string, Kind | null>();
  #rows = 0;

  /** `always` are columns that a table has whatever its rows are. */
  constructor(always: readonly Column[] = []) {
    writeFileSync(this.#scratch, '');
    for (const { name, type } of always) this.#columns.set(name, type);
  }

  get rows(): number {
    return this.#rows;
  }

  add(row: object): void {
    const cells = flat(row);
    for (const [name, cell] of cells) {
      const [known = null, kind] = [this.#columns.get(name), kindOf(cell)];
      this.#columns.set(name, known === null || kind === null ? (known ?? kind) : known === kind ? known : 'STRING');
    }
    this.#lines.push(`${JSON.stringify(Object.fromEntries(cells))}\n`);
    this.#rows += 1;
    if (this.#lines.length === BATCH) this.#flush();
  }

  async *csv(): AsyncGenerator<string> {
    const names = this.#typed().map(({ name }) => name);
    yield `${names.map(inCsv).join(',')}\r\n`;
    for await (const rows of this.#batches())
      yield rows
        .map((row) =>
          names.map((name) => inCsv(typeof row[name] === 'boolean' ? String(row[name]) : (row[name] ?? null))),
        )
        .map((cells) => `${cells.join(',')}\r\n`)
        .join('');
  }

  /** An Arrow IPC stream, a record batch at a time. */
  async *arrow(): AsyncGenerator<Uint8Array> {
    const arrow = await import('apache-arrow');
    const columns = this.#typed();
    const types: { readonly [type in 'INT32' | Kind]: DataType } = {
      DOUBLE: new arrow.Float64(),
      INT32: new arrow.Int32(),
      BOOLEAN: new arrow.Bool(),
      STRING: new arrow.Utf8(),
    };
    const schema = new arrow.Schema(columns.map((column) => new arrow.Field(column.name, types[typeOf(column)], true)));
    let written: Uint8Array[] = [];
    // The writer's own queue would hold whatever is not read yet.
    class Sink extends arrow.AsyncByteQueue {
      override write({ buffer, byteOffset, byteLength }: Uint8Array): void {
        if (byteLength > 0) written.push(new Uint8Array(buffer, byteOffset, byteLength));
      }
    }
    const taken = (): Uint8Array => {
      const bytes = Buffer.concat(written);
      written = [];
      return bytes;
    };
    const writer = new arrow.RecordBatchStreamWriter();
    writer.reset(new Sink(), schema);
    for await (const rows of this.#batches()) {
      const children = columns.map((column) => {
        const cells = rows.map((row) => ofKind(row[column.name], column.type));
        return arrow.vectorFromArray(cells, types[typeOf(column)]).data[0]!;
      });
      const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: rows.length, children });
      writer.write(new arrow.RecordBatch(schema, data));
      yield taken();
    }
    writer.finish();
    yield taken();
  }

  async parquet(file: string): Promise<void> {
    const { fileWriter, parquetWriteRows } = await import('hyparquet-writer');
    const columns = this.#typed();
    const rows = async function* (
      batches: AsyncGenerator<readonly Row[]>,
    ): AsyncGenerator<Record<string, Cell | Date>> {
      for await (const batch of batches)
        for (const row of batch)
          yield Object.fromEntries(
            columns.map((column) => {
              const cell = ofKind(row[column.name], column.type);
              return [
                column.name,
                cell !== null && inParquet(column) === 'TIMESTAMP' ? new Date(cell as string) : cell,
              ];
            }),
          );
    };
    await parquetWriteRows({
      writer: fileWriter(file),
      columns: columns.map((column) => ({ name: column.name, type: inParquet(column), nullable: true })),
      rows: rows(this.#batches()),
    });
  }

  /** Removes what waited. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Without those that held an object. One without any value is DOUBLE, to which DuckDB fits the tables of other runs. */
  #typed(): readonly Column[] {
    const names = [...this.#columns.keys()];
    return [...this.#columns]
      .filter(([name, kind]) => kind !== null || !names.some((other) => other.startsWith(`${name}.`)))
      .map(([name, kind]) => ({ name, type: kind ?? 'DOUBLE' }));
  }

  #flush(): void {
    appendFileSync(this.#scratch, this.#lines.join(''));
    this.#lines = [];
  }

  async *#batches(): AsyncGenerator<readonly Row[]> {
    this.#flush();
    let rows: Row[] = [];
    for await (const line of createInterface({ input: createReadStream(this.#scratch), crlfDelay: Infinity })) {
      rows.push(JSON.parse(line) as Row);
      if (rows.length < BATCH) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }
}

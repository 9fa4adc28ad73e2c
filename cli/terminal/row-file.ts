// `--csv` and `--parquet`: the rows of a command as a table in a file. Rows wait in a scratch file, because each may
// bring columns (metrics) that the rows before it have not.
import type { Command } from 'commander';
import { appendFileSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../../client/connect/errors.ts';
import { inCsv } from '../../evolution/visible.ts';
import { document, note } from './output.ts';

export type RowFileOptions = { readonly csv?: string; readonly parquet?: string };
type Cell = string | number | boolean | null;
type Row = { readonly [column: string]: Cell };
type Kind = 'DOUBLE' | 'BOOLEAN' | 'STRING';

/** Adds the two flags to a command that prints rows. */
export const withRowFile = (command: Command): Command =>
  command
    .option('--csv <file>', 'write the rows with all columns as CSV; - prints them')
    .option('--parquet <file>', 'write them as Parquet, for pandas, polars and DuckDB');

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

/** Lines that are written at once. */
const LINES = 1_000;

export class RowFile {
  readonly #options: RowFileOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'evolve-rows-'));
  readonly #scratch = join(this.#folder, 'rows.jsonl');
  /** Lines that are not in the scratch file yet. */
  #lines: string[] = [];
  /** In the order in which they came; null where no row has a value of it yet. A column of two kinds holds texts. */
  readonly #columns = new Map<string, Kind | null>();
  #rows = 0;

  private constructor(options: RowFileOptions) {
    this.#options = options;
  }

  /** Null where neither flag was given. Throws where both were. */
  static of(options: RowFileOptions): RowFile | null {
    if (options.csv !== undefined && options.parquet !== undefined)
      throw new UsageError('--csv, --parquet: expected one of them');
    return (options.csv ?? options.parquet) === undefined ? null : new RowFile(options);
  }

  /** Writes all rows. False where neither flag was given, so that the caller shows them. */
  static async write(options: RowFileOptions, rows: readonly object[]): Promise<boolean> {
    const file = RowFile.of(options);
    if (file === null) return false;
    for (const row of rows) file.add(row);
    await file.end();
    return true;
  }

  add(row: object): void {
    const cells = flat(row);
    for (const [name, cell] of cells) {
      const [known = null, kind] = [this.#columns.get(name), kindOf(cell)];
      this.#columns.set(name, known === null || kind === null ? (known ?? kind) : known === kind ? known : 'STRING');
    }
    this.#lines.push(`${JSON.stringify(Object.fromEntries(cells))}\n`);
    this.#rows += 1;
    if (this.#lines.length === LINES) this.#flush();
  }

  #flush(): void {
    appendFileSync(this.#scratch, this.#lines.join(''));
    this.#lines = [];
  }

  async *#each(): AsyncGenerator<Row> {
    for await (const line of createInterface({ input: createReadStream(this.#scratch), crlfDelay: Infinity }))
      yield JSON.parse(line) as Row;
  }

  async *#csv(): AsyncGenerator<string> {
    const names = [...this.#columns.keys()];
    yield `${names.map(inCsv).join(',')}\r\n`;
    for await (const row of this.#each())
      yield `${names.map((name) => inCsv(typeof row[name] === 'boolean' ? String(row[name]) : (row[name] ?? null))).join(',')}\r\n`;
  }

  async #parquet(file: string): Promise<void> {
    const { fileWriter, parquetWriteRows } = await import('hyparquet-writer');
    const columns = [...this.#columns].map(([name, kind]) => ({ name, type: kind ?? 'STRING', nullable: true }));
    const texts = columns.flatMap(({ name, type }) => (type === 'STRING' ? [name] : []));
    const rows = async function* (each: AsyncGenerator<Row>): AsyncGenerator<Row> {
      for await (const row of each)
        yield {
          ...row,
          ...Object.fromEntries(texts.map((name) => [name, row[name] == null ? null : String(row[name])])),
        };
    };
    await parquetWriteRows({ writer: fileWriter(file), columns, rows: rows(this.#each()) });
  }

  /** Writes the file, says so, and removes what waited. */
  async end(): Promise<void> {
    this.#flush();
    const { csv, parquet } = this.#options;
    try {
      if (this.#rows === 0) return note('there are no rows: no file is written');
      if (parquet !== undefined) await this.#parquet(parquet);
      else if (csv === '-') for await (const text of this.#csv()) document(text);
      else await pipeline(Readable.from(this.#csv()), createWriteStream(csv!));
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
    if (csv !== '-') note(`wrote ${this.#rows} rows to ${csv ?? parquet}`);
  }
}

// `--csv` and `--parquet`: the rows of a command as a table in a file.
import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../../client/connect/errors.ts';
import { RowTable } from '../../client/rows/row-table.ts';
import { document, note } from './output.ts';

export type RowFileOptions = { readonly csv?: string; readonly parquet?: string };

/** Adds the two flags to a command that prints rows. */
export const withRowFile = (command: Command): Command =>
  command
    .option('--csv <file>', 'write the rows with all columns as CSV; - prints them')
    .option('--parquet <file>', 'write them as Parquet, for pandas, polars and DuckDB');

export class RowFile {
  readonly #options: RowFileOptions;
  readonly #table = new RowTable();

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
    this.#table.add(row);
  }

  /** Writes the file, says so, and removes what waited. */
  async end(): Promise<void> {
    const { csv, parquet } = this.#options;
    const { rows } = this.#table;
    try {
      if (rows === 0) return note('there are no rows: no file is written');
      if (parquet !== undefined) await this.#table.parquet(parquet);
      else if (csv === '-') for await (const text of this.#table.csv()) document(text);
      else await pipeline(Readable.from(this.#table.csv()), createWriteStream(csv!));
    } finally {
      this.#table.remove();
    }
    if (csv !== '-') note(`wrote ${rows} rows to ${csv ?? parquet}`);
  }
}

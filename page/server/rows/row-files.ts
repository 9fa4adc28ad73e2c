// Rows that were read once stay in files, because the database takes long for many programs: a file for each stretch of
// rows and set of columns, compressed, with a checksum. A file that is torn, of another form or not there is made again.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sha256 } from '../../../deploy/host/sha256.ts';
import {
  type Columns,
  type ColumnSet,
  COLUMN_SETS,
  decodeColumns,
  encodeColumns,
  ROWS_PER_ANSWER,
} from '../../data/columns.ts';

/** Of the bytes in the files. Another number, other columns or another length make all of them anew. */
const FORM = 2;
/** Runs whose files nobody has used for so long lose them. */
const KEPT_MS = 30 * 86_400_000;

export type RowFiles = {
  /** Null where there is no such file that can be used. */
  read(set: ColumnSet, block: number): Columns | null;
  /** False where it could not be written; then it has to be read again at the next start. */
  write(set: ColumnSet, block: number, columns: Columns): boolean;
  /** Removes this stretch of the set and all after it. */
  dropFrom(set: ColumnSet, block: number): void;
};

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

/** `of` says whose rows these are: the database and the run, whose name may have been another's before. */
export const rowFiles = (root: string, of: readonly string[]): RowFiles => {
  const folder = join(root, 'rows', sha256(JSON.stringify([FORM, COLUMN_SETS, ROWS_PER_ANSWER, ...of])).slice(0, 24));
  const fileOf = (set: ColumnSet, block: number): string => join(folder, `${set}-${block}.zst`);
  const namesIn = (): readonly string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return {
    read(set, block) {
      const file = fileOf(set, block);
      try {
        const bytes = zstdDecompressSync(readFileSync(file));
        if (block === 0) utimesSync(folder, new Date(), new Date());
        return decodeColumns(new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength));
      } catch {
        rmSync(file, { force: true });
        return null;
      }
    },
    write(set, block, columns) {
      const part = `${fileOf(set, block)}.${process.pid}.part`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(part, zstdCompressSync(encodeColumns(columns), COMPRESSION), { mode: 0o600 });
        renameSync(part, fileOf(set, block));
        return true;
      } catch {
        rmSync(part, { force: true });
        return false;
      }
    },
    dropFrom(set, block) {
      for (const name of namesIn()) {
        const [, named, number] = /^([a-z]+)-(\d+)\.zst/.exec(name) ?? [];
        if (named === set && Number(number) >= block) rmSync(join(folder, name), { force: true });
      }
    },
  };
};

/** Removes what was not used for long. */
export const forgetOldRows = (root: string, now = Date.now()): void => {
  const rows = join(root, 'rows');
  try {
    for (const name of readdirSync(rows))
      if (now - statSync(join(rows, name)).mtimeMs > KEPT_MS)
        rmSync(join(rows, name), { recursive: true, force: true });
  } catch {
    // There is no such folder yet.
  }
};

// Rows that were read once stay in files, because the database takes long for many programs: a file for each chunk of
// rows and set of columns, compressed, with a checksum. A file that is torn, of another form or not there is made
// again. The columns lie in it as they are sent, so that a whole chunk is sent as these bytes and nothing is unpacked.
//
// A file is the checksum of all that follows (Uint32), the length of the header (Uint32), the header, and the columns;
// both are compressed by themselves, and of the columns' frame there are the blocks alone (frame.ts).
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Home } from '../../../deploy/host/home.ts';
import { sha256 } from '../../../deploy/host/sha256.ts';
import { numbersVersion } from '../../../evolution/reports/program-numbers.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import {
  type Columns,
  type ColumnSet,
  COLUMN_SETS,
  type ColumnsHeader,
  decodeColumns,
  encodeHeader,
  encodeValues,
  ROWS_PER_ANSWER,
} from '../../api/rows/columns.ts';

/** The folder in which the page keeps its files and rows. All of it can be made again. */
export const pageFolder = ({ root }: Pick<Home, 'root'>): string => join(root, 'page');

/** The form of the bytes in the files. With another one, or another table of columns, all files are made again. */
const FORM = 5;
/** Runs whose files nobody has used for so long lose them. */
const KEPT_MS = 30 * 86_400_000;

/** Columns as they are sent, compressed (the blocks of a zstd frame). */
export type PackedColumns = { readonly header: ColumnsHeader; readonly packed: Uint8Array };

/** The columns as they are sent, compressed (zstd). */
export const toSend = ({ header, packed }: PackedColumns): Uint8Array<ArrayBuffer> =>
  framed(encodeHeader(header), packed);

export const unpacked = (columns: PackedColumns): Columns => {
  const bytes = zstdDecompressSync(toSend(columns));
  return decodeColumns(new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength));
};

export type RowFiles = {
  /** Null where there is no such file that can be used. */
  read(set: ColumnSet, block: number): PackedColumns | null;
  /** False where it could not be written; then it has to be read again at the next start. */
  write(set: ColumnSet, block: number, columns: Columns): boolean;
  /** Removes this chunk of the set and all after it. */
  dropFrom(set: ColumnSet, block: number): void;
};

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** The two numbers that a file begins with. */
const HEAD_BYTES = 8;

/** `of` says whose rows these are: the database and the run, whose name may have been another's before. */
export const rowFiles = (root: string, of: readonly string[]): RowFiles => {
  const folder = join(
    root,
    'rows',
    sha256(JSON.stringify([FORM, COLUMN_SETS, numbersVersion(), OUTCOMES, ROWS_PER_ANSWER, ...of])).slice(0, 24),
  );
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
        const bytes = new Uint8Array(readFileSync(file));
        const head = new DataView(bytes.buffer);
        if (crc32(bytes.subarray(4)) !== head.getUint32(0, true)) throw new RangeError('the file is torn');
        const values = HEAD_BYTES + head.getUint32(4, true);
        if (block === 0) utimesSync(folder, new Date(), new Date());
        const header = zstdDecompressSync(bytes.subarray(HEAD_BYTES, values)).toString('utf8');
        return { header: JSON.parse(header) as ColumnsHeader, packed: bytes.subarray(values) };
      } catch {
        rmSync(file, { force: true });
        return null;
      }
    },
    write(set, block, columns) {
      const part = `${fileOf(set, block)}.${process.pid}-${threadId}.part`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const header = zstdCompressSync(JSON.stringify(columns.header));
        const length = Buffer.alloc(4);
        length.writeUInt32LE(header.length);
        const rest = Buffer.concat([length, header, blocksOf(zstdCompressSync(encodeValues(columns), COMPRESSION))]);
        const sum = Buffer.alloc(4);
        sum.writeUInt32LE(crc32(rest));
        writeFileSync(part, Buffer.concat([sum, rest]), { mode: 0o600 });
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

const MAGIC = 0xfd2fb528;
/** The window of 8 MiB that browsers take; no length of the content, no checksum, no dictionary. */
const DESCRIPTOR = [0x00, 13 << 3] as const;
const MOST_BYTES = 2 ** 17;
const LENGTH_BYTES = [0, 2, 4, 8] as const;

/** The blocks of a frame that was made in one go and without a checksum. */
export const blocksOf = (frame: Uint8Array): Uint8Array => {
  const descriptor = frame[4]!;
  const whole = (descriptor & 0x20) !== 0;
  const length = LENGTH_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3];
  // A frame that is one piece names no window; its length takes at least a byte.
  return frame.subarray(5 + (whole ? Math.max(1, length) : 1 + length));
};

/** A frame of these bytes, of which there are at most 128 KiB, and then of the blocks. */
export const framed = (first: Uint8Array, blocks: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (first.length > MOST_BYTES) throw new RangeError(`expected at most ${MOST_BYTES} bytes, got ${first.length}`);
  const bytes = new Uint8Array(9 + first.length + blocks.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  bytes.set(DESCRIPTOR, 4);
  // A block that is not the last and not compressed: three bytes with the length above three bits of zero.
  view.setUint16(6, (first.length << 3) & 0xffff, true);
  view.setUint8(8, first.length >>> 13);
  bytes.set(first, 9);
  bytes.set(blocks, 9 + first.length);
  return bytes;
};

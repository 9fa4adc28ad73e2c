// The one reader of files that a person, or a folder from elsewhere, names. Such a path may be a device that never
// ends, a pipe that nobody fills, or a link out of the folder; so what is read is what was checked, the same open file.
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { join, relative, sep } from 'node:path';

const MIB = 2 ** 20;

/** The most bytes of each kind of file. */
export const GIVEN_BYTES = {
  /** Settings, sweeps and task.yaml. */
  settings: MIB,
  /** A prompt or another file that a task needs. */
  task: 4 * MIB,
  /** A program, a solution, an answer or a fixture. */
  text: 16 * MIB,
  /** JSON lines, or the manifest of an export. */
  records: 256 * MIB,
} as const;

/** A file is not read: it is not there, no regular file, outside its folder, too large, or no UTF-8 text. */
export class GivenFileError extends Error {
  override readonly name = 'GivenFileError';
}

export type GivenRules = {
  readonly maxBytes: number;
  /** The folder that the file must be in, links resolved. Left out: anywhere. */
  readonly within?: string;
};

/** The text of a UTF-8 file without its byte order mark. Throws GivenFileError, whose message says what is there. */
export const readGiven = (path: string, rules: GivenRules): string => {
  const descriptor = openGiven(path, rules);
  try {
    return utf8(readAll(descriptor, rules.maxBytes));
  } catch (error) {
    throw unread(error);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * The content of a file that may be no text, as a text: base64 behind NUL where it is not UTF-8, has a NUL, or begins with
 * a byte order mark. Throws GivenFileError.
 */
export const readGivenData = (path: string, rules: GivenRules): string => {
  const descriptor = openGiven(path, rules);
  try {
    const bytes = readAll(descriptor, rules.maxBytes);
    const text = isUtf8(bytes) && !bytes.includes(0) && bytes.indexOf(MARK) !== 0;
    return text ? bytes.toString('utf8') : `\0${bytes.toString('base64')}`;
  } catch (error) {
    throw unread(error);
  } finally {
    closeSync(descriptor);
  }
};

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A descriptor of the checked file, for the caller to read and to close. Throws GivenFileError. */
export const openGiven = (path: string, { maxBytes, within }: GivenRules): number => {
  if (path.includes('\0')) throw new GivenFileError('a path with a NUL character in it');
  let descriptor: number;
  try {
    // A pipe without a writer would keep the process waiting, and a terminal would become the process's own.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    throw unread(error);
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new GivenFileError(`${kindOf(found)}, expected a regular file`);
    if (found.size > maxBytes) throw tooLarge(maxBytes);
    if (within !== undefined) requireWithin(path, within, found);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw unread(error);
  }
};

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ELOOP: 'links that lead in a circle',
  ENAMETOOLONG: 'a name that is too long',
  ENXIO: 'a socket, or a device that is not there, expected a regular file',
  ENODEV: 'a device that is not there, expected a regular file',
  EIO: 'what is there cannot be read',
};

/** A file system has more reasons than this file knows, and each of them is the file's. */
const unread = (error: unknown): GivenFileError =>
  error instanceof GivenFileError
    ? error
    : new GivenFileError(WHY[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message, {
        cause: error,
      });

type Kind = Pick<Dirent, 'isDirectory' | 'isFIFO' | 'isSocket'>;
const kindOf = (found: Kind): string =>
  found.isDirectory() ? 'a directory' : found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device';

const tooLarge = (maxBytes: number): GivenFileError =>
  new GivenFileError(`more than ${maxBytes} bytes, expected at most so many`);

/** The open file must be the one at a path inside of the folder: a link may have been changed since it was opened. */
const requireWithin = (path: string, folder: string, opened: { readonly dev: number; readonly ino: number }): void => {
  const root = realpathSync(folder);
  const real = realpathSync(path);
  const there = statSync(real);
  if (there.dev !== opened.dev || there.ino !== opened.ino)
    throw new GivenFileError('another file now than when it was opened');
  if (!isBelow(real, root)) throw new GivenFileError(`a file outside of ${root}, expected one inside of it`);
};

const isBelow = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
};

const CHUNK_BYTES = 2 ** 16;

/** The size that a file system tells need not be true (/proc), and the file may grow. */
const readAll = (descriptor: number, maxBytes: number): Buffer => {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) return Buffer.concat(chunks);
    bytes += read;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk.subarray(0, read));
  }
};

const ENCODINGS: readonly (readonly [mark: readonly number[], name: string])[] = [
  [[0xff, 0xfe], 'UTF-16'],
  [[0xfe, 0xff], 'UTF-16'],
];

const utf8 = (bytes: Buffer): string => {
  const other = ENCODINGS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (other !== undefined) throw new GivenFileError(`text in ${other[1]}, expected UTF-8: save it as UTF-8`);
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw new GivenFileError(`a NUL character (${placeOf(bytes, nul)}), expected UTF-8 text`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GivenFileError(
      `it is not UTF-8 text (${placeOf(bytes, firstBad(bytes))}): save it as UTF-8, for it may be Latin-1`,
    );
  }
};

const placeOf = (bytes: Buffer, offset: number): string => {
  let line = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) line += 1;
  return `line ${line}, byte ${offset}`;
};

/** Offset of the first byte that belongs to no character: the longest beginning that can be decoded ends before it. */
const firstBad = (bytes: Buffer): number => {
  const decodes = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  return Math.min(good, Math.max(0, bytes.length - 1));
};

const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 8;

/**
 * Paths of all files below a folder, relative to it, in order. Links are listed, so that whoever reads one is told, and
 * are not followed. Empty where there is no such folder; `deep: false` leaves out the folders below it, `skip` a path and
 * all below it. Throws
 * GivenFileError above 1000 entries or 8 levels, and where a link leads out of `within`.
 */
export const listGiven = (
  folder: string,
  within: string,
  { deep = true, skip = () => false }: { readonly deep?: boolean; readonly skip?: (path: string) => boolean } = {},
): readonly string[] => {
  const files: string[] = [];
  let entries = 0;
  const walk = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (skip(path)) continue;
      entries += 1;
      if (entries > MAX_ENTRIES) throw new GivenFileError(`more than ${MAX_ENTRIES} files and folders`);
      if (!entry.isDirectory()) files.push(path);
      else if (!deep) continue;
      else if (depth === MAX_DEPTH) throw new GivenFileError(`folders more than ${MAX_DEPTH} deep`);
      else walk(path, depth + 1);
    }
  };
  if (!existsSync(folder)) return [];
  const [real, root] = [realpathSync(folder), realpathSync(within)];
  if (real !== root && !isBelow(real, root)) throw new GivenFileError(`a folder outside of ${root}`);
  walk('', 1);
  return files.sort();
};

const entriesOf = (folder: string): readonly Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw unread(error);
  }
};

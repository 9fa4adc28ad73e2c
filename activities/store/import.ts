// Reads the files of an export back, as documents of today's schema. Everything is checked before anything is written,
// and an error names its file and line.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunId } from '../../evolution/types.ts';
import { openGiven } from '../given-file.ts';
import type { TaskDocument } from './documents.ts';
import { fileOf, fromLine, type Manifest } from './export-format.ts';
import { EXPORTED, type ExportedCollection, type ExportedText } from './every-document.ts';
import { ExportError, opened, readManifest } from './import-manifest.ts';
import { migrated } from './migrations/migrated.ts';
import type { BlobDocument, StoredRun } from './stored.ts';
import { blobRef, taskId, textOf } from './texts.ts';

/**
 * An export whose files are whole. Documents are read from the files each time, because they need not fit into memory.
 */
export type CheckedExport = {
  readonly manifest: Manifest;
  readonly runs: readonly StoredRun[];
  documents(collection: ExportedCollection): AsyncIterable<Record<string, unknown>>;
};

export const readExport = async (folder: string): Promise<CheckedExport> => {
  const manifest = await readManifest(folder);
  const runs: StoredRun[] = [];
  for (const collection of EXPORTED) {
    if (manifest.collections[collection] === undefined) continue;
    for await (const document of checked(folder, collection, manifest))
      if (collection === 'runs') runs.push(document as unknown as StoredRun);
  }
  checkRuns(folder, manifest, runs);
  const { committedStep } = runs.find(({ _id }) => _id === manifest.run)!;
  return {
    manifest: { ...manifest, committedStep },
    runs,
    async *documents(collection) {
      if (manifest.collections[collection] !== undefined) yield* checked(folder, collection, manifest);
    },
  };
};

/**
 * The documents of a file. Throws at the first line that is not as it was written, and at the end where lines are
 * missing.
 */
async function* checked(
  folder: string,
  collection: ExportedCollection,
  { version, schemaVersion, runs, collections }: Manifest,
): AsyncGenerator<Record<string, unknown>> {
  const expected = collections[collection]!;
  const path = join(folder, fileOf(collection));
  const hash = createHash('sha256');
  const family: ReadonlySet<unknown> = new Set(runs);
  let [count, last] = [0, ''];
  const batches = new BatchSums();
  const damaged = (what: string): never => {
    throw new ExportError(`${path}:${count}: ${what}`);
  };
  for await (const line of linesOf(path, folder)) {
    count++;
    hash.update(line);
    const document = readLine(line, version, collection, damaged);
    const problem =
      problemOf(collection, document, last, family) ?? (collection === 'batches' ? batches.add(document) : null);
    if (problem !== null) damaged(problem);
    last = document['_id'] as string;
    yield migrated(collection, document, schemaVersion);
  }
  const batch = batches.end();
  if (batch !== null) damaged(batch);
  if (count !== expected.documents)
    throw new ExportError(
      `${path}: expected ${expected.documents} lines, as manifest.json says, but the file ends after line ${count}: ${count < expected.documents ? 'lines are missing' : 'there are lines too many'}`,
    );
  const sha256 = hash.digest('hex');
  if (sha256 !== expected.sha256)
    damaged(
      `expected the file to have the SHA-256 ${expected.sha256} at its end, as manifest.json says, got ${sha256}: lines were changed`,
    );
}

const readLine = (
  line: Buffer,
  version: Manifest['version'],
  collection: ExportedCollection,
  damaged: (what: string) => never,
): Record<string, unknown> => {
  try {
    const document = fromLine(line.toString('utf8'), version);
    return version === 1 && collection === 'blobs' ? withText(document as unknown as BlobDocument) : document;
  } catch (error) {
    return damaged(error instanceof Error ? error.message : String(error));
  }
};

/** More than any text that was ever stored; a few bytes of a damaged file may claim to be more. */
const MAX_TEXT_BYTES = 2 ** 28;

/** Exports of format 1 hold texts as they are in the database. */
const withText = (blob: BlobDocument): ExportedText => {
  if (blob.rawLen > MAX_TEXT_BYTES)
    throw new RangeError(`expected a text of at most ${MAX_TEXT_BYTES} bytes, got one of ${blob.rawLen}`);
  return { _id: blob._id, text: textOf(blob) };
};

const problemOf = (
  collection: ExportedCollection,
  { _id, run, text, ...rest }: Record<string, unknown>,
  last: string,
  family: ReadonlySet<unknown>,
): string | null => {
  if (typeof _id !== 'string' || _id <= last)
    return `expected an _id after ${JSON.stringify(last)}, got ${JSON.stringify(_id)}: lines were added or moved`;
  if (collection === 'tasks') {
    const expected = taskId(rest as Omit<TaskDocument, '_id'>);
    return expected === _id ? null : `expected the task whose SHA-256 is ${_id}, got one with ${expected}`;
  }
  if (collection === 'bookings' && family.has(run)) return amountsProblem(BOOKING, rest, 'booking');
  if (collection === 'policies' && family.has(run))
    return policyNameProblem(_id, run) ?? amountsProblem(POLICY, rest, 'policy');
  if (collection === 'updates' && family.has(run)) return policyNameProblem(rest['policy'], run);
  if (collection !== 'blobs')
    return family.has(run)
      ? null
      : `expected a document of ${[...family].join(', ')}, as manifest.json says, got one of ${JSON.stringify(run)}`;
  if (text === null) return null;
  if (typeof text !== 'string') return `expected a text, got ${JSON.stringify(text)}`;
  return blobRef(text) === _id ? null : `expected the text whose SHA-256 is ${_id}, got one with ${blobRef(text)}`;
};

/**
 * Bookings and policies are added to what the run has paid for, against which its limits are held, so their numbers must
 * be amounts.
 */
const COUNT = z.int().min(0);
const BOOKING = z.object({
  step: COUNT,
  epoch: COUNT,
  stage: z.enum(['idea', 'judge', 'meta', 'program', 'repair', 'again', 'embedding']),
  answer: z.string(),
  sending: z.int().min(1),
  model: z.string(),
  at: z.date(),
  until: z.date(),
  state: z.enum(['sent', 'unanswered']),
  usage: z.object({ in: COUNT, out: COUNT, cached: COUNT.optional(), reasoning: COUNT.optional() }),
  // Many such costs still add up to a number.
  costUsd: z.number().min(0).max(1e12),
  reason: z.string().nullable(),
});

const POLICY = z.object({
  version: COUNT,
  parent: z.string().nullable(),
  step: COUNT,
  kind: z.enum(['start', 'supervised', 'policy']),
  result: z.object({ tokens: COUNT }),
  costUsd: z.number().min(0).max(1e12),
});

/** A policy's id is the name of its folder, which is written and removed, so it must not lead anywhere else. */
const policyNameProblem = (name: unknown, run: unknown): string | null =>
  typeof name === 'string' && /^[a-z0-9-]{1,60}-v[0-9]{4,9}-[a-z0-9]{1,64}$/.test(name) && name.startsWith(`${run}-v`)
    ? null
    : `expected the id of a policy of ${run}, ${run}-v<version>-<id>, got ${JSON.stringify(name)}: it was changed`;

const amountsProblem = (schema: z.ZodType, document: Record<string, unknown>, what: string): string | null => {
  const result = schema.safeParse(document);
  if (result.success) return null;
  const { path, message } = result.error.issues[0]!;
  return `${path.join('.')}: ${message}: the ${what} was changed`;
};

/** A batch is trained on, so its chunks must be those that its name says. They come in order. */
class BatchSums {
  #file = '';
  #hash = createHash('sha256');

  add({ _id, data }: Record<string, unknown>): string | null {
    const [file, chunk] = String(_id).split(':');
    if (!(data instanceof Uint8Array) || chunk === undefined) return 'expected a chunk of a batch: it was changed';
    const problem = file === this.#file ? null : this.end();
    if (file !== this.#file) [this.#file, this.#hash] = [file!, createHash('sha256')];
    this.#hash.update(data);
    return problem;
  }

  end(): string | null {
    const found = this.#hash.digest('hex');
    return this.#file === '' || found === this.#file
      ? null
      : `expected a batch with the SHA-256 ${this.#file}, got one with ${found}: chunks were changed or are missing`;
  }
}

const checkRuns = (folder: string, { runs: named, run }: Manifest, runs: readonly StoredRun[]): void => {
  const ids = new Set<RunId>(runs.map(({ _id }) => _id));
  const wanted = new Set([run, ...named, ...runs.flatMap(({ lineage }) => lineage.map((era) => era.run))]);
  const missing = [...wanted].filter((one) => !ids.has(one));
  if (missing.length > 0)
    throw new ExportError(
      `${join(folder, fileOf('runs'))}: expected the documents of ${[...wanted].join(', ')}, but there is none of ${missing.join(', ')}`,
    );
};

/** A document has at most 16 MiB in the database, and JSON writes a byte as up to six characters. */
const MAX_LINE_BYTES = 128 * 2 ** 20;

/**
 * The lines with their newlines. `readline` would also end a line at a Unicode line separator, which may stand inside
 * texts.
 */
async function* linesOf(path: string, folder: string): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const fd = opened(path, () => openGiven(path, { maxBytes: Number.MAX_SAFE_INTEGER, within: folder }));
  const stream = createReadStream(path, { fd, highWaterMark: 1 << 18 });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, end + 1)]);
        pieces = [];
        bytes = 0;
        from = end + 1;
      }
      if (from === chunk.length) continue;
      pieces.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_LINE_BYTES)
        throw new ExportError(`${path}: expected lines of at most ${MAX_LINE_BYTES} bytes, got a longer one`);
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? error
      : new ExportError(`${path}: cannot be read (${(error as Error).message}): the export is not whole`);
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

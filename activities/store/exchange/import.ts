// Reads the files of an export back, as documents of today's schema. Everything is checked before anything is written,
// and an error names its file and line.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isPlain } from '../../../evolution/config/layers.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import type { RunId } from '../../../evolution/types.ts';
import { openGiven } from '../../given-file.ts';
import { fileOf, fromLine, type Manifest } from './export-format.ts';
import { EXPORTED, type ExportedCollection, type ExportedText, promptsIn } from './every-document.ts';
import { problemOf } from './import-documents.ts';
import { ExportError, opened, readManifest } from './import-manifest.ts';
import type { PortableCollection } from '../documents/collection.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';

/** An export whose files are whole. Documents are read each time, because they need not fit into memory. */
export type CheckedExport = {
  readonly manifest: Manifest;
  readonly runs: readonly StoredRun[];
  documents<C extends ExportedCollection>(collection: C): AsyncIterable<DocumentOf<C>>;
};

type DocumentOf<C extends ExportedCollection> = C extends 'blobs'
  ? ExportedText
  : Collections[C] extends PortableCollection<infer T>
    ? T
    : never;

export const readExport = async (folder: string): Promise<CheckedExport> => {
  const manifest = await readManifest(folder);
  const runs: StoredRun[] = [];
  const changeSets = new Set<unknown>();
  for (const collection of EXPORTED) {
    if (manifest.collections[collection] === undefined) continue;
    for await (const document of checked(folder, collection, manifest)) {
      if (collection === 'runs') runs.push(document as unknown as StoredRun);
      if (collection === 'steps') changeSets.add(document['changeSet']);
      if (collection === 'blobs' && changeSets.has(document['_id']))
        checkChangeSet(join(folder, fileOf(collection)), document as unknown as ExportedText);
    }
  }
  checkRuns(folder, manifest, runs);
  const { committedStep } = runs.find(({ _id }) => _id === manifest.run)!;
  return {
    manifest: { ...manifest, committedStep },
    runs,
    async *documents<C extends ExportedCollection>(collection: C) {
      if (manifest.collections[collection] === undefined) return;
      for await (const document of checked(folder, collection, manifest)) yield document as unknown as DocumentOf<C>;
    },
  };
};

/** The documents of a file. Throws at the first line that was changed, and at the end where lines are missing. */
async function* checked(
  folder: string,
  collection: ExportedCollection,
  { runs, collections }: Manifest,
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
    const document = readLine(line, damaged);
    const problem =
      problemOf(collection, document, last, family) ?? (collection === 'batches' ? batches.add(document) : null);
    if (problem !== null) damaged(problem);
    last = document['_id'] as string;
    yield collection === 'runs' ? withEveryKey(document) : document;
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

/** A checked document of a run with the settings that its version did not have; the same one where none is missing. */
export const withEveryKey = (document: Record<string, unknown>): Record<string, unknown> => {
  const { config } = document as { readonly config: RunConfig };
  const missing = Object.entries(PRESETS[config.method]).flatMap(([key, value]): [string, object][] => {
    const present: unknown = config[key as keyof RunConfig];
    return isPlain(value) && isPlain(present) && Object.keys(value).some((inner) => present[inner] === undefined)
      ? [[key, { ...value, ...present }]]
      : [];
  });
  if (missing.length === 0 && document['happened'] !== undefined) return document;
  return { happened: [], ...document, config: { ...config, ...Object.fromEntries(missing) } };
};

const readLine = (line: Buffer, damaged: (what: string) => never): Record<string, unknown> => {
  try {
    return fromLine(line.toString('utf8'));
  } catch (error) {
    return damaged(error instanceof Error ? error.message : String(error));
  }
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
    const sum = this.#hash.digest('hex');
    return this.#file === '' || sum === this.#file
      ? null
      : `expected a batch with the SHA-256 ${this.#file}, got one with ${sum}: chunks were changed or are missing`;
  }
}

/** `evolve prune` reads the change sets of all runs, so that one which it cannot read would end it for all of them. */
const checkChangeSet = (path: string, { _id, text }: ExportedText): void => {
  try {
    if (text !== null) promptsIn(text);
  } catch {
    throw new ExportError(`${path}: expected the text ${_id} to be the change set of a step: it was changed`);
  }
};

const checkRuns = (folder: string, { runs: named, run }: Manifest, runs: readonly StoredRun[]): void => {
  const ids = new Set<RunId>(runs.map(({ _id }) => _id));
  const family = new Set([run, ...named, ...runs.flatMap(({ lineage }) => lineage.map((era) => era.run))]);
  const missing = [...family].filter((one) => !ids.has(one));
  if (missing.length > 0)
    throw new ExportError(
      `${join(folder, fileOf('runs'))}: expected the documents of ${[...family].join(', ')}, but there is none of ${missing.join(', ')}`,
    );
};

/** A document has at most 16 MiB in the database, and JSON writes a byte as up to six characters. */
const MAX_LINE_BYTES = 128 * 2 ** 20;

/** The lines with their newlines. `readline` would also end a line at a Unicode line separator inside a text. */
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

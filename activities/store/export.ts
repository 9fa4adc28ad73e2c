// A run as files: one per collection (canonical extended JSON, a document a line, `_id` order) and a manifest,
// written last.
import { createHash } from 'node:crypto';
import { mkdir, open, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Binary, BSON } from 'mongodb';
import type { RunId } from '../../evolution/types.ts';
import type { Store } from './store.ts';

export type Manifest = {
  readonly run: RunId;
  readonly schemaVersion: number;
  readonly collections: readonly {
    readonly collection: string;
    readonly file: string;
    readonly documents: number;
    readonly sha256: string;
  }[];
};
type Entry = Manifest['collections'][number];

/** A folder without manifest.json is an export that did not finish. */
export const exportRun = async (
  store: Pick<Store, 'readRun' | 'exportRun'>,
  run: RunId,
  folder: string,
): Promise<Manifest> => {
  const document = await store.readRun(run);
  if (document === null)
    throw new Error(
      `expected a run to export, but '${run}' is not in the database: evolve list shows the runs there are`,
    );
  await mkdir(folder, { recursive: true });
  const collections: Entry[] = [];
  let lines: LineFile | null = null;
  try {
    for await (const { collection, document: row } of store.exportRun(run)) {
      if (lines?.collection !== collection) {
        if (lines !== null) collections.push(await lines.end());
        lines = await LineFile.start(folder, collection);
      }
      await lines.write(toLine(row));
    }
    if (lines !== null) collections.push(await lines.end());
  } finally {
    await lines?.close();
  }
  const manifest: Manifest = { run, schemaVersion: document.schemaVersion, collections };
  await writeFile(join(folder, 'manifest.json.part'), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(join(folder, 'manifest.json.part'), join(folder, 'manifest.json'));
  return manifest;
};

export const toLine = (document: Record<string, unknown>): string => {
  const fields = Object.entries(document).map(([key, value]) => [
    key,
    value instanceof Uint8Array ? new Binary(value) : value,
  ]);
  return `${BSON.EJSON.stringify(Object.fromEntries(fields), { relaxed: false })}\n`;
};

export const fromLine = (line: string): Record<string, unknown> => {
  const document = BSON.EJSON.parse(line, { relaxed: true }) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(document).map(([key, value]) => [key, value instanceof Binary ? Buffer.from(value.value()) : value]),
  );
};

const FLUSH_CHARS = 1 << 20;

/** Lines gathered into writes of a megabyte, hashed as they go. */
class LineFile {
  readonly collection: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #pending = '';
  #documents = 0;
  #open = true;

  private constructor(collection: string, file: FileHandle) {
    this.collection = collection;
    this.#file = file;
  }

  static async start(folder: string, collection: string): Promise<LineFile> {
    return new LineFile(collection, await open(join(folder, `${collection}.jsonl`), 'w'));
  }

  async write(line: string): Promise<void> {
    this.#pending += line;
    this.#documents++;
    if (this.#pending.length >= FLUSH_CHARS) await this.#flush();
  }

  async #flush(): Promise<void> {
    this.#hash.update(this.#pending);
    await this.#file.writeFile(this.#pending);
    this.#pending = '';
  }

  async end(): Promise<Entry> {
    await this.#flush();
    await this.#file.sync();
    await this.close();
    return {
      collection: this.collection,
      file: `${this.collection}.jsonl`,
      documents: this.#documents,
      sha256: this.#hash.digest('hex'),
    };
  }

  async close(): Promise<void> {
    if (this.#open) {
      this.#open = false;
      await this.#file.close();
    }
  }
}

// Writes a run to files: one file for each collection (extended JSON, one document a line, in the order of `_id`, texts
// as text), and last a manifest. import.ts reads them back.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../../evolution/types.ts';
import { writeWhole } from '../../whole-file.ts';
import type { RunDocument } from '../documents/documents.ts';
import { ConflictError } from '../documents/errors.ts';
import { fileOf, FORMAT, FORMAT_VERSION, type Manifest, type ManifestFile, toLine } from './export-format.ts';
import type { ExportedCollection } from './every-document.ts';
import type { RunStore } from '../documents/run-store.ts';
import type { ExchangeStore } from './exchange-store.ts';

/** Prompts, answers and the evaluator with its hidden data are for whoever exports them, whatever the umask. */
const [OWN_FOLDER, OWN_FILE] = [0o700, 0o600];

/** A folder without manifest.json is an export that did not finish. */
export const exportRun = async (
  store: Pick<RunStore, 'readRun'> & Pick<ExchangeStore, 'exportRun'>,
  run: RunId,
  folder: string,
): Promise<Manifest> => {
  const document = await store.readRun(run);
  if (document === null)
    throw new Error(
      `expected a run to export, but '${run}' is not in the database: evolve list shows the runs there are`,
    );
  await mkdir(folder, { recursive: true, mode: OWN_FOLDER });
  const collections: { [collection in ExportedCollection]?: ManifestFile } = {};
  const runs: RunDocument[] = [];
  let lostTexts = 0;
  let lines: LineFile | null = null;
  try {
    for await (const { collection, document: row } of store.exportRun(run)) {
      if (lines?.collection !== collection) {
        if (lines !== null) collections[lines.collection] = await lines.end();
        lines = await LineFile.start(folder, collection);
      }
      if (collection === 'runs') runs.push(row as unknown as RunDocument);
      if (collection === 'blobs' && row['text'] === null) lostTexts++;
      await lines.write(toLine(row));
    }
    if (lines !== null) collections[lines.collection] = await lines.end();
  } finally {
    await lines?.close();
  }
  for (const one of runs) await requireSame(store, one);
  const policies = collections.policies?.documents ?? 0;
  const { committedStep, schemaVersion } = runs.find((one) => one.run === run) ?? document;
  const manifest: Manifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    schemaVersion,
    exportedAt: new Date().toISOString(),
    run,
    runs: runs.map((one) => one.run),
    committedStep,
    lostTexts,
    ...(policies === 0 ? {} : { notIncluded: weightsLeft(policies) }),
    collections,
  };
  writeWhole(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, OWN_FILE);
  return manifest;
};

/** Weights are gigabytes, and only their trainer knows their form. */
const weightsLeft = (policies: number): string =>
  `the weights of the run's ${policies === 1 ? 'policy' : `${policies} policies`}: they are files of the trainer that made them (of the reference trainer: the folder \`policies\` of its data directory), and stay there; copy these folders too where the run is to go on learning elsewhere`;

/** Throws when the run was rewound during the export, which changes documents. A run that goes on only adds some. */
const requireSame = async (store: Pick<RunStore, 'readRun'>, { run, generation }: RunDocument): Promise<void> => {
  if ((await store.readRun(run))?.generation !== generation)
    throw new ConflictError(`run '${run}' was rewound, reset or resampled while it was exported: export it again`);
};

const FLUSH_CHARS = 1 << 20;

/** Gathers lines into writes of a megabyte, and hashes them on the way. */
class LineFile {
  readonly collection: ExportedCollection;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #pending = '';
  #documents = 0;
  #open = true;

  private constructor(collection: ExportedCollection, file: FileHandle) {
    this.collection = collection;
    this.#file = file;
  }

  static async start(folder: string, collection: ExportedCollection): Promise<LineFile> {
    const path = join(folder, fileOf(collection));
    // A file that is there already may be a link of somebody else, or one that others read.
    await rm(path, { force: true });
    return new LineFile(collection, await open(path, 'wx', OWN_FILE));
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

  async end(): Promise<ManifestFile> {
    await this.#flush();
    await this.#file.sync();
    await this.close();
    return { file: fileOf(this.collection), documents: this.#documents, sha256: this.#hash.digest('hex') };
  }

  async close(): Promise<void> {
    if (this.#open) {
      this.#open = false;
      await this.#file.close();
    }
  }
}

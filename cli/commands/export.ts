// evolve export: everything of a run as canonical extended JSON, one file a collection, with a manifest of counts and
// hashes.
import { BSON } from 'mongodb';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunDocument } from '../../activities/store/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { UsageError } from '../../client/errors.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withStoredRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';
import { runsDirectory } from '../terminal/summary.ts';
import { exportRewardModelCommand } from './export-reward-model.ts';

type Options = { readonly json?: boolean; readonly to?: string };
export type Manifest = {
  readonly format: 'durable-evolve-export';
  readonly version: 1;
  readonly run: string;
  readonly schemaVersion: number;
  readonly committedStep: number;
  readonly collections: Readonly<
    Record<string, { readonly file: string; readonly documents: number; readonly sha256: string }>
  >;
};

export const exportCommand = () =>
  describe('export', 'write all documents of a run to files')
    .argument(...RUN_ARGUMENT)
    .option('--to <directory>', 'new or empty directory (default: runs/<run>/export)')
    .action(
      act(async (context, { to }: Options, id: string) =>
        withStoredRun(context, id, async (run, store) => {
          const directory = resolve(to ?? join(runsDirectory(context.env), run.run, 'export'));
          if (existsSync(directory) && readdirSync(directory).length > 0)
            throw new UsageError(`--to: expected a new or empty directory, got ${directory}, which is not empty`);
          const manifest = await exportRun(store, run, directory);
          if (context.json) return json({ directory, ...manifest });
          line(`${run.run}: exported to ${directory}`);
          for (const [name, { documents }] of Object.entries(manifest.collections))
            line(`  ${name.padEnd(12)} ${documents}`);
        }),
      ),
    )
    .addCommand(exportRewardModelCommand());

type Sink = {
  readonly descriptor: number;
  readonly hash: ReturnType<typeof createHash>;
  readonly file: string;
  documents: number;
};

/** Writes the files, the manifest last: where it is, the export is whole. */
export const exportRun = async (store: Store, run: RunDocument, directory: string): Promise<Manifest> => {
  mkdirSync(directory, { recursive: true });
  const sinks = new Map<string, Sink>();
  try {
    for await (const { collection, document } of store.exportRun(run.run)) {
      const sink = sinks.get(collection) ?? open(directory, collection, sinks);
      const text = `${BSON.EJSON.stringify(document, { relaxed: false })}\n`;
      writeSync(sink.descriptor, text);
      sink.hash.update(text);
      sink.documents += 1;
    }
  } finally {
    for (const { descriptor } of sinks.values()) closeSync(descriptor);
  }
  const manifest: Manifest = {
    format: 'durable-evolve-export',
    version: 1,
    run: run.run,
    schemaVersion: run.schemaVersion,
    committedStep: run.committedStep,
    collections: Object.fromEntries(
      [...sinks].map(([name, { file, documents, hash }]) => [name, { file, documents, sha256: hash.digest('hex') }]),
    ),
  };
  writeFileSync(join(directory, 'manifest.json.part'), `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(join(directory, 'manifest.json.part'), join(directory, 'manifest.json'));
  return manifest;
};

const open = (directory: string, collection: string, sinks: Map<string, Sink>): Sink => {
  const file = `${collection}.jsonl`;
  const sink: Sink = {
    descriptor: openSync(join(directory, file), 'w'),
    hash: createHash('sha256'),
    file,
    documents: 0,
  };
  sinks.set(collection, sink);
  return sink;
};

// A recorded run in a store in memory: about 5,000 programs that the real engine made with the offline model. The
// fixture is what `evolve export` wrote of it, all files in one and compressed; README.md beside it says how it was made.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';
import { readExport } from '../../../activities/store/import.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Collections } from '../../../activities/store/stored.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

const FIXTURE = join(import.meta.dirname, '..', '..', 'fixtures', 'page', 'recorded.zst');
export const RECORDED = 'recorded';

/** A line `== <name> <bytes>` goes before each file. */
const FILE = /^== (\S+) (\d+)\n/;

/** The files of the export, in a folder that is removed by who asked for it. */
export const unpackRecorded = (): string => {
  const bytes = zstdDecompressSync(readFileSync(FIXTURE), { params: { [constants.ZSTD_d_windowLogMax]: 27 } });
  const folder = mkdtempSync(join(tmpdir(), 'evolve-recorded-'));
  for (let at = 0; at < bytes.length; ) {
    const head = FILE.exec(bytes.toString('latin1', at, at + 200));
    if (head === null) throw new Error(`expected a line "== <name> <bytes>" at byte ${at} of ${FIXTURE}`);
    at += head[0].length;
    writeFileSync(join(folder, head[1]!), bytes.subarray(at, at + Number(head[2])));
    at += Number(head[2]);
  }
  return folder;
};

export type RecordedStore = { readonly store: Store; readonly collections: Collections };

export const recordedStore = async (): Promise<RecordedStore> => {
  const folder = unpackRecorded();
  try {
    const collections = memoryCollections();
    const store = storeOver(collections);
    await store.importRuns(await readExport(folder));
    return { store, collections };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

// A run of 100,000 programs in a real database, looked at through the real server.
import { SCHEMA_VERSION } from '../../../activities/store/documents/schema.ts';
import { type BSON, MongoClient } from 'mongodb';
import type { Browser } from 'playwright-core';
import { openStore } from '../../../client/connect/connection.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { bundle } from '../../../page/bundle.ts';
import { LARGE, largeRun } from '../../support/page/large-run.ts';
import { blobsOf, recordedDocuments } from '../../support/page/recorded.ts';
import type { TestHome } from '../../support/machine/home.ts';
import { rounded } from './looking.ts';
import { measureTable } from './table.ts';

const DOCUMENTS_PER_WRITE = 1_000;

type Given = {
  readonly home: TestHome;
  readonly browser: Browser;
  readonly url: string;
  readonly programs: number;
  readonly say: (line: string) => void;
};

/** Puts the run into the home's database, as the engine would have written it. */
const fill = async ({ home, programs, say }: Given): Promise<number> => {
  const recorded = recordedDocuments();
  const large = largeRun(recorded, programs);
  // Makes the collections with their indexes.
  const store = await openStore({ home: resolveHome(home.env), env: home.env });
  const client = new MongoClient(home.up().database.uri as string);
  const began = performance.now();
  try {
    const database = client.db('durable_evolve');
    const put = async (name: string, given: readonly object[]): Promise<void> => {
      const label = name === 'runs' ? 'schemaVersion' : 'schema';
      const documents = given.map((one) => ({ ...one, [label]: SCHEMA_VERSION }));
      for (let at = 0; at < documents.length; at += DOCUMENTS_PER_WRITE)
        await database
          .collection(name)
          .insertMany(documents.slice(at, at + DOCUMENTS_PER_WRITE) as BSON.Document[], { ordered: false });
    };
    await put('blobs', blobsOf(recorded));
    await put('tasks', recorded.get('tasks') ?? []);
    let waiting: { programs: object[]; rollouts: object[]; steps: object[] } = {
      programs: [],
      rollouts: [],
      steps: [],
    };
    const flush = async (): Promise<void> => {
      const now = waiting;
      waiting = { programs: [], rollouts: [], steps: [] };
      for (const [name, documents] of Object.entries(now)) await put(name, documents);
    };
    for (let at = 0; at <= large.lastStep; at += 1) {
      const { step, programs: made, rollouts } = large.stepOf(at);
      waiting.steps.push(step);
      waiting.programs.push(...made);
      waiting.rollouts.push(...rollouts);
      if (waiting.programs.length >= 5_000) await flush();
    }
    await flush();
    await put('runs', [large.run]);
    say(`  ${large.programs} programs are in the database after ${((performance.now() - began) / 1000).toFixed(0)} s`);
    return large.programs;
  } finally {
    await client.close();
    await store.close();
  }
};

export const measureLarge = async (given: Given) => {
  const { '/page.js': script, '/worker.js': worker } = await bundle(`${given.home.dir}/bench-page`);
  const scriptGzipKiB = rounded(((script!.gzip?.length ?? 0) + (worker!.gzip?.length ?? 0)) / 1024, 1);
  const programs = await fill(given);
  // The initial program is beside them.
  const { figures, ...rest } = await measureTable(given, LARGE, programs + 1);
  return { programs, figures: { scriptGzipKiB, ...figures }, ...rest };
};

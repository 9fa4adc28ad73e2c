// A process of its own that prints what is known of runs as one line of JSON, and ends: tasks and the papers' tables are
// read by more code than the whole server of the page has.
//
//   node read-known.ts <run>...
import { openParts } from '../../../client/connect/connection.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import type { Known } from '../../data/glance.ts';
import { readKnown } from './known-of-run.ts';

const parts = openParts({ home: resolveHome(process.env), env: process.env });
try {
  const store = await parts.store();
  const known: (Known | null)[] = [];
  for (const id of process.argv.slice(2)) {
    const run = await store.readRun(id);
    known.push(run === null ? null : await readKnown(store, run));
  }
  process.stdout.write(`\n${JSON.stringify(known)}\n`);
} finally {
  await parts.close();
}

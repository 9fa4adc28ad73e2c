// A thread that reads many programs of a run from the database into the files of rows, tells the server how many are
// there whenever there are more, and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { openParts } from '../../../client/connect/connection.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';
import { isLate } from './late-rows.ts';
import { RunRows } from './run-rows.ts';
import { pageFolder } from './row-files.ts';

/** Files are written when there are so many more, the first of them sooner, because somebody waits for them. */
const FIRST_ROWS = 1_000;
const MORE_ROWS = 8_192;

const [run, set] = workerData as readonly [run: string, set: ColumnSet];
const home = resolveHome(process.env);
const parts = openParts({ home, env: process.env });
try {
  const store = await parts.store();
  const document = await store.readRun(run);
  if (document !== null) {
    const rows = new RunRows(parts.store, document, pageFolder(home), (await store.identity()).id);
    const begun = rows.rowsOf(set);
    let told = begun;
    const tell = (): void => {
      const now = rows.rowsOf(set);
      if (now - told < (told === begun ? FIRST_ROWS : MORE_ROWS)) return;
      rows.save();
      parentPort!.postMessage(now);
      told = now;
    };
    if (isLate(set)) await rows.fillUntil(set, rows.rows, tell);
    else await rows.bringForward(document, tell);
    rows.save();
  }
} finally {
  await parts.close();
}

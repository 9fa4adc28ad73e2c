// Large runs are read from the database by a thread, so that other answers go on and its memory ends with it.
import { Worker } from 'node:worker_threads';
import type { Place } from '../../../client/connect/connection.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';

/** Resolves when the files hold what there was to read; `more` is called whenever they hold more. */
export type ReadApart = (run: string, set: ColumnSet, more: () => void) => Promise<void>;

export const readByThread =
  ({ home, env }: Place): ReadApart =>
  (run, set, more) =>
    new Promise((resolve, reject) => {
      const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
        workerData: [run, set],
        env: { ...env, EVOLVE_HOME: home.root },
      });
      thread.on('message', () => more()).once('error', reject);
      thread.once('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`expected the rows of run ${run} to be read, but the thread that reads them ended`));
      });
    });

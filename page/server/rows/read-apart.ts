// Rows that are read from the database by a process, whose memory ends with it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../../client/connect/connection.ts';
import type { ColumnSet } from '../../data/columns.ts';

const READ_ROWS = fileURLToPath(new URL('../reading/read-rows.ts', import.meta.url));

/** Resolves when the files hold what there was to read; `more` is called whenever they hold more. */
export type ReadApart = (run: string, set: ColumnSet, more: () => void) => Promise<void>;

export const readByProcess =
  ({ home, env }: Place): ReadApart =>
  (run, set, more) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [READ_ROWS, run, set], {
        env: { ...env, EVOLVE_HOME: home.root },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const end = (): void => void child.kill('SIGKILL');
      process.once('exit', end);
      child.stdout.on('data', () => more());
      child.once('error', reject);
      child.once('close', (code) => {
        process.off('exit', end);
        if (code === 0) resolve();
        else reject(new Error(`expected the rows of run ${run} to be read, but the process that reads them failed`));
      });
    });

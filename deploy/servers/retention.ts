// Keeps closed workflows of the development server for 30 days. Its default of 24 hours would hide finished steps.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { runCommand, type Say } from '../host/run-command.ts';
import { temporalDatabaseOf } from '../parts/temporal/temporal-cli.ts';

const RETENTION = '720h';
const ATTEMPTS = 10;

/** The database file holds the setting, so another file (another inode) needs it again. */
const databaseInode = (home: Home): number | null => {
  try {
    return statSync(temporalDatabaseOf(home)).ino;
  } catch {
    return null;
  }
};

export const ensureRetention = async (home: Home, cliPath: string, address: string, say: Say): Promise<void> => {
  const file = join(home.root, 'temporal-retention.json');
  const wanted = { retention: RETENTION, inode: databaseInode(home) };
  const done = readJsonOrNull<typeof wanted>(file);
  if (done?.retention === wanted.retention && done.inode === wanted.inode) return;
  let last = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { ok, error } = await runCommand(
      cliPath,
      ['operator', 'namespace', 'update', '-n', 'default', '--retention', RETENTION, '--address', address],
      { timeoutMs: 60_000, env: { PATH: process.env['PATH'], HOME: process.env['HOME'] } },
    );
    if (ok) {
      writeJsonAtomically(file, wanted);
      return;
    }
    last = error;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  say('temporal', `retention of closed workflows could not be set to ${RETENTION}: ${last.split('\n')[0]}`);
};

// What other users of the machine can reach of a running installation: no file, and no database without its password.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answersWithoutPassword } from '../../../deploy/parts/database/mongo-user.ts';
import { sharedHome } from '../../support/machine/live.ts';

/**
 * What the system itself writes. Other test files put exports and programs into the shared home, and results follow the
 * user's umask.
 */
const WRITTEN =
  /^(database-password|keys\.json|logs|mongo|plan\.json|ports\.json|secret|supervisor\..*|temporal.*|up\.json)$/;

const filesBelow = (directory: string, top = false): readonly string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !top || WRITTEN.test(name))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? [path, ...filesBelow(path)] : [path];
    });

/** Null for a file that went away in the meantime. */
const modeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.mode ?? null;

describe('a running installation', () => {
  const live = sharedHome();

  // Attempt: files, settings and the machine.
  it('has no file that others can read, whoever wrote it', () => {
    const { dir } = live.home;
    // Whatever else is in it cannot be reached by others either.
    expect(modeOf(dir)! & 0o777).toBe(0o700);
    const open = filesBelow(dir, true).filter((path) => ((modeOf(path) ?? 0) & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(filesBelow(dir, true)).toEqual(
      expect.arrayContaining([join(dir, 'temporal.db'), join(dir, 'logs', 'worker.log')]),
    );
  });

  // Attempt: files, settings and the machine.
  it('has a database that asks for a password, which nothing shows', async () => {
    const { dir } = live.home;
    const port = Number(new URL(live.home.up()['database'].uri as string).port);
    expect(await answersWithoutPassword(port)).toBe(false);
    const password = readFileSync(join(dir, 'database-password'), 'utf8').trim();
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    const said = [await live.must('up', '--json'), await live.must('up'), (await live.home.evolve(['doctor'])).stdout];
    const logs = filesBelow(join(dir, 'logs')).map((file) => readFileSync(file, 'utf8'));
    const commands = live.home.up().processes.map(({ pid }) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
    for (const text of [...said, ...logs, ...commands]) expect(text).not.toContain(password);
  });
});

// The content of a home belongs to its owner alone: folders 0700, files 0600, whatever the umask was.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from './run-command.ts';

/** The rights of group and others. */
const OTHERS = 0o077;
export const isOpenToOthers = ({ mode }: Pick<Stats, 'mode'>): boolean => (mode & OTHERS) !== 0;

/**
 * The owner that the file system gives to what this process makes. It is not always the process's own user: some
 * mounted file systems give all files to one. The probe has a name that nobody can know before, and so place a link at.
 */
const ownerHere = (directory: string): number => {
  const probe = mkdtempSync(join(directory, '.owner-'));
  try {
    return lstatSync(probe).uid;
  } finally {
    rmdirSync(probe);
  }
};

const refuse = (path: string, why: string): never => {
  throw new SetupError(
    `${path} ${why}: keys and passwords are kept in a home, so it must be a directory of your own. Set EVOLVE_HOME to another directory, or make this one yours`,
  );
};

/** Null where there is no such entry, as when a lock file went away in the meantime. */
const stand = (path: string): Stats | null => {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
};

const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** A file system that knows no permissions is no fault of the caller: `evolve doctor` says what it means. */
const close = (path: string, { mode }: Stats): void => {
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!['ENOENT', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
};

/**
 * Takes the rights of all others from a directory and from what is in it, and leaves alone the entries of `except`,
 * which others cannot reach any more then. Throws SetupError where the directory or anything in it is another user's,
 * or is a link that leads out of it.
 */
export const keepPrivate = (directory: string, except: ReadonlySet<string>): void => {
  const owner = ownerHere(directory);
  const visit = (path: string, top: boolean): void => {
    const stats = stand(path);
    if (stats === null) return;
    if (stats.uid !== owner) refuse(path, `belongs to another user (uid ${stats.uid}, expected ${owner})`);
    if (stats.isSymbolicLink()) {
      if (top) refuse(path, 'is a link, and what it leads to may be open to others');
      return;
    }
    if (isOpenToOthers(stats)) close(path, stats);
    if (!stats.isDirectory()) return;
    for (const name of namesIn(path))
      if (path !== directory || !except.has(name)) visit(join(path, name), path === directory);
  };
  visit(directory, false);
};

/** Throws where the last part of a path is a link that another user made, who could lead it elsewhere at any time. */
export const refuseForeignLink = (path: string): void => {
  const stats = stand(path);
  if (stats?.isSymbolicLink() && stats.uid !== (process.getuid?.() ?? stats.uid))
    refuse(path, `is a link of another user (uid ${stats.uid})`);
};

/**
 * Makes a folder of this user's own in a directory that all users share, such as /tmp, and resolves to its path. Throws
 * SetupError where something else has its name: another user could have put links there, that lead what is written to
 * other files of ours.
 */
export const ownFolder = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const stats = lstatSync(path);
  if (!stats.isDirectory() || stats.uid !== ownerHere(dirname(path)))
    throw new SetupError(
      `${path} is not a folder of this user's own (uid ${stats.uid}): remove it, or set TMPDIR to a directory of your own`,
    );
  if (isOpenToOthers(stats)) close(path, stats);
  return path;
};

// The files of the page, made when the first page asks for one. A process of its own makes them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT, projectNode } from '../../../deploy/host/home.ts';
import { bundled, type Files } from '../../bundle.ts';

const MAKING_MS = 120_000;

/** `kept` is the folder in which they stay. They are read once; a server whose sources change is started again. */
export const pageFiles = (kept: string): (() => Promise<Files>) => {
  let files: Promise<Files> | null = null;
  const make = async (): Promise<Files> => {
    const known = bundled(kept);
    if (known !== null) return known;
    await promisify(execFile)(projectNode(), [join(PROJECT_ROOT, 'page', 'bundle.ts'), kept], { timeout: MAKING_MS });
    const made = bundled(kept);
    if (made === null)
      throw new Error(`expected the files of the page in ${kept}, but they are not there: is it writable?`);
    return made;
  };
  return () => {
    files ??= make().catch((error: unknown) => {
      files = null;
      throw error;
    });
    return files;
  };
};

// The files of the page, made when the first page asks for one.
import { bundle, type Files } from '../../bundle.ts';

/** `kept` is the folder in which they stay. They are read once; a server whose sources change is started again. */
export const pageFiles = (kept: string): (() => Promise<Files>) => {
  let files: Promise<Files> | null = null;
  return () => {
    files ??= bundle(kept).catch((error: unknown) => {
      files = null;
      throw error;
    });
    return files;
  };
};

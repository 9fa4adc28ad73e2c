import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that nobody ever sees half-written: it has the old content or all of the new. */
export const writeWhole = (file: string, text: string, mode = 0o666): void => {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text, { mode });
  renameSync(part, file);
};

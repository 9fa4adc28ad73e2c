import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that nobody ever sees half-written: it has the old content or all of the new. Of two who write it at
 * the same time the last one wins. Where writing fails, nothing is left behind.
 */
export const writeWhole = (file: string, text: string, mode = 0o666): void => {
  const part = `${file}.${randomUUID()}.part`;
  try {
    writeFileSync(part, text, { mode });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
};

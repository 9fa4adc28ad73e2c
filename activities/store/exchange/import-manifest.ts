// The manifest of an export, which is read first: what the folder holds, and which version of this project wrote it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GIVEN_BYTES, GivenFileError, readGiven } from '../../given-file.ts';
import { FORMAT, FORMAT_VERSION, MANIFEST, type Manifest } from './export-format.ts';
import { SCHEMA_VERSION } from '../documents/schema.ts';

/** The files are no export that can be imported; nothing was written. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

const OTHER = 'import it with the version of this project that wrote it';

export const readManifest = async (folder: string): Promise<Manifest> => {
  const path = join(folder, 'manifest.json');
  const text = opened(path, () => {
    if (!existsSync(path))
      throw new ExportError(
        `${folder}: expected a folder that \`npx evolve export\` wrote, but it has no manifest.json: it is another folder, or the export did not finish`,
      );
    return readGiven(path, { maxBytes: GIVEN_BYTES.records, within: folder });
  });
  const json = parsed(path, text);
  const { format, version, schemaVersion } = (json ?? {}) as Partial<Manifest>;
  if (format === FORMAT && Number(version) !== FORMAT_VERSION) {
    throw new ExportError(
      `${path}: expected an export of format version ${FORMAT_VERSION}, got ${String(version)}: ${OTHER}`,
    );
  }
  if (Number(schemaVersion) !== SCHEMA_VERSION) {
    throw new ExportError(
      `${path}: expected documents of schema version ${SCHEMA_VERSION}, got ${String(schemaVersion)}: ${OTHER}`,
    );
  }
  const result = MANIFEST.safeParse(json);
  if (!result.success) {
    const { path: keys, message } = result.error.issues[0]!;
    throw new ExportError(`${path}: ${keys.join('.') || 'manifest'}: ${message}: the file is damaged or changed`);
  }
  return result.data;
};

export const opened = <T>(path: string, open: () => T): T => {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof GivenFileError)) throw error;
    throw new ExportError(`${path}: cannot be read (${error.message}): the export is not whole`);
  }
};

const parsed = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const line = /\(line (\d+) /.exec(String(error))?.[1] ?? text.split('\n').length;
    throw new ExportError(
      `${path}:${line}: expected JSON (${error instanceof Error ? error.message : String(error)}): the file is damaged or cut off`,
    );
  }
};

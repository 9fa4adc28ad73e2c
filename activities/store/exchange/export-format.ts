// The files of an export: a manifest, and one file for each collection with a document and its checksum on each line.
import { Binary, BSON } from 'mongodb';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { EXPORTED, type ExportedCollection } from './every-document.ts';

export const FORMAT = 'durable-evolve-export';
export const FORMAT_VERSION = 2;

/** The same rule as for the ids of new runs (workflows/messages/validate-inputs.ts), because ids become names of folders. */
const RUN_ID = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/)
  .refine((id) => id !== 'latest', 'commands mean the newest run by latest');
const MANIFEST_FILE = z.object({ file: z.string(), documents: z.int().min(1), sha256: z.string() });
export const MANIFEST = z.object({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  schemaVersion: z.int().min(1),
  exportedAt: z.iso.datetime(),
  run: RUN_ID,
  /** The run, and those that it was forked off. */
  runs: z.array(RUN_ID).min(1),
  committedStep: z.int(),
  /** Number of texts that documents refer to and the database no longer has. Their lines say null. */
  lostTexts: z.int(),
  /** The parts of the run that are not in the export, in words; left out where there are none. */
  notIncluded: z.string().optional(),
  collections: z.partialRecord(z.enum(EXPORTED as [ExportedCollection]), MANIFEST_FILE),
});

export type Manifest = z.infer<typeof MANIFEST>;
export type ManifestFile = z.infer<typeof MANIFEST_FILE>;

export const fileOf = (collection: ExportedCollection): string => `${collection}.jsonl`;

/** The checksum covers the line up to it, so that damage is found in its line. */
export const toLine = (document: Record<string, unknown>): string => {
  const fields = Object.entries(document).map(([key, value]) => [
    key,
    value instanceof Uint8Array ? new Binary(value) : value,
  ]);
  const body = BSON.EJSON.stringify(Object.fromEntries(fields), { relaxed: true }).slice(0, -1);
  return `${body},"crc32":"${sumOf(body)}"}\n`;
};

const SUM = /^,"crc32":"([0-9a-f]{8})"\}$/;
const SUM_CHARS = ',"crc32":"01234567"}'.length;

/** Throws what is wrong with the line; the caller adds where it is. `line` may end with its newline. */
export const fromLine = (line: string): Record<string, unknown> => documentOf(checkedBody(line));

/** The line without its checksum. */
const checkedBody = (line: string): string => {
  const whole = line.endsWith('\n') ? line.slice(0, -1) : line;
  const body = whole.slice(0, -SUM_CHARS);
  const sum = SUM.exec(whole.slice(-SUM_CHARS))?.[1];
  if (sum === undefined)
    throw new Error('expected a JSON object whose last field is crc32: the line is cut off or changed');
  if (sum !== sumOf(body))
    throw new Error(`expected content with the CRC-32 ${sum}, got ${sumOf(body)}: the line is damaged or changed`);
  return `${body}}`;
};

/** A document of a line without its checksum. */
export const documentOf = (json: string): Record<string, unknown> => {
  const document = BSON.EJSON.parse(json, { relaxed: true }) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(document).map(([key, value]) => [key, value instanceof Binary ? Buffer.from(value.value()) : value]),
  );
};

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

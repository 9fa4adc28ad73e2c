// The published reference is what the schema says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONFIGURATION_FILE, SCHEMA_FILE, schemaText, withSettings } from '../../../cli/write-docs.ts';

const FIX = 'run `npx node cli/write-docs.ts`';

test('evolution/config/run-config.schema.json is current', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8') === schemaText(), FIX).toBe(true);
});

test('the tables of docs/configuration.md are current', () => {
  const document = readFileSync(CONFIGURATION_FILE, 'utf8');
  expect(withSettings(document) === document, FIX).toBe(true);
});

// Writes what the schema says into docs: npx node cli/write-docs.ts. test/config/reference.test.ts fails while it is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../deploy/home.ts';
import { jsonSchema, offlineSentence, settingsTable } from '../evolution/config/reference.ts';

export const SCHEMA_FILE = join(PROJECT_ROOT, 'docs', 'run-config.schema.json');
export const CONFIGURATION_FILE = join(PROJECT_ROOT, 'docs', 'configuration.md');

const START = '<!-- settings: written by `npx node cli/write-docs.ts` -->';
const END = '<!-- /settings -->';

export const schemaText = (): string => `${JSON.stringify(jsonSchema(), null, 2)}\n`;

/** The document with its generated part replaced. */
export const withSettings = (document: string): string => {
  const [from, to] = [document.indexOf(START), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/configuration.md: expected the lines ${START} and ${END}`);
  return `${document.slice(0, from)}${START}\n\n${offlineSentence()}\n\n${settingsTable()}\n\n${document.slice(to)}`;
};

if (import.meta.main) {
  writeFileSync(SCHEMA_FILE, schemaText());
  writeFileSync(CONFIGURATION_FILE, withSettings(readFileSync(CONFIGURATION_FILE, 'utf8')));
}

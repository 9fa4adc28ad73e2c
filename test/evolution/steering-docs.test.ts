// The docs list every verb as it is.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  COMMANDS_FILE,
  STEERING_FILE,
  VIEWS_FILE,
  withCommands,
  withMessages,
  withSteering,
} from '../../cli/write-docs.ts';

test.each([
  [COMMANDS_FILE, withCommands],
  [STEERING_FILE, withSteering],
  [VIEWS_FILE, withMessages],
])('%s lists every verb', (file, written) => {
  const document = readFileSync(file, 'utf8');
  expect(written(document) === document, 'run `npx node cli/write-docs.ts`').toBe(true);
});

// The docs list every verb, and the cells of the notebook, as they are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  COMMANDS_FILE,
  NOTEBOOK_FILE,
  STEERING_FILE,
  VIEWS_FILE,
  withCells,
  withCommands,
  withMessages,
  withSteering,
} from '../../cli/write-docs.ts';

test.each([
  [COMMANDS_FILE, withCommands],
  [STEERING_FILE, withSteering],
  [VIEWS_FILE, withMessages],
  [NOTEBOOK_FILE, withCells],
])('%s is as its source', (file, written) => {
  const document = readFileSync(file, 'utf8');
  expect(written(document) === document, 'run `npx node cli/write-docs.ts`').toBe(true);
});

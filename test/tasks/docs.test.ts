// The table of docs/tasks.md is what the folders say, and its README files are there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TASKS_FILE, withTasks } from '../../cli/write-docs.ts';
import { EVERY } from './checked.ts';

test.skipIf(!EVERY)('the table of docs/tasks.md is current', async () => {
  const document = readFileSync(TASKS_FILE, 'utf8');
  expect(await withTasks(document) === document, 'run `npx node cli/write-docs.ts`').toBe(true);
});

test.skipIf(!EVERY)('every link of docs/tasks.md leads to a file', () => {
  const links = [...readFileSync(TASKS_FILE, 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!).filter(target => !target.startsWith('http'));
  expect(links.filter(target => !existsSync(join(dirname(TASKS_FILE), target)))).toEqual([]);
});

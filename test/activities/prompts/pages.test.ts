// docs/prompts/<method>.md shows what models read today.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PAGE_METHODS, PAGES, promptPage } from '../../support/pages/prompt-pages.ts';

it.each(PAGE_METHODS)('docs/prompts/%s.md is current', async (method) => {
  const stored = readFileSync(join(PAGES, `${method}.md`), 'utf8');
  const page = await promptPage(method);
  expect(stored === page, 'run `npx node test/support/pages/prompt-pages.ts`').toBe(true);
});

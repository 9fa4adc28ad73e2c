// What models read changes only by intent: the kind and a hash of each chosen request are kept, not its text.
// `node test/support/pages/prompt-pages.ts <folder>` writes the texts; `vitest -u` keeps new hashes.
import { expect, it } from 'vitest';
import { sha256 } from '../../../../../activities/sha256.ts';
import { PAGE_NAMES, promptSections } from '../../../../support/pages/prompt-pages.ts';

it.each(PAGE_NAMES)('requests of method %s are those that were reviewed', async (page) => {
  const kept = (await promptSections(page)).map((text) => `${sha256(text).slice(0, 12)} ${text.split('\n', 1)[0]}`);
  expect(kept).toMatchSnapshot();
});

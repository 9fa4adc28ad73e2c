// Each language once: the example that `evolve task new --language` makes is built, runs and passes its check. All that a
// toolchain's packages leave out shows here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeScaffold } from '../../client/tasks/task-folder.ts';
import { LANGUAGE_NAMES, toolchainOf } from '../../evolution/task/languages.ts';
import { FULL } from '../support/sizes.ts';
import { type Checks, faults, openChecks } from './checked.ts';

const named = process.env['EVOLVE_LANGUAGES']?.split(',');
/** Each image takes from 8 to 20 s once. */
const WANTED = LANGUAGE_NAMES.filter((name) => toolchainOf(name)?.packages != null).filter((name) =>
  named === undefined ? FULL || name === 'cpp' : named.includes(name),
);

const folder = mkdtempSync(join(tmpdir(), 'evolve-languages-'));
let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('auto');
});
afterAll(async () => {
  await checks.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the example of a language', () => {
  test.each(WANTED)('%s', async (name) => {
    if (name === 'python') return;
    const task = join(folder, name);
    writeScaffold(name, name, task);
    expect(faults(await checks.check(task, { parts: ['initial'] }))).toEqual([]);
  });
});

// `npm test -- <vitest arguments>`: installs the packages, makes the parts the tests need, runs the tests. With `full`
// before them everything that is long, too; with `tiny` the types and a few tests that need no parts (docs/testing.md).
import { join } from 'node:path';
import { ensureInstalled, ROOT, runScript } from './install.mjs';

/** A test of each room, and short runs of every method in memory. */
const TINY = [
  'test/evolution/edits/early-checks.test.ts',
  'test/evolution/population/insertion.test.ts',
  'test/evolution/prompts/conversation.test.ts',
  'test/workflows/messages',
  'test/client/run-state.test.ts',
  'test/activities/step/golden.test.ts',
];

const node = await ensureInstalled();
const [size, ...rest] = process.argv.slice(2);
const args = ['full', 'tiny'].includes(size) ? rest : process.argv.slice(2);
const vitest = (env, ...more) => runScript(node, 'node_modules/vitest/vitest.mjs', ['run', ...more, ...args], env);

if (size === 'tiny') {
  const types = await runScript(node, 'node_modules/typescript/bin/tsc', ['-p', '.']);
  process.exit(types === 0 ? await vitest({}, '--project', 'unit', ...TINY) : types);
}

// The tests make homes of their own and share the heavy parts of the clone.
const env = { EVOLVE_PARTS: process.env.EVOLVE_PARTS || process.env.EVOLVE_HOME || join(ROOT, '.evolve') };
const prepared = await runScript(node, 'deploy/stack/prepare-tests.ts', ['prepare'], env);
if (prepared !== 0) process.exit(prepared);
const code = await vitest({ ...env, ...(size === 'full' ? { EVOLVE_TEST_FULL: '1' } : {}) });
await runScript(node, 'deploy/stack/prepare-tests.ts', ['release'], env);
process.exit(code);

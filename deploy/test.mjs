// `npm test -- <vitest arguments>`: installs the packages, makes the parts the tests need, runs the tests. With `full`
// before them everything that is long, too; with `tiny` the types and a few tests that need no parts (docs/testing.md);
// with `prepare` the parts alone.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT, runScript } from './install.mjs';

/** A test of each room, and short runs of every method in memory. */
const TINY = [
  'test/evolution/edits/early-checks.test.ts',
  'test/evolution/population/insertion.test.ts',
  'test/evolution/prompts/conversation.test.ts',
  'test/workflows/messages',
  'test/client/temporal/run-state.test.ts',
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
if (prepared !== 0 || size === 'prepare') process.exit(prepared);
const full = size === 'full' ? { EVOLVE_TEST_FULL: '1' } : {};
const results = mkdtempSync(join(tmpdir(), 'evolve-tests-'));
/** Runs vitest, and reads what test/reporter.ts wrote of it; null where vitest ended before it could. */
const measured = async (name, ...more) => {
  const file = join(results, name);
  const code = await vitest({ ...env, ...full, EVOLVE_TEST_RESULT: file }, ...more);
  try {
    return { code, result: JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return { code, result: null };
  }
};

/**
 * A whole run starts hundreds of servers and containers, and one bad moment of the machine must not hide what all other
 * tests say. So files that failed in a whole run are run once more, alone; they are named at the end, because a test
 * that needs this is to be mended. Many failed files are no bad moment.
 */
const MOST_AGAIN = 4;
const first = await measured('first.json');
let { code } = first;
const again = first.result?.failedFiles ?? [];
if (code !== 0 && args.length === 0 && again.length > 0 && again.length <= MOST_AGAIN) {
  console.log(`\nOnce more, alone: ${again.join(', ')}`);
  const second = await measured('second.json', '--maxWorkers=1', ...again);
  code = second.code;
  if (second.result !== null) {
    const passed = first.result.passed - first.result.passedInFailedFiles + second.result.passed;
    console.log(`\nfailed in the whole run, then run alone: ${again.join(', ')}`);
    console.log(`${passed} passed, ${second.result.failed} failed`);
  }
}
rmSync(results, { recursive: true, force: true });
await runScript(node, 'deploy/stack/prepare-tests.ts', ['release'], env);
process.exit(code);

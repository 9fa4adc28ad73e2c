// `npm test -- <vitest arguments>`: installs the packages, makes the parts the tests need, runs the tests.
import { join } from 'node:path';
import { ensureInstalled, ROOT, runScript } from './install.mjs';

const node = await ensureInstalled();
// The tests make homes of their own and share the heavy parts of the clone.
const env = { EVOLVE_PARTS: process.env.EVOLVE_PARTS || process.env.EVOLVE_HOME || join(ROOT, '.evolve') };
const prepared = await runScript(node, 'deploy/stack/prepare-tests.ts', ['prepare'], env);
if (prepared !== 0) process.exit(prepared);
const code = await runScript(node, 'node_modules/vitest/vitest.mjs', ['run', ...process.argv.slice(2)], env);
await runScript(node, 'deploy/stack/prepare-tests.ts', ['release'], env);
process.exit(code);

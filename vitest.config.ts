// Settings of the tests. `npm test` sets up the parts first (deploy/test.mjs), then calls vitest with this file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const globalSetup = join(import.meta.dirname, 'test', 'global-setup.ts');

// Vitest takes a default export only.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Only for what hangs: however busy the machine is, no test may fail for being slow.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    reporters: ['default', './test/reporter.ts'],
  },
});

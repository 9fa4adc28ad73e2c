// Settings of the tests. `npm test` sets up the parts first (deploy/test.mjs), then calls vitest with this file;
// docs/testing.md says what runs when.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** Pure or nearly so: they start no server and no container. */
const UNIT = [
  'test/*.test.ts',
  'test/{evolution,cli,client,workflows}/**/*.test.ts',
  'test/page/{api,server,view}/**/*.test.ts',
  'test/activities/*.test.ts',
  'test/activities/{check,llm,rebuild,run,step,sweep,task}/**/*.test.ts',
  'test/deploy/offline-model/*.test.ts',
];
/** On a stack, or in a browser. */
const E2E = ['test/e2e/**/*.test.ts', 'test/page/browser/*.test.ts'];

// Vitest takes a default export only.
export default defineConfig({
  test: {
    pool: 'forks',
    // Workflows run as in a worker process, without a stack trace for each promise.
    execArgv: ['--import', new URL('workers/untraced.ts', import.meta.url).href],
    // A process runs many files: to start one and to load what it needs takes longer than most files work.
    isolate: false,
    // One more than the cores that it is meant for: a file that waits for a server leaves its core to another.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Only for what hangs: however busy the machine is, no test may fail for being slow.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    setupFiles: ['./test/support/file-cpu.ts'],
    // The home that is up is remembered there (deploy/host/remembered-home.ts).
    env: { TZ: 'UTC', XDG_CONFIG_HOME: join(tmpdir(), 'evolve-test-config') },
    reporters: ['default', './test/reporter.ts'],
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', 'deploy/kubernetes/test/*.test.ts'],
          exclude: [...UNIT, ...E2E],
        },
      },
      { extends: true, test: { name: 'e2e', include: E2E, globalSetup: ['./test/global-setup.ts'] } },
    ],
  },
});

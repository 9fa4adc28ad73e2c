// Versions of the workflows on a test's server: the code that ships makes their workers, says which is the current one,
// and serves the older ones. A version is the bundle that ships with a text in it exchanged.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Versions, workflowWorkers } from '../../../workers/roles/versions.ts';
import { HEARTBEAT_SECONDS_OF_BUNDLE } from '../../../workflows/engine/heartbeat.ts';

export type Served = {
  readonly build: string;
  /** The folder that such processes share on one host. */
  readonly home: string;
  /** A text of the bundle, and what stands there instead. */
  readonly edit?: readonly [string, string];
  /** As EVOLVE_HEARTBEAT_TIMEOUT of such a process. */
  readonly heartbeatSeconds?: number;
};
export type Serving = {
  readonly log: readonly string[];
  /** As a process that is told to end: it may be repeated. */
  stop(): Promise<void>;
};

/** The step's first command is another one, so that no history of the step that ships replays under it. */
export const CHANGED_STEP: readonly [string, string] = [
  'async function evolutionStep(input) {',
  'async function evolutionStep(input) { await (0,_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.sleep)(1);',
];

/** The code of release `number`: its steps begin with so many timers, and none replays under another release. */
export const releaseOf = (code: string, number: number): string =>
  edited(code, [CHANGED_STEP[0], CHANGED_STEP[1].replace('await', `for (let n = 0; n < ${number}; n += 1) await`)]);

/** Every task of a step fails. */
export const BROKEN_STEP: readonly [string, string] = [
  CHANGED_STEP[0],
  `${CHANGED_STEP[0]} throw new Error('broken by a release');`,
];

/** Every task of the workflow of a run with the name `broken` fails. */
export const BROKEN_RUN: readonly [string, string] = [
  'async function evolutionRun(input) {',
  "async function evolutionRun(input) { if (input.run === 'broken') throw new Error('a fault of the code');",
];

export const edited = (code: string, edit: Served['edit']): string => {
  if (edit === undefined) return code;
  const changed = code.replace(...edit);
  if (changed === code) throw new Error(`the bundle does not hold what the test exchanges: ${edit[0]}`);
  return changed;
};

export const serving = async (
  env: TestWorkflowEnvironment,
  code: string,
  { build, home, edit, heartbeatSeconds = HEARTBEAT_SECONDS_OF_BUNDLE }: Served,
): Promise<Serving> => {
  const log: string[] = [];
  const shared = { connection: env.nativeConnection, namespace: 'default', shutdownGraceTime: '1 second' } as const;
  const folder = join(home, 'bundles');
  mkdirSync(folder, { recursive: true });
  const bundle = join(folder, `${build}.js`);
  writeFileSync(bundle, edited(code, edit));
  const make = workflowWorkers(shared, heartbeatSeconds);
  const worker = await make(bundle);
  const engine = { connection: env.connection, namespace: 'default' };
  return running(
    worker,
    new Versions({ engine, home, bundle, make, log: (line) => log.push(line), everyMs: 500 }),
    log,
  );
};

const running = (worker: Worker, versions: Versions, log: readonly string[]): Serving => {
  const ended = worker.run();
  const versioning = versions.run();
  return {
    log,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all([ended, versions.stop(), versioning]);
    },
  };
};

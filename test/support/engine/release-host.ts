// A host with a release of the workflows, beside the home that began the runs: a process of the role `engine`, which is
// started again as often as it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keptVersions } from '../../../deploy/versions/kept-versions.ts';
import type { TestHome } from '../machine/home.ts';
import { releaseOf } from './serving.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');

export type ReleaseHost = {
  readonly build: string;
  kill(): void;
  stop(): Promise<void>;
};

/** No history of one release replays under another (`releaseOf`). */
export const releaseHost = (home: TestHome, number: number, env: NodeJS.ProcessEnv = {}): ReleaseHost => {
  const build = `release-${number}`;
  const folder = join(home.dir, 'releases');
  const bundle = join(folder, `${build}.js`);
  mkdirSync(folder, { recursive: true });
  // It is kept here, because the home keeps the newest bundles alone.
  const shipped = join(folder, 'shipped.js');
  if (!existsSync(shipped)) copyFileSync(keptVersions(home.dir)[0]!.path, shipped);
  writeFileSync(bundle, releaseOf(readFileSync(shipped, 'utf8'), number));
  const { temporal, database } = home.up();
  let stopping = false;
  let child: ChildProcess;
  let ended: Promise<unknown>;
  const start = (): void => {
    child = spawn(NODE, [join(ROOT, 'workers', 'role.ts'), 'engine'], {
      env: {
        ...home.env,
        EVOLVE_HOME: home.dir,
        EVOLVE_BUNDLE: bundle,
        MONGODB_URI: database.uri,
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_NAMESPACE: temporal.namespace,
        TEMPORAL_CONFIG_FILE: '/dev/null',
        ...env,
      },
      stdio: 'ignore',
    });
    ended = new Promise((resolve) => child.once('exit', resolve));
    void ended.then(() => (stopping ? undefined : start()));
  };
  start();
  return {
    build,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
};

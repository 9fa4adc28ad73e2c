// What the Docker tests share: the evaluator image, a home of their own, and jobs. An engine that is missing fails
// them loudly.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SandboxJob } from '../../../../activities/sandbox/contract/types.ts';
import { connectDocker } from '../../../../activities/sandbox/launchers/docker-connection.ts';
import { ensureImage } from '../../../../deploy/images/evaluator/image.ts';
import type { TaskLimits } from '../../../../evolution/task/task.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
export const dockerHost = process.env['DOCKER_HOST'];

export const imageCache = join(
  process.env['EVOLVE_PARTS'] ?? process.env['EVOLVE_HOME'] ?? join(ROOT, '.evolve'),
  'image',
);
export const requirements = join(ROOT, 'deploy', 'requirements', 'evaluator-requirements.txt');

export const testImage = async (host = dockerHost): Promise<string> =>
  (await ensureImage({ dockerHost: host, cacheDir: imageCache, requirements, say: (line) => console.log(line) })).id;

export const testHome = (): string => `test${randomBytes(4).toString('hex')}`;

export const MIB = 1024 * 1024;
export const quickLimits: TaskLimits = {
  cpuSeconds: 2,
  wallSeconds: 8,
  memoryBytes: 256 * MIB,
  outputBytes: 4 * MIB,
  pids: 64,
  cores: 1,
};

let keys = 0;
export const job = (code: string, more: Partial<SandboxJob> = {}): SandboxJob => ({
  key: `job-${(keys += 1)}`,
  run: 'test',
  code,
  entry: 'construct',
  instance: { n: 26, seed: 7, time_limit_s: 1 },
  limits: quickLimits,
  acceptSavedOnTimeout: false,
  ...more,
});

export const never = (): AbortSignal => new AbortController().signal;

/** Containers of a home, whatever their state. */
export const containersOf = async (home: string, host = dockerHost): Promise<readonly string[]> =>
  (
    await connectDocker(host).listContainers({ all: true, filters: JSON.stringify({ label: [`evolve.home=${home}`] }) })
  ).map((container) => container.Id);

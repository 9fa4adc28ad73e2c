// How candidates are kept apart on this machine: Docker containers, warm ones that fork them (`fast`, opt-in), or bubblewrap where there is no
// engine (flagged on every result).
import { createBubblewrapGate, createBubblewrapSandbox, createBubblewrapScorer } from '../activities/sandbox/bubblewrap-sandbox.ts';
import { createDockerSandbox, type DockerSandboxOptions } from '../activities/sandbox/docker-sandbox.ts';
import { createFastSandbox } from '../activities/sandbox/fast-sandbox.ts';
import { createDockerGate } from '../activities/sandbox/gate.ts';
import { createDockerScorer } from '../activities/sandbox/scorer.ts';
import { InfrastructureError, type Gate, type Sandbox, type Scorer } from '../activities/sandbox/types.ts';
import { ensureRootfs } from '../deploy/image.ts';
import type { Task } from '../evolution/task.ts';
import { runtimeImages } from './runtime-images.ts';
import type { IsolationEnvironment } from './environment.ts';

export type Isolation = {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorerFor: (task: Task) => Scorer;
  readonly close: () => Promise<void>;
};

const log = (line: string): void => console.log(line);

export const isolationFor = async (environment: IsolationEnvironment, level: string): Promise<Isolation> => {
  switch (level) {
    case 'docker': return docker(environment, createDockerSandbox);
    case 'fast': return docker(environment, createFastSandbox);
    case 'bubblewrap': return bubblewrap(environment);
    default: throw new InfrastructureError(`unknown isolation ${JSON.stringify(level)}: expected docker, fast or bubblewrap (EVOLVE_SANDBOX, evaluation.sandbox)`);
  }
};

const docker = ({ dockerHost, image, homeHash, concurrency }: IsolationEnvironment, createSandbox: (options: DockerSandboxOptions) => Sandbox): Isolation => {
  if (image === null) throw new InfrastructureError('expected EVOLVE_IMAGE, the evaluator image, in the sandbox worker\'s environment: `evolve up` sets it once a Docker engine is there');
  const engine = { ...(dockerHost === undefined ? {} : { dockerHost }), image, home: homeHash, log };
  return closing({ sandbox: createSandbox({ ...engine, concurrency, imageFor: runtimeImages({ dockerHost, base: image }) }), gate: createDockerGate(engine), scorerFor: (task) => createDockerScorer({ ...engine, task }) });
};

const bubblewrap = async ({ homeHash, imageCache, requirements, concurrency }: IsolationEnvironment): Promise<Isolation> => {
  const { path, id } = await ensureRootfs({ cacheDir: imageCache, requirements, say: log });
  const options = { rootfs: path, imageId: id, log };
  return closing({
    sandbox: createBubblewrapSandbox({ ...options, home: homeHash, concurrency }), gate: createBubblewrapGate(options),
    scorerFor: (task) => createBubblewrapScorer({ ...options, task }),
  });
};

const closing = (parts: Omit<Isolation, 'close'>): Isolation => ({
  ...parts, close: async () => { await Promise.allSettled([parts.sandbox.close(), parts.gate.close()]); },
});

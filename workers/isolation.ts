// How candidates are kept apart on this machine: in Docker containers of their own, forked in warm containers (`fast`,
// opt-in), or by bubblewrap where there is no engine (every result is then marked). Here too are the images for
// programs in other languages.
import { type Gate, InfrastructureError, type Sandbox, type Scorer } from '../activities/sandbox/contract/types.ts';
import {
  createAgentSandbox,
  createAgentSandboxGate,
  createAgentSandboxScorer,
} from '../activities/sandbox/host/agent-sandbox.ts';
import {
  createBubblewrapGate,
  createBubblewrapSandbox,
  createBubblewrapScorer,
} from '../activities/sandbox/host/bubblewrap-sandbox.ts';
import type { Cores } from '../activities/sandbox/host/cores.ts';
import { createDockerSandbox, type DockerSandboxOptions } from '../activities/sandbox/host/docker-sandbox.ts';
import { createFastSandbox } from '../activities/sandbox/host/fast-sandbox.ts';
import { createDockerGate } from '../activities/sandbox/host/gate.ts';
import { createDockerScorer } from '../activities/sandbox/host/scorer.ts';
import { projectNode } from '../deploy/host/home.ts';
import { connectEngine, imageId } from '../deploy/images/evaluator/engine.ts';
import { ensureRootfs } from '../deploy/images/evaluator/image.ts';
import { ensureNodeImage } from '../deploy/images/evaluator/node.ts';
import { readLevel } from '../evolution/config/sandboxes.ts';
import type { Task } from '../evolution/task.ts';
import type { OciRuntime } from '../evolution/types.ts';
import type { IsolationEnvironment } from './environment.ts';
import { gpusOf } from './gpus.ts';

const LEVELS = 'docker, fast or agent-sandbox, each with a runtime behind a plus (docker+runsc), or bubblewrap';

export type Isolation = {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorerFor: (task: Task) => Scorer;
  readonly close: () => Promise<void>;
};

/** `shared` are the cores of all levels of a process; left out, each level has its own. */
type Place = IsolationEnvironment & { readonly shared?: Cores };

const log = (line: string): void => console.log(line);

export const isolationFor = async (environment: Place, level: string): Promise<Isolation> => {
  const named = readLevel(level);
  switch (named?.sandbox) {
    case 'docker':
      return docker(environment, named.runtime, createDockerSandbox);
    case 'fast':
      return docker(environment, named.runtime, createFastSandbox);
    case 'bubblewrap':
      return bubblewrap(environment);
    case 'agent-sandbox':
      return agentSandbox(environment, named.runtime);
    case undefined:
      throw new InfrastructureError(
        `isolation: expected ${LEVELS}, got ${JSON.stringify(level)} (EVOLVE_SANDBOX, evaluation.sandbox)`,
      );
  }
};

const docker = (
  { dockerHost, image, homeHash, concurrency, shared: cores, gpus }: Place,
  runtime: OciRuntime,
  createSandbox: (options: DockerSandboxOptions) => Sandbox,
): Isolation => {
  if (image === null)
    throw new InfrastructureError(
      "expected EVOLVE_IMAGE, the evaluator image, in the sandbox worker's environment: `evolve up` sets it once a Docker engine is there",
    );
  const engine = { ...(dockerHost === undefined ? {} : { dockerHost }), image, home: homeHash, log, runtime };
  return closing({
    sandbox: createSandbox({
      ...engine,
      concurrency,
      cores,
      gpus: gpusOf(gpus),
      imageFor: runtimeImages({ dockerHost, base: image }),
    }),
    gate: createDockerGate(engine),
    scorerFor: (task) => createDockerScorer({ ...engine, task }),
  });
};

const bubblewrap = async ({
  homeHash,
  imageCache,
  requirements,
  concurrency,
  shared: cores,
}: Place): Promise<Isolation> => {
  const { path, id } = await ensureRootfs({ cacheDir: imageCache, requirements, say: log });
  const options = { rootfs: path, imageId: id, log };
  return closing({
    sandbox: createBubblewrapSandbox({ ...options, home: homeHash, concurrency, cores }),
    gate: createBubblewrapGate(options),
    scorerFor: (task) => createBubblewrapScorer({ ...options, task }),
  });
};

const agentSandbox = (
  { cluster, homeHash: home, concurrency }: IsolationEnvironment,
  runtime: OciRuntime,
): Isolation => {
  const options = { cluster, home, log, runtime };
  return closing({
    sandbox: createAgentSandbox({ ...options, concurrency }),
    gate: createAgentSandboxGate(options),
    scorerFor: (task) => createAgentSandboxScorer({ ...options, task }),
  });
};

const closing = (parts: Omit<Isolation, 'close'>): Isolation => ({
  ...parts,
  close: async () => {
    await Promise.allSettled([parts.sandbox.close(), parts.gate.close()]);
  },
});

/**
 * The image for a program in another language, by the name that its task gives. `node` is built when it is first asked
 * for; any other name must be an image of the engine. Throws with what to do.
 */
export const runtimeImages = ({
  dockerHost,
  base,
}: {
  readonly dockerHost: string | undefined;
  readonly base: string;
}): ((name: string) => Promise<string>) => {
  const found = new Map<string, Promise<string>>();
  const find = async (name: string): Promise<string> => {
    if (name === 'node') return ensureNodeImage({ dockerHost, base, node: projectNode(), version: process.version });
    const id = await imageId(connectEngine(dockerHost), name);
    if (id === null)
      throw new Error(`the Docker engine has no image ${name}, which the task's runtime names: load or pull it`);
    return id;
  };
  return (name) => {
    const known =
      found.get(name) ??
      find(name).catch((error: unknown) => {
        found.delete(name);
        throw error;
      });
    found.set(name, known);
    return known;
  };
};

// Where tests check tasks: a sandbox of a level, and scorers and a gate in containers of their own.
import { type Benches, createBenches } from '../../../activities/check/bench.ts';
import type { Sandbox } from '../../../activities/sandbox/contract/types.ts';
import {
  createDockerGate,
  createDockerScorer,
  createDockerSandbox,
  type DockerSandboxOptions,
} from '../../../activities/sandbox/levels/docker.ts';
import { createForkSandbox } from '../../../activities/sandbox/levels/fork.ts';

const besideScorers = (sandbox: Sandbox, options: DockerSandboxOptions): Benches =>
  createBenches({
    sandbox,
    gate: createDockerGate(options),
    scorer: (task) => createDockerScorer({ ...options, task }),
  });

export const createDockerBenches = (options: DockerSandboxOptions): Benches =>
  besideScorers(createDockerSandbox(options), options);

export const createForkBenches = (options: DockerSandboxOptions): Benches =>
  besideScorers(createForkSandbox(options), options);

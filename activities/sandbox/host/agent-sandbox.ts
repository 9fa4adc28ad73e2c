// The level `agent-sandbox`: sandbox, scorer and gate in pods that are claimed from a warm pool of a Kubernetes cluster.
import type { Task } from '../../../evolution/task.ts';
import type { Gate, Sandbox, Scorer } from '../contract/types.ts';
import {
  type AgentSandboxOptions,
  createAgentSandboxLauncher,
  startClaimReaper,
} from '../kubernetes/agent-sandbox-launcher.ts';
import { createConfinedSandbox } from './confined-sandbox.ts';
import { createGate } from './gate.ts';
import { createScorer } from './scorer.ts';

type Trusted = Omit<AgentSandboxOptions, 'trusted'>;

export const createAgentSandbox = (
  options: Trusted & { readonly concurrency: number; readonly poolSize?: number | undefined },
): Sandbox => {
  const launcher = createAgentSandboxLauncher(options);
  const stopReaper = startClaimReaper(launcher, options.log);
  return createConfinedSandbox({
    launcher,
    home: options.home,
    concurrency: options.concurrency,
    poolSize: options.poolSize ?? options.concurrency + 1,
    log: options.log,
    onClose: async () => stopReaper(),
  });
};

export const createAgentSandboxScorer = ({ task, ...options }: Trusted & { readonly task: Task }): Scorer =>
  createScorer(createAgentSandboxLauncher({ ...options, trusted: true }), task, options.log);

export const createAgentSandboxGate = (options: Trusted): Gate =>
  createGate(createAgentSandboxLauncher({ ...options, trusted: true }), options.log);

// A level of isolation as an outside package adds it (level.json): sandbox, scorer and gate in pods that are claimed from
// a warm pool of a Kubernetes cluster.
import type { Task } from '../../evolution/task/task.ts';
import type { Gate, Sandbox, Scorer } from '../../activities/sandbox/contract/types.ts';
import { type AgentSandboxOptions, AgentSandboxLauncher, startClaimReaper } from './launcher.ts';
import { createConfinedSandbox } from '../../activities/sandbox/host/confined-sandbox.ts';
import { createGate } from '../../activities/sandbox/host/gate.ts';
import { createScorer } from '../../activities/sandbox/host/scorer.ts';
import { isolation, type OpenLevel } from '../../activities/sandbox/levels/level.ts';
import { clusterSettings } from './access.ts';

type Trusted = Omit<AgentSandboxOptions, 'trusted'>;

export const createAgentSandbox = (options: Trusted & { readonly concurrency: number }): Sandbox => {
  const launcher = new AgentSandboxLauncher(options);
  const stopReaper = startClaimReaper(launcher, options.log);
  return createConfinedSandbox({
    launcher,
    home: options.home,
    concurrency: options.concurrency,
    log: options.log,
    onClose: async () => stopReaper(),
  });
};

export const createAgentSandboxScorer = ({ task, ...options }: Trusted & { readonly task: Task }): Scorer =>
  createScorer(new AgentSandboxLauncher({ ...options, trusted: true }), task, options.log);

export const createAgentSandboxGate = (options: Trusted): Gate =>
  createGate(new AgentSandboxLauncher({ ...options, trusted: true }), options.log);

export const open: OpenLevel = async ({ env, home, concurrency, log }, runtime) => {
  const options = { cluster: clusterSettings(env), home, log, runtime };
  return isolation({
    sandbox: createAgentSandbox({ ...options, concurrency }),
    gate: createAgentSandboxGate(options),
    scorerFor: (task) => createAgentSandboxScorer({ ...options, task }),
  });
};

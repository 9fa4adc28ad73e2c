// Asks a process of its own (workers/replay.ts) whether a bundle of workflows would go on with open executions, because
// the commands themselves load nothing that runs workflows.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Home, PROJECT_ROOT, projectNode } from '../host/home.ts';
import { baseEnvironment, type Environment, pick, temporalEnvironment } from '../supervisor/children.ts';
import type { Parts } from '../supervisor/plan.ts';
import { answersOf } from './trial.ts';

type Asked = { readonly workflowId: string; readonly runId: string };

type ReplayOptions = {
  readonly home: Home;
  readonly temporal: Parts['temporal'];
  readonly env: NodeJS.ProcessEnv;
  readonly bundle: string;
  /** Executions not replayed after so many seconds are left out. */
  readonly seconds: number;
};

/** By run id: null where it replays, else why it does not. */
export type Replays = ReadonlyMap<string, string | null>;

export const replayUnder = async (
  executions: readonly Asked[],
  { home, temporal, env, bundle, seconds }: ReplayOptions,
): Promise<Replays> => {
  const replays = new Map<string, string | null>();
  if (executions.length === 0) return replays;
  // It is no process of the stack: a supervisor ends what has its mark and is not in its plan.
  const { EVOLVE_CHILD: _, ...environment } = baseEnvironment(home, 'replay', env);
  const child = spawn(projectNode(), [join(PROJECT_ROOT, 'workers', 'replay.ts')], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...environment,
      EVOLVE_HOME: home.root,
      ...temporalEnvironment(temporal, env),
      ...pick(env, (name) => name.startsWith('EVOLVE_PAYLOAD_KEYS')),
    } satisfies Environment,
  });
  await answersOf(child, JSON.stringify({ bundle, executions, seconds }), (answer) => {
    const { runId, why } = answer as { readonly runId: string; readonly why: string | null };
    replays.set(runId, why);
  });
  return replays;
};

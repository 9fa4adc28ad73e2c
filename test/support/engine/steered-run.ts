// A run in the store in memory, with an engine that knows its workflow as open or not at all and keeps what it is sent.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Parts } from '../../../client/connect/connection.ts';
import { RunHandle } from '../../../client/runs/run-handle.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom } from '../domain/asked-run.ts';

type Sent = { readonly kind: 'start' | 'signal' | 'update'; readonly name: string; readonly body: unknown };

export const runWith = async ({
  open = false,
  status = 'running',
  env = {},
  refuses = false,
}: {
  open?: boolean;
  refuses?: boolean;
  status?: RunStatus;
  env?: NodeJS.ProcessEnv;
}) => {
  const store = memoryStore();
  const config = configFrom({ limits: { steps: 4 } });
  await store.createRun({
    run: 'demo',
    config,
    taskDigest: 't',
    evaluatorDigest: 'e',
    offlineModel: true,
    createdAt: new Date(),
  });
  await store.setStatus('demo', status, { stopReason: status === 'finished' ? 'steps' : null });
  const sent: Sent[] = [];
  const updates: (string | undefined)[] = [];
  /** What the workflow says of itself: it takes whatever it is sent, unless it is to refuse. */
  const word = { attention: null, paused: false, stopping: false, refusal: null as string | null };
  const handle = {
    query: async () => word,
    describe: async () => {
      if (!open) throw Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' });
      return { status: { name: 'RUNNING' } };
    },
    signal: async (name: string, body: unknown) => {
      sent.push({ kind: 'signal', name, body });
      if (refuses) word.refusal = `${name}: "reason" expected a text`;
      else Object.assign(word, { pause: { paused: true }, resume: { paused: false }, stop: { stopping: true } }[name]);
    },
    executeUpdate: async (name: string, { args: [body], updateId }: { args: [unknown]; updateId?: string }) => {
      sent.push({ kind: 'update', name, body });
      updates.push(updateId);
      return { version: 9, changed: ['x'], injected: 'k', toStep: 1 };
    },
  };
  const start = async (name: string, { args: [body] }: { args: [unknown] }): Promise<void> => {
    sent.push({ kind: 'start', name, body });
  };
  const engine = {
    client: { workflow: { getHandle: () => handle, start } },
    connection: { withDeadline: (_: number, work: () => unknown) => work() },
  };
  const home = mkdtempSync(join(tmpdir(), 'evolve-home-'));
  const parts = {
    place: { home: resolveHome({ EVOLVE_HOME: home }), env },
    store: async () => store,
    engine: async () => engine,
    engineSoon: async () => engine,
  } as unknown as Parts;
  return { run: new RunHandle(parts, 'demo'), parts, store, sent, updates, home };
};

// Gathers what is known of a run without steps that wait (`schedule: continuous`), for the findings of `evolve doctor`.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { isSilent } from '../../evolution/hosts/hosts.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import type { InStep } from '../../workflows/messages/messages.ts';
import type { Engine } from '../connect/connection.ts';
import { type Execution, readExecution } from '../temporal/execution.ts';
import { query } from '../temporal/workflow.ts';
import { queueRates } from '../temporal/queue-rates.ts';
import type { StreamState } from './stream-findings.ts';

const ANSWER_MS = 5_000;
/** A stream has two windows or three for a while, and one otherwise. */
const MOST_WINDOWS = 5;

/** Leaves an unanswered question out, because a part that is away is a finding of its own. */
export const readStream = async (
  store: Pick<Store, 'committedAt' | 'listHosts' | 'readRate'>,
  engine: Engine,
  run: RunDocument,
): Promise<StreamState> => {
  const now = new Date();
  const [windows, committedAt, hosts, rates, pauses] = await Promise.all([
    windowsOf(engine, run.run),
    run.committedStep < 0 ? null : store.committedAt(run.run, run.committedStep).catch(() => null),
    store.listHosts(),
    queueRates(engine, run.queue === undefined ? [] : [run.queue]).catch(() => []),
    pausesOf(store, run),
  ]);
  const [newest] = windows;
  return {
    windows,
    counts: newest ? await query<InStep>(engine, newest.workflowId, 'inStep', ANSWER_MS).catch(() => null) : null,
    committedAt,
    rates,
    polled: new Set(hosts.filter((host) => !isSilent(host, now)).flatMap(({ queues }) => queues)),
    pauses,
  };
};

type Window = { readonly number: number; readonly workflowId: string; readonly execution: Execution };

const windowsOf = async (engine: Engine, run: string): Promise<readonly Window[]> => {
  const steps = `${runWorkflowId(run)}/step/`;
  const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${steps}"`;
  const open: Window[] = [];
  for await (const { workflowId } of engine.client.workflow.list({ query })) {
    const execution = await readExecution(engine, workflowId);
    if (execution !== null) open.push({ number: Number(workflowId.slice(steps.length)), workflowId, execution });
    if (open.length === MOST_WINDOWS) break;
  }
  return open.sort((a, b) => b.number - a.number);
};

const pausesOf = async (
  store: Pick<Store, 'readRate'>,
  { config: { model, models } }: RunDocument,
): Promise<StreamState['pauses']> => {
  const endpoints = [...new Set([model, ...models].flatMap(({ baseUrl }) => (baseUrl ? [baseUrl] : [])))];
  const rates = await Promise.all(endpoints.map((endpoint) => store.readRate(endpoint).catch(() => null)));
  return endpoints.flatMap((endpoint, at) => {
    const ms = Math.max(0, ...(rates[at]?.pauses.map((pause) => pause.ms) ?? []));
    return ms > 0 ? [{ endpoint, ms }] : [];
  });
};

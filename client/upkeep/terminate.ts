// Ends a run's or a sweep's workflow at the workflow engine, without the workflow's help: where no worker lives, where
// its code fails at every task, and where the database is away. What is committed stays; `resume` goes on.
import type { Store } from '../../activities/store/store.ts';
import { runWorkflowId, sweepWorkflowId } from '../../evolution/ids.ts';
import { type Engine, openEngine, openStore, type Place } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { recorded } from '../connect/recorded.ts';
import { startRest, startSweepRest } from './rest.ts';
import { hasSweepEnded } from '../read/sweep-report.ts';
import { isNotFound, isOpen } from '../temporal/workflow.ts';

export type Terminated = {
  readonly name: string;
  readonly workflowId: string;
  /** The error of the database that could not be told; null where it was, or where it does not know the run. */
  readonly unmarked: string | null;
};

type Wanted = {
  readonly kind: 'run' | 'sweep';
  /** `latest` is the newest that the database knows. */
  readonly name: string;
  readonly reason?: string | undefined;
};

/** Throws UsageError where no such workflow is open, and MissingError where the engine is away. */
export const terminate = async (place: Place, wanted: Wanted): Promise<Terminated> => {
  const store = await openStore(place).catch((error: unknown) => error as Error);
  const engine = await openEngine(place);
  try {
    const known = store instanceof Error ? null : store;
    const name = await nameOf(wanted, known, store);
    if (known !== null) {
      const { namespaceRefusal } = await import('../connect/namespace.ts');
      const why = await namespaceRefusal(place, engine, known);
      if (why !== null) throw new MissingError(why);
    }
    const whole = { ...wanted, name };
    const ended = async () => {
      const workflowId = await end(engine, whole);
      return { name, workflowId, unmarked: await mark(known ?? (store as Error), engine, whole), text: 'terminated' };
    };
    return wanted.kind === 'run' && known !== null
      ? await recorded({ place, store: async () => known }, name, 'terminate', ended)
      : await ended();
  } finally {
    await engine.close().catch(() => undefined);
    if (!(store instanceof Error)) await store.close().catch(() => undefined);
  }
};

const nameOf = async ({ kind, name }: Wanted, store: Store | null, away: unknown): Promise<string> => {
  if (name !== 'latest') return name;
  if (store === null)
    throw new MissingError(
      `which ${kind} is the latest only the database knows (${(away as Error).message}): name the ${kind}`,
    );
  const newest = kind === 'run' ? (await store.listRuns())[0]?.run : (await store.listSweeps())[0]?._id;
  if (newest === undefined) throw new UsageError(`there are no ${kind}s yet`);
  return newest;
};

const end = async (engine: Engine, { kind, name, reason }: Wanted): Promise<string> => {
  const ended = async (id: string): Promise<boolean> => {
    try {
      if (!(await isOpen(engine, id))) return false;
      await engine.client.workflow.getHandle(id).terminate(reason ?? 'evolve terminate');
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  const own = kind === 'run' ? runWorkflowId(name) : sweepWorkflowId(name);
  if (await ended(own)) return own;
  for (const id of kind === 'run' ? [] : await scheduled(engine, name)) if (await ended(id)) return id;
  throw new UsageError(
    `${kind} "${name}" has no open workflow, so there is nothing to terminate: \`npx evolve ${kind === 'run' ? '' : 'sweep '}list\` shows all`,
  );
};

/** Ids of workflows of this sweep that a schedule started. A sweep that never opened has none. */
const scheduled = async ({ client }: Engine, name: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  const quoted = name.replaceAll(/[\\"]/g, '\\$&');
  for await (const { workflowId } of client.workflow.list({
    query: `WorkflowType = "sweep" AND EvoSweepId = "${quoted}" AND ExecutionStatus = "Running"`,
  }))
    ids.push(workflowId);
  return ids;
};

/** The error of the database that could not be told; else null. A run rests then, as one that ended by itself. */
const mark = async (
  store: Store | Error,
  { client }: Engine,
  { kind, name, reason }: Wanted,
): Promise<string | null> => {
  if (store instanceof Error) return store.message;
  const by = `by a person${reason === undefined ? '' : `: ${reason}`}`;
  try {
    if (kind === 'sweep') {
      const sweep = await store.readSweep(name);
      if (sweep === null) return null;
      const stopReason = `terminated ${by}`;
      if (!hasSweepEnded(sweep)) await store.setSweep(name, { status: 'terminated', stopReason, endedAt: new Date() });
      await startSweepRest(client, name, stopReason);
      return null;
    }
    const document = await store.readRun(name);
    if (document === null) return null;
    const stopReason = `terminated ${by}`;
    if (!hasEnded(document))
      await store.setStatus(name, 'terminated', { reason: null, parked: null, stopReason, endedAt: new Date() });
    await startRest(client, name, stopReason);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

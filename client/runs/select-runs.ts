// Runs by what they are instead of by their names: of a sweep, in a state, or found by a query of the Temporal UI.
import { RUN_WORKFLOW, runWorkflowId } from '../../evolution/ids.ts';
import { isRunStatus, RUN_STATES } from '../../evolution/run-states.ts';
import type { Engine } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import type { RunReport } from '../read/shapes.ts';
import { RUNS } from '../temporal/ui-views.ts';

/** A run has to meet all of these conditions. */
export type Selection = {
  /** Only the runs of this sweep. */
  readonly sweep?: string | undefined;
  /** Only runs in this state, in the words of `evolve list`. */
  readonly state?: string | undefined;
  /**
   * Only runs for which this query holds, as it is typed in the list of the Temporal UI, such as `EvoTask =
   * "circle-packing-square-26" AND EvoBestScore < 2.5`. Of each run only its present execution counts.
   */
  readonly where?: string | undefined;
};

/** The runs of `all` that are selected, in the same order. Throws UsageError for a query that the engine refuses. */
export const selected = async (
  all: readonly RunReport[],
  { sweep, state, where }: Selection,
  engine: () => Promise<Engine>,
): Promise<readonly RunReport[]> => {
  if (state !== undefined && !isRunStatus(state))
    throw new UsageError(`--state: expected one of ${RUN_STATES.join(', ')}, got ${JSON.stringify(state)}`);
  const matches = where === undefined ? null : await matching(await engine(), where);
  return all.filter(
    (run) =>
      (sweep === undefined || run.sweep === sweep) &&
      (state === undefined || run.state === state) &&
      (matches === null || matches.has(runWorkflowId(run.run))),
  );
};

/** INVALID_ARGUMENT of gRPC. */
const REFUSED = 3;
/** Executions are asked about so many at a time. */
const AT_ONCE = 16;

/** The ids of workflows of runs for whose present execution the query holds. */
const matching = async ({ client }: Engine, where: string): Promise<ReadonlySet<string>> => {
  const executions = new Map<string, Set<string>>();
  try {
    for await (const { workflowId, runId, type, status } of client.workflow.list({
      query: `${RUNS} AND (${where})`,
    })) {
      // A query with brackets of its own could be more than a condition.
      if (type !== RUN_WORKFLOW || (status.name !== 'RUNNING' && status.name !== 'COMPLETED')) continue;
      executions.set(workflowId, (executions.get(workflowId) ?? new Set()).add(runId));
    }
  } catch (error) {
    const refused = causeOf(error);
    if (refused === null) throw error;
    throw new UsageError(`--where: the workflow engine refuses the query ${JSON.stringify(where)}: ${refused}`);
  }
  // The attributes of an execution that is not the last one of its workflow are out of date.
  const ids = [...executions.keys()];
  const present = new Set<string>();
  for (let first = 0; first < ids.length; first += AT_ONCE)
    await Promise.all(
      ids.slice(first, first + AT_ONCE).map(async (id) => {
        const { runId } = await client.workflow.getHandle(id).describe();
        if (executions.get(id)!.has(runId)) present.add(id);
      }),
    );
  return present;
};

/** The engine's own words where it refused the query; null for every other error. */
const causeOf = (error: unknown): string | null => {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code, details } = one as { readonly code?: unknown; readonly details?: unknown };
    if (code === REFUSED) return typeof details === 'string' && details !== '' ? details : one.message;
  }
  return null;
};

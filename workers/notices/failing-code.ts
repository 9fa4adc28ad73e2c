// Runs whose code fails, or does not fit its history. Nothing of such a run is parked, because what would say so is what
// fails. The server lists an execution after some failures of one task.
import type { Client } from '@temporalio/client';
import { FAULTS } from '../../client/temporal/ui-views.ts';

/** A run, and one of its executions whose code fails. */
export type Failing = { readonly run: string; readonly execution: string };

/**
 * Makes the function that asks the server: one execution of each run, as long as the same ones fail the same one. A
 * server that does not answer, or does not know the question, has none; others tell of it.
 */
export const failingRuns =
  ({ workflow }: Pick<Client, 'workflow'>): (() => Promise<readonly Failing[]>) =>
  async () => {
    const first = new Map<string, string>();
    try {
      for await (const { workflowId, runId } of workflow.list({ query: `ExecutionStatus = "Running" AND ${FAULTS}` })) {
        const [, run] = /^run\/([^/]+)/.exec(workflowId) ?? [];
        if (run !== undefined && !(first.get(run)! < runId)) first.set(run, runId);
      }
    } catch {
      return [];
    }
    return [...first].map(([run, execution]) => ({ run, execution })).sort((a, b) => (a.run < b.run ? -1 : 1));
  };

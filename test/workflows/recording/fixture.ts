// How a fixture is written: the history of one execution, as the Temporal UI's download has it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { AT_REST } from '../../../workflows/messages/run-input.ts';

/** Records the newest execution, or the one that is named. */
export type Record = (name: string, workflowId: string, runId?: string) => Promise<void>;
/** What is recorded together. Its name stands on the command line. */
export type Scene = () => Promise<void>;

export const recordIn =
  (client: Client): Record =>
  async (name, workflowId, runId) => {
    const history = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    writeFileSync(fileURLToPath(new URL(`../histories/${name}.json`, import.meta.url)), `${history}\n`);
    console.log(`${name}: ${(JSON.parse(history) as { events: unknown[] }).events.length} events of ${workflowId}`);
  };

/** The execution that came to the end, where the newest is the one at which a run or a sweep rests. */
export const worked = async (client: Client, workflowId: string): Promise<string> => {
  const { raw, runId, memo } = await client.workflow.getHandle(workflowId).describe();
  if (memo?.[AT_REST] !== true) return runId;
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const before = events![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId;
  return before ? before : raw.workflowExecutionInfo!.firstRunId!;
};

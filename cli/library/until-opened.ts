// Waits until a workflow that was just started has made its document: until then `latest` would name another one. Used when runs and sweeps start.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './connection.ts';
import { rootOf } from './workflow.ts';

const OPENING_MS = 60_000;
const POLL_MS = 200;
/** Polls between two looks at the workflow itself. */
const LOOKS_EVERY = 10;

/** False when it did not come in time. Where the workflow has failed instead, throws what `refused` makes of the reason. */
export const untilOpened = async (
  { client }: Engine, workflowId: string, exists: () => Promise<boolean>, refused: (reason: string) => Error,
): Promise<boolean> => {
  const deadline = Date.now() + OPENING_MS;
  const handle = client.workflow.getHandle(workflowId);
  for (let round = 1; Date.now() < deadline; round += 1) {
    if (await exists()) return true;
    if (round % LOOKS_EVERY === 0 && (await handle.describe()).status.name === 'FAILED') {
      await handle.result().catch((error: unknown) => { throw refused(rootOf(error).message); });
    }
    await sleep(POLL_MS);
  }
  return false;
};

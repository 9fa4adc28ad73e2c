// Replays open executions under a bundle of workflows, for `evolve upgrade`: whether this code would go on with what they
// have done. It reads the job as JSON from stdin, writes one JSON object a line, and changes nothing.
import { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { json } from 'node:stream/consumers';
import { readPayloadKeys } from '../activities/payloads/keys.ts';
import { payloadsWith } from '../activities/payloads/payloads.ts';
import { connectEngine } from './process/connect.ts';

export type ReplayJob = {
  readonly bundle: string;
  readonly executions: readonly { readonly workflowId: string; readonly runId: string }[];
  /** No further history is read after so many seconds. */
  readonly seconds: number;
};

const say = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

const { bundle, executions, seconds } = (await json(process.stdin)) as ReplayJob;
try {
  Runtime.install({
    logger: new DefaultLogger('ERROR', ({ message }) => process.stderr.write(`${message}\n`)),
    // Else it writes to stdout itself, between the answers.
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
  const payloads = payloadsWith(readPayloadKeys(process.env, process.env['EVOLVE_HOME']!), async () => false);
  const { connection, native, namespace } = await connectEngine();
  const client = new Client({ connection, namespace, dataConverter: payloads.ofClient });
  const deadline = performance.now() + seconds * 1000;
  const histories = async function* () {
    for (const { workflowId, runId } of executions) {
      if (performance.now() > deadline) return;
      // An execution that has ended and was deleted meanwhile has nothing left to go on with.
      const history = await client.workflow
        .getHandle(workflowId, runId)
        .fetchHistory()
        .catch(() => null);
      if (history !== null) yield { workflowId, history };
    }
  };
  const options = { workflowBundle: { codePath: bundle }, dataConverter: payloads.ofWorker };
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(options, histories()))
    say({ workflowId, runId, why: error?.message ?? null });
  await connection.close();
  await native.close();
} catch (error) {
  say({ error: (error as Error).message });
}
process.exit(0);

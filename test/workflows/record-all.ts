// Records every replay fixture anew on real parts, once a workflow was changed on purpose and no run of the old code is to go on:
// node test/workflows/record-all.ts
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { startModel, testHome, until } from '../support/home.ts';

const NOOP = ['--set', 'evaluation.sandbox=noop', '--seed', '1'];
const home = testHome('record');
const must = async (args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await home.evolve(args);
  if (code !== 0) throw new Error(`evolve ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
};
const state = async (run: string): Promise<string> => (await home.json(['status', run])).state;

try {
  await must(['up']);
  const connection = await Connection.connect({ address: home.up().temporal.address });
  const client = new Client({ connection });
  const record = async (name: string, workflowId: string, runId?: string): Promise<void> => {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    writeFileSync(fileURLToPath(new URL(`./histories/${name}.json`, import.meta.url)), `${historyToJSON(history)}\n`);
    console.log(`${name}: ${history.events?.length ?? 0} events of ${workflowId}`);
  };

  await must(['run', '--run', 'plain', ...NOOP, '--steps', '2', '--batch', '2', '--responses', '3']);
  await record('run', 'run/plain');
  await record('step', 'run/plain/step/000001');

  const slow = await startModel('--trivial', '--latency-ms', '2500');
  const { port } = new URL(slow.url);
  const endpoint = ['--base-url', slow.url, '--model', 'offline-gp', '--batch', '2', '--responses', '2'];
  await must(['run', '--run', 'paused', ...NOOP, ...endpoint, '--steps', '3', '--detach']);
  await must(['pause', 'paused', '--now', '--reason', 'recording']);
  await until('the pause', 30_000, async () => (await state('paused')) === 'paused');
  await must(['resume', 'paused']);
  await must(['pause', 'paused']);
  await until('the second pause', 60_000, async () => (await state('paused')) === 'paused' && (await home.json(['status', 'paused'])).steps >= 1);
  await must(['extend', 'paused', '--steps', '4']);
  await must(['resume', 'paused']);
  await must(['stop', 'paused']);
  await until('the end', 60_000, async () => (await state('paused')) === 'stopped');
  await record('paused-run', 'run/paused');

  await must(['run', '--run', 'parked', ...NOOP, ...endpoint, '--steps', '1', '--detach']);
  await slow.stop();
  const refusing = await startModel('--port', port, '--fail-auth', 'always');
  await until('the run to park', 60_000, async () => (await state('parked')) === 'needs attention');
  await refusing.stop();
  const quick = await startModel('--port', port, '--trivial');
  await must(['retry', 'parked']);
  await until('the end', 60_000, async () => (await state('parked')) === 'finished');
  await record('parked-step', 'run/parked/step/000001');

  await must(['run', '--run', 'long', ...NOOP, ...endpoint, '--steps', '52', '--batch', '1', '--responses', '1']);
  for await (const one of client.workflow.list({ query: 'WorkflowId = "run/long" AND ExecutionStatus = "ContinuedAsNew"' })) await record('continued-run', 'run/long', one.runId);
  await quick.stop();
  await connection.close();
} finally {
  await home.remove();
}

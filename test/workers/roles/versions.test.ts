// When whatever rests is told of a new version, on a Temporal server made up: an execution asks whether there is one
// with its next task, so a task that comes before the server's queues know the version would be in vain.
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Versions } from '../../../workers/roles/versions.ts';
import { grpcServer } from '../../support/engine/grpc-server.ts';
import { until } from '../../support/machine/home.ts';
import { deploymentAnswer } from '../../support/engine/played-versions.ts';

const { temporal } = proto;
const { v1: service } = temporal.api.workflowservice;

/** A server on which `newer` is the current version, and a run that rests was begun by `older`. */
const serverWith = async (routed: () => boolean) => {
  /** Whether all queues knew the version at each signal. */
  const signals: boolean[] = [];
  const execution = { workflowId: 'run/paused', runId: 'one' };
  const answers: { readonly [method: string]: () => Uint8Array } = {
    DescribeWorkerDeployment: () =>
      deploymentAnswer({ builds: ['newer', 'older'], current: 'newer', routed: routed() }),
    CountWorkflowExecutions: () => service.CountWorkflowExecutionsResponse.encode({ count: 1 as never }).finish(),
    ListWorkflowExecutions: () =>
      service.ListWorkflowExecutionsResponse.encode({
        executions: [{ execution, type: { name: 'evolutionRun' }, status: 1, startTime: { seconds: 1 as never } }],
      }).finish(),
    SignalWorkflowExecution: () => {
      signals.push(routed());
      return new Uint8Array();
    },
  };
  const NOT_FOUND = 5;
  const server = await grpcServer((method) => {
    const answer = answers[method];
    if (answer !== undefined) return { code: 0, body: answer() };
    return method === 'DescribeWorkflowExecution' ? { code: NOT_FOUND } : null;
  });
  return { ...server, signals };
};

const looking = async (address: string) => {
  const home = mkdtempSync(join(tmpdir(), 'evolve-woken-'));
  const connection = await Connection.connect({ address });
  mkdirSync(join(home, 'bundles'));
  const bundle = join(home, 'bundles', 'newer.js');
  writeFileSync(bundle, '');
  const make = () => Promise.reject(new Error('no older version is kept here'));
  const engine = { connection, namespace: 'default' };
  const versions = new Versions({ engine, home, bundle, make, log: () => undefined, everyMs: 100 });
  const ended = versions.run();
  onTestFinished(async () => {
    await versions.stop();
    await ended;
    await connection.close();
    rmSync(home, { recursive: true });
  });
};

test('what rests is woken once every queue of the server knows the version, and twice for each version', async () => {
  let routed = false;
  const server = await serverWith(() => routed);
  await looking(server.address);
  const looks = (): number => server.asked.filter((method) => method === 'DescribeWorkerDeployment').length;
  await until('three looks', 30_000, () => looks() >= 6);
  expect(server.signals).toEqual([]);
  routed = true;
  await until('the second signal', 30_000, () => server.signals.length >= 2);
  const then = looks();
  await until('further looks', 30_000, () => looks() >= then + 6);
  expect(server.signals).toEqual([true, true]);
});

// The trainers' worker as it ships: Temporal, the database, the reference trainer and its server. It is killed behind
// every operation, and given the same update twice at once; the policy and its weights are those of a quiet run.
import type { WorkflowFailedError } from '@temporalio/client';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpdateKind, UpdateOrder } from '../../activities/interface/learning.ts';
import { type BatchRow, exampleStream, rolloutStream } from '../../activities/learning/arrow.ts';
import { parsePayloadKeys } from '../../activities/payloads/keys.ts';
import { agreeOnKeys, payloadsWith } from '../../activities/payloads/payloads.ts';
import type { UpdateDocument } from '../../activities/store/documents/learning-documents.ts';
import { connectStore } from '../../activities/store/mongo/connect-store.ts';
import type { Store } from '../../activities/store/store.ts';
import { PROJECT_ROOT, projectNode, resolveHome } from '../../deploy/host/home.ts';
import { metricsTargets } from '../../deploy/host/telemetry.ts';
import { findFreePort } from '../../deploy/parts/free-port.ts';
import { startDatabase, type TestDatabase } from '../activities/store/database.ts';
import { lacking, OF_LEARNER, seriesIn } from '../support/domain/dashboards.ts';
import { until } from '../support/machine/home.ts';
import { startTemporal, type TemporalServer } from '../support/engine/temporal-server.ts';
import { TRAINER_ENV, TRAINER_PYTHON } from '../support/machine/trainer-python.ts';
import type { applyThenPublish } from './apply-then-publish.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const WITH_TESTS = { ...TRAINER_ENV, PYTHONPATH: `${TRAINER_ENV['PYTHONPATH']}:${HERE}` };
const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const OPERATIONS = ['load', 'gradient', 'step', 'save', 'publish'];

/** Eight rollouts of two groups, a part each, with about the logprobs of a model that knows nothing. */
async function* rollouts(): AsyncGenerator<readonly BatchRow[]> {
  for (const group of [0, 1])
    yield [0, 1, 2, 3].map((sample) => ({
      id: `r:${group}:${sample}`,
      group: `g:${group}`,
      prompt: Int32Array.of(65, 66, 67 + group),
      response: Int32Array.of(70 + 4 * group + sample, 80 + sample, 90),
      logprobs: Float32Array.of(-5.5, -5.5, -5.5),
      reward: sample % 2,
      advantage: (-1) ** sample,
      truncated: false,
    }));
}
const EXAMPLES = ['1', '22'].map((response) => ({
  id: response,
  messages: JSON.stringify([{ role: 'user', content: 'a number' }]),
  response,
}));

if (TRAINER_PYTHON === null) console.error('no Python with PyTorch: the tests of the trainers are skipped');

describe.skipIf(TRAINER_PYTHON === null)('the trainers in Python', () => {
  it('Learning 1, 2, 5: keep the contract, the formulas, the batches and how servers are told', async () => {
    const parts = ['contract', 'batch', 'serving', 'slime', 'payloads', 'store', 'log'];
    const files = parts.map((part) => `test_${part}`);
    const { stderr } = await run(TRAINER_PYTHON!, ['-m', 'unittest', ...files], { cwd: HERE, env: WITH_TESTS });
    expect(stderr).toMatch(/\nOK\n$/);
  });
});

describe.skipIf(TRAINER_PYTHON === null)('the worker of evolve-rl', () => {
  const home = mkdtempSync(join(tmpdir(), 'evolve-worker-'));
  const policies = join(home, 'policies');
  const children: ChildProcess[] = [];
  let temporal: TemporalServer,
    database: TestDatabase,
    store: Store,
    client: Client,
    driver: Worker,
    running: Promise<void>;
  let env: NodeJS.ProcessEnv;
  let start: UpdateDocument;
  let batch: UpdateDocument['batch'];

  const python = (module: string, more: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn(TRAINER_PYTHON!, ['-m', module], { env: { ...env, ...more }, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  /** The role as its command starts it on a host, with what that host knows of the installation. */
  const commanded = () => {
    const child = spawn(projectNode(), [join(PROJECT_ROOT, 'cli', 'main.ts'), 'worker', 'learning', '--grace', '5'], {
      env: { ...process.env, ...env, EVOLVE_PARTS: resolveHome(process.env).parts, EVOLVE_LOG: 'json' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return Object.assign(child, { said: () => said });
  };
  /** A worker that is started again whenever it dies, as the supervisor does it. */
  const watched = (more: NodeJS.ProcessEnv) => {
    let deaths = 0;
    let present = python('evolve_trainer.worker', more);
    const watch = () =>
      present.once('exit', (_code, signal) => {
        if (signal !== 'SIGKILL' || ended) return;
        deaths += 1;
        present = python('evolve_trainer.worker', more);
        watch();
      });
    let ended = false;
    watch();
    return {
      deaths: () => deaths,
      async stop() {
        ended = true;
        present.kill('SIGTERM');
        // One that was still starting has no handler yet, and ends by the signal itself.
        const hasEnded = async () => present.exitCode !== null || present.signalCode !== null;
        await until('the worker to stop', 60_000, hasEnded);
      },
    };
  };
  const planned = async (kind: UpdateKind, changes: Partial<UpdateDocument> = {}): Promise<UpdateDocument> => {
    const updateId = randomUUID().replaceAll('-', '').padEnd(64, '0');
    const version = kind === 'start' ? 0 : 1;
    return store.putUpdate({
      _id: `w:${updateId}`,
      run: 'w',
      updateId,
      step: 0,
      kind,
      version,
      parent: version === 0 ? null : start.policy,
      policy: `w-v000${version}-${updateId.slice(0, 8)}`,
      trainer: 'reference',
      base: 'bytes:layers=1,width=32,context=128',
      seed: 3,
      server: null,
      serve: 'trainer',
      serveUrl: null,
      parentState: version === 0 ? null : start.policy,
      batch: kind === 'start' ? null : batch,
      hyper: JSON.stringify({ optimizer: { learningRate: 1e-3 } }),
      state: 'planned',
      operations: [],
      result: null,
      served: null,
      servedAt: null,
      stats: { reward: null, groups: 2, zeroVariance: 0, missing: 0, truncated: 0 },
      createdAt: new Date(),
      ...changes,
    });
  };
  const driven = ({ run, step, updateId, kind, trainer, policy, version }: UpdateDocument, name = updateId) => {
    const order: UpdateOrder = {
      run,
      step,
      generation: 0,
      updateId,
      kind,
      trainer,
      policy,
      version,
      rollouts: 8,
      tokens: 48,
    };
    return client.workflow.execute<typeof applyThenPublish>('applyThenPublish', {
      workflowId: name,
      taskQueue: 'driver',
      args: [order],
    });
  };
  const document = async ({ run, updateId }: UpdateDocument) => (await store.readUpdate(run, updateId))!;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: {} });
    [temporal, database] = await Promise.all([startTemporal(), startDatabase()]);
    store = await connectStore({ uri: database.uri, log: () => undefined });
    const port = (await findFreePort())!;
    env = {
      ...TRAINER_ENV,
      EVOLVE_HOME: home,
      EVOLVE_POLICIES: policies,
      EVOLVE_TRAINER_URL: `http://127.0.0.1:${port}/v1`,
      MONGODB_URI: database.uri,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: 'default',
      EVOLVE_PAYLOAD_KEYS: KEYS,
    };
    // All that the two sides say to each other is encrypted, as on an installation with keys.
    const keys = parsePayloadKeys(KEYS, 'the keys');
    await agreeOnKeys(keys, store);
    const { ofClient, ofWorker } = payloadsWith(keys, async () => true);
    python('evolve_trainer.server');
    client = new Client({
      connection: await Connection.connect({ address: temporal.address }),
      dataConverter: ofClient,
    });
    driver = await Worker.create({
      connection: await NativeConnection.connect({ address: temporal.address }),
      taskQueue: 'driver',
      dataConverter: ofWorker,
      workflowsPath: fileURLToPath(new URL('./apply-then-publish.ts', import.meta.url)),
    });
    running = driver.run();
    const bytes = await rolloutStream(rollouts(), { total: 8, hyper: '{}' });
    batch = { ...(await store.putBatch('w', bytes)), hash: 'h', rows: 8, tokens: 48 };
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    driver?.shutdown();
    await running;
    await client?.connection.close();
    await store?.close();
    await Promise.all([temporal?.stop(), database?.stop()]);
    rmSync(home, { recursive: true, force: true });
  });

  it('Learning 8: gives one policy with the same weights, killed behind every operation and asked twice at once', async () => {
    const quiet = commanded();
    const quietEnd = new Promise((resolve) => quiet.once('exit', resolve));
    start = await planned('start');
    await driven(start);
    start = await document(start);
    expect(await store.listHosts()).toMatchObject([{ role: 'learning', pid: quiet.pid, queues: ['evolve-rl'] }]);
    const undisturbed = await planned('policy');
    const { result } = await driven(undisturbed);
    expect(result).toMatchObject({ used: 8, dropped: 0, tokens: 48, clipFraction: 0 });
    expect(result.weightsHash).not.toBe(start.result!.weightsHash);
    expect(await document(undisturbed)).toMatchObject({
      state: 'published',
      result,
      served: { baseUrl: null, model: undisturbed.policy },
      operations: OPERATIONS.map((name) => ({ name, done: true })),
    });

    // One port, as every worker has it: what it counts itself, and the SDK's metrics beside that.
    const [target, ...others] = metricsTargets({ root: home });
    expect([target?.name, others]).toEqual(['learning', []]);
    const told = await (await fetch(target!.url)).text();
    expect(lacking(OF_LEARNER, seriesIn(told))).toEqual([]);
    const page = readFileSync(join(PROJECT_ROOT, 'docs/operations/telemetry.md'), 'utf8');
    for (const [, name, help] of told.matchAll(/^# HELP (evolve_training_\w+) (.*)$/gm))
      expect(page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))).toContain(`| ${help} |`);
    const done = (operation: string, times: number): RegExp =>
      new RegExp(`^evolve_training_attempts_total\\{operation="${operation}",outcome="done",.*\\} ${times}$`, 'm');
    for (const operation of ['update', 'publish']) expect(told).toMatch(done(operation, 2));
    expect(told).toMatch(/^evolve_training_seconds_count\{operation="update",.*trainer="reference"\} 2$/m);
    expect(told).toMatch(/^evolve_training_queue\{.*\} 0$/m);
    expect(told).toMatch(/^evolve_worker_info\{.*role="learning",.*version="\d+\.\d+\.\d+"\} 1$/m);
    expect(told).toMatch(/^temporal_worker_task_slots_used\{.*task_queue="evolve-rl".*\} 0$/m);

    const supervised = { steps: 2, batch: 2, learningRate: 1e-3 };
    const texts = await store.putBatch('w', await exampleStream(EXAMPLES, '{}'));
    const taught = await planned('supervised', {
      batch: { ...texts, hash: 'h', rows: 2, tokens: 0 },
      hyper: JSON.stringify({ supervised }),
    });
    expect((await driven(taught)).result.used).toBe(2);

    // One broken input: the failure names its type, and the workflow engine does not try it again.
    const lost = await planned('policy', { batch: { ...batch!, file: 'f'.repeat(64) } });
    const failure = await driven(lost).catch((error: WorkflowFailedError) => error.cause?.cause);
    expect(failure).toMatchObject({ type: 'BadBatch', nonRetryable: true });
    expect((failure as Error).message).toContain('chunk 1 of 1');
    const history = await client.workflow.getHandle(lost.updateId).fetchHistory();
    const kept = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish()).toString('latin1');
    expect(kept).toContain('encryption-key-id');
    for (const said of ['chunk 1 of 1', lost.policy]) expect(kept).not.toContain(said);
    quiet.kill('SIGTERM');
    expect(await quietEnd).toBe(0);
    expect(await store.listHosts()).toEqual([]);
    expect(readdirSync(join(home, 'metrics'))).toEqual([]);

    // Its log is JSON, line by line, and says of each attempt where it belongs.
    const entries = quiet
      .said()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    const place = ({ run, step, updateId, policy }: UpdateDocument) => ({ run, step, update: updateId, policy });
    const attempts = entries.filter(({ outcome }) => outcome !== undefined);
    expect(attempts).toMatchObject([
      ...[start, undisturbed, taught].flatMap((update) => [
        { ...place(update), activity: 'applyUpdate', attempt: 1, level: 'info', process: 'learning', outcome: 'done' },
        { ...place(update), activity: 'publishPolicy', attempt: 1, message: 'attempt at publishing a policy done' },
      ]),
      { ...place(lost), activity: 'applyUpdate', attempt: 1, level: 'warn', outcome: 'refused' },
    ]);
    expect(entries[0].message).toMatch(/^ready: trainers of evolve-rl/);
    expect(entries.at(-1)).toMatchObject({
      level: 'warn',
      activity: 'applyUpdate',
      error: expect.stringContaining('chunk'),
    });
    for (const secret of [KEYS.slice(3), new URL(database.uri).password].filter(Boolean))
      expect(quiet.said()).not.toContain(secret);

    const killed = await planned('policy');
    const mortal = watched({ EVOLVE_TRAINER_DIE_AFTER: OPERATIONS.join(',') });
    const survived = await driven(killed);
    expect(mortal.deaths()).toBe(OPERATIONS.length);
    expect(survived.result.weightsHash).toBe(result.weightsHash);
    await mortal.stop();

    const pair = [watched({}), watched({})];
    const contested = await planned('policy');
    const [first, second] = await Promise.all([driven(contested), driven(contested, `${contested.updateId}-again`)]);
    expect(first.result).toEqual(second.result);
    expect(first.result.weightsHash).toBe(result.weightsHash);
    for (const worker of pair) await worker.stop();
    expect(readdirSync(policies).toSorted()).toEqual(
      [start, undisturbed, taught, killed, contested].map(({ policy }) => policy).toSorted(),
    );
  });
});

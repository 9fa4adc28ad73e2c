// Hosts that come and go: processes of the role `evaluation` that have nothing in common with the stack but the
// addresses of its servers. They serve tasks that need what only they have, so that nothing else of the stack meets them.
import { Client, Connection } from '@temporalio/client';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { readMarker } from '../../deploy/stack/installation.ts';
import { until } from '../support/home.ts';
import { sharedHome } from '../support/live.ts';
import { expectWhole } from '../support/whole.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const CLI = join(ROOT, 'cli', 'main.ts');
const RUN = 'on-hosts';

type Host = { readonly process: ChildProcess; readonly ended: Promise<number | null>; readonly said: () => string };

describe('evaluation hosts', () => {
  const live = sharedHome();
  const hosts: Host[] = [];
  const folder = (name: string): string => join(live.home.dir, 'hosts', name);

  afterAll(async () => {
    for (const host of hosts) host.process.kill('SIGKILL');
    await Promise.all(hosts.map(({ ended }) => ended));
    rmSync(join(live.home.dir, 'hosts'), { recursive: true, force: true });
  });

  /** A host has a data directory of its own, and of the stack it knows two addresses. */
  const start = (name: string, ...flags: string[]): Host => startIn('default', name, ...flags);
  const startIn = (namespace: string, name: string, ...flags: string[]): Host => {
    const child = spawn(NODE, [CLI, 'worker', 'evaluation', '--dedicated', ...flags], {
      env: { ...environment(name, namespace), EVOLVE_SANDBOX: 'none', EVOLVE_NOOP_MS: '300' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const host: Host = {
      process: child,
      ended: new Promise((resolve) => child.once('exit', (code) => resolve(code))),
      said: () => said,
    };
    hosts.push(host);
    return host;
  };
  const environment = (name: string, namespace = 'default'): NodeJS.ProcessEnv => {
    const { temporal, database } = live.home.up();
    mkdirSync(folder(name), { recursive: true });
    return {
      ...live.home.env,
      EVOLVE_HOME: folder(name),
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: namespace,
      MONGODB_URI: database.uri,
    };
  };
  /** A command where nothing was started: it knows the two addresses as well. */
  const operator = (...args: readonly string[]) =>
    promisify(execFile)(NODE, [CLI, ...args], { env: environment('operator') });
  const listed = async (): Promise<readonly any[]> =>
    (await live.home.json(['hosts'])).hosts.filter(({ labels }: any) => labels.includes('burning'));
  const step = (least: number) =>
    live.engine.seen(RUN, `step ${least}`, ({ committedStep }) => committedStep >= least, 120_000);

  it('join a run that waits for them, are killed and drained in the middle, and lose no program', async () => {
    const task = join(folder('tasks'), 'circle-packing-square-26');
    cpSync(join(ROOT, 'tasks', 'circle-packing-square-26'), task, { recursive: true });
    appendFileSync(join(task, 'task.yaml'), '\nneeds: { labels: [burning] }\n');
    await operator(
      ...['run', '--task', task, '--run', RUN, '--seed', '1', '--batch', '2', '--responses', '4', '--steps', '6'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    );
    const waiting = await live.engine.seen(RUN, 'attention', ({ status }) => status === 'needs attention');
    expect(waiting.statusReason).toContain(
      'no host has the label burning (queue evolve-eval-burning): start one with `npx evolve worker',
    );
    expect(await live.home.json(['hosts'])).toMatchObject({
      unserved: [{ queue: 'evolve-eval-burning', text: expect.stringContaining('no host has the label burning') }],
    });

    const first = start('first', '--labels', 'burning', '--slots', '2');
    await step(1);
    const second = start('second', '--labels', 'burning,bright', '--slots', '2', '--grace', '20');
    await until('both hosts', 60_000, async () => (await listed()).length === 2);
    await step(2);
    first.process.kill('SIGKILL');
    await first.ended;
    await step(4);
    start('third', '--labels', 'burning', '--slots', '2');
    second.process.kill('SIGTERM');
    expect(await second.ended, second.said()).toBe(0);
    await live.engine.ended(RUN);
    await expectWhole(live.engine.store, RUN, { steps: 6, perStep: 8 });
    expect((await listed()).map(({ silentSeconds }) => silentSeconds === null)).toContain(true);
    expect((await listed()).some(({ labels }) => labels.includes('bright'))).toBe(false);
  });

  it('take nothing in another namespace while workers of the first are at work with the database', async () => {
    const { temporal } = live.home.up();
    const connection = await Connection.connect({ address: temporal.address });
    try {
      await connection.workflowService.registerNamespace({
        namespace: 'elsewhere',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
      // The server's caches learn of a new namespace some time later.
      const client = new Client({ connection, namespace: 'elsewhere' });
      await until('the namespace', 60_000, async () =>
        readMarker(client).then(
          () => true,
          () => false,
        ),
      );
      const stranger = startIn('elsewhere', 'stranger', '--labels', 'burning');
      await until('the refusal', 60_000, async () => stranger.said().includes('works with another Temporal namespace'));
      expect(stranger.said()).toMatch(/expected default at .*got elsewhere at .*Workers are at work there/);
      stranger.process.kill('SIGKILL');
    } finally {
      await connection.close();
    }
  });

  it('say what is wrong before anything starts', async () => {
    const { temporal, database } = live.home.up();
    const place = { TEMPORAL_ADDRESS: temporal.address, MONGODB_URI: database.uri };
    const wrong: readonly (readonly [string[], NodeJS.ProcessEnv, RegExp])[] = [
      [['nothing'], place, /engine, model, evaluation, learning/],
      [['page', '--slots', '2'], place, /--slots: expected with other roles than page/],
      [['model', '--host', '0.0.0.0'], place, /--host: expected with the role page alone/],
      [['model', '--labels', 'fast'], place, /--labels: expected with the role evaluation alone/],
      [['learning', '--slots', '2'], place, /--slots: expected with other roles than learning/],
      [['evaluation', '--dedicated'], place, /--dedicated: expected together with/],
      [['evaluation'], { MONGODB_URI: database.uri }, /expected the address of the Temporal server/],
      [['evaluation'], { TEMPORAL_ADDRESS: temporal.address }, /expected the address of the database/],
    ];
    for (const [args, env, text] of wrong) {
      const { code, stderr } = await live.home.evolve(['worker', ...args], {
        ...{ TEMPORAL_ADDRESS: '', MONGODB_URI: '' },
        ...env,
      });
      expect(code, args.join(' ')).not.toBe(0);
      expect(stderr).toMatch(text);
    }
  });
});

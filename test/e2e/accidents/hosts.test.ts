// Hosts that come and go: processes of one role that have nothing in common with the stack but the addresses of its
// servers. Those of the role `evaluation` serve tasks that need what only they have, so that nothing else of the stack
// meets them; a run whose roles are all processes of their own has a namespace and a database apart.
import { Client, Connection } from '@temporalio/client';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { HostRole } from '../../../deploy/stack/host-role.ts';
import { readMarker } from '../../../deploy/servers/installation.ts';
import { startDatabase } from '../../activities/store/database.ts';
import { connectEngine } from '../../support/engine/engine.ts';
import { until } from '../../support/machine/home.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';
import { FULL } from '../../support/sizes.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const CLI = join(ROOT, 'cli', 'main.ts');
const RUN = 'on-hosts';

type Host = { readonly process: ChildProcess; readonly ended: Promise<number | null>; readonly said: () => string };

/** Where processes of an installation meet. */
type Place = { readonly namespace: string; readonly uri: string };

describe('hosts', () => {
  const live = sharedHome();
  const hosts: Host[] = [];
  const folder = (name: string): string => join(live.home.dir, 'hosts', name);

  afterAll(async () => {
    for (const host of hosts) host.process.kill('SIGKILL');
    await Promise.all(hosts.map(({ ended }) => ended));
    rmSync(join(live.home.dir, 'hosts'), { recursive: true, force: true });
  });

  /** A host has a data directory of its own, and of the stack it knows two addresses. */
  const start = (name: string, ...flags: string[]): Host => startIn(usual(), name, ...flags);
  const startIn = (place: Place, name: string, ...flags: string[]): Host =>
    startRole('evaluation', place, name, '--dedicated', ...flags);
  const startRole = (role: HostRole, place: Place, name: string, ...flags: string[]): Host => {
    const child = spawn(NODE, [CLI, 'worker', role, ...flags], {
      env: { ...environment(name, place), EVOLVE_SANDBOX: 'none', EVOLVE_NOOP_MS: '300' },
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
  const usual = (): Place => ({ namespace: 'default', uri: live.home.up().database.uri });
  const environment = (name: string, { namespace, uri } = usual()): NodeJS.ProcessEnv => {
    mkdirSync(folder(name), { recursive: true });
    return {
      ...live.home.env,
      EVOLVE_HOME: folder(name),
      EVOLVE_RUNS: join(folder(name), 'runs'),
      TEMPORAL_ADDRESS: live.home.up().temporal.address,
      TEMPORAL_NAMESPACE: namespace,
      MONGODB_URI: uri,
    };
  };
  /** A command where nothing was started: it knows the two addresses as well. */
  const operator = (...args: readonly string[]) =>
    promisify(execFile)(NODE, [CLI, ...args], { env: environment('operator') });
  const listed = async (): Promise<readonly any[]> =>
    (await live.home.json(['hosts'])).hosts.filter(({ labels }: any) => labels.includes('burning'));
  const withConnection = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await Connection.connect({ address: live.home.up().temporal.address });
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  };
  /** The server's caches learn of a new namespace some time later. */
  const isThere = (namespace: string): Promise<boolean> =>
    withConnection((connection) =>
      until(`the namespace ${namespace}`, 60_000, () =>
        readMarker(new Client({ connection, namespace })).then(
          () => true,
          () => false,
        ),
      ),
    );
  beforeAll(() =>
    withConnection(async ({ workflowService }) => {
      for (const namespace of ['elsewhere', 'apart'])
        await workflowService.registerNamespace({
          namespace,
          workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
        });
    }),
  );
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

  it.runIf(FULL)(
    'take nothing in another namespace while workers of the first are at work with the database',
    async () => {
      await isThere('elsewhere');
      const stranger = startIn({ ...usual(), namespace: 'elsewhere' }, 'stranger', '--labels', 'burning');
      await until('the refusal', 60_000, async () => stranger.said().includes('works with another Temporal namespace'));
      expect(stranger.said()).toMatch(/expected default at .*got elsewhere at .*Workers are at work there/);
      stranger.process.kill('SIGKILL');
    },
  );

  it.runIf(FULL)('do a run of which each role is a process of its own that knows two addresses', async ({ skip }) => {
    const database = await startDatabase();
    if (database.pid === null) return skip('MONGODB_URI names the database of the stack');
    onTestFinished(() => database.stop());
    const place: Place = { namespace: 'apart', uri: database.uri };
    const temporal = { ...live.home.up().temporal, namespace: place.namespace };
    const servers = { ...live.home.up(), temporal, database };
    const engine = await connectEngine({ ...live.home, up: () => servers });
    onTestFinished(() => engine.close());
    await isThere(place.namespace);
    const roles = ['engine', 'evaluation', 'model'] as const;
    const apart = roles.map((role) => startRole(role, place, `apart-${role}`, '--grace', '5', '--slots', '4'));
    const present = async () => (await engine.store.listHosts()).map(({ role, pid }) => ({ role, pid }));
    await until('the roles', 60_000, async () => (await present()).length === roles.length);
    // Each command has become the process of its role, and nothing else works here.
    expect((await present()).toSorted((a, b) => a.role.localeCompare(b.role))).toEqual(
      roles.map((role, at) => ({ role, pid: apart[at]!.process.pid })),
    );

    const settings = {
      seed: 1,
      batch: 2,
      responses: 2,
      limits: { steps: 2 },
      evaluation: { sandbox: 'noop' },
    } as const;
    await engine.start('apart', settings);
    expect(await engine.ended('apart')).toMatchObject({ status: 'finished', stopReason: 'steps' });
    await expectWhole(engine.store, 'apart', { steps: 2, perStep: 4 });
    // Of the hosts, the one with the engine writes the results.
    const wrote = roles.filter((role) => existsSync(join(folder(`apart-${role}`), 'runs', 'apart')));
    expect(wrote).toEqual(['engine']);

    for (const host of apart) host.process.kill('SIGTERM');
    for (const host of apart) expect(await host.ended, host.said()).toBe(0);
    expect(await present()).toEqual([]);
  });

  it('say what is wrong before anything starts', async () => {
    const { temporal, database } = live.home.up();
    const place = { TEMPORAL_ADDRESS: temporal.address, MONGODB_URI: database.uri };
    const wrong: readonly (readonly [string[], NodeJS.ProcessEnv, RegExp])[] = [
      [['nothing'], place, /engine, model, evaluation, learning/],
      [['page', '--slots', '2'], place, /--slots: expected with the roles engine, model, evaluation alone/],
      [['model', '--host', '0.0.0.0'], place, /--host: expected with the role page alone/],
      [['model', '--labels', 'fast'], place, /--labels: expected with the role evaluation alone/],
      [['learning', '--slots', '2'], place, /--slots: expected with the roles engine, model, evaluation alone/],
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

// One evaluation host, then three, each in a network namespace of its own, with evaluations that only take their time:
// how nearly three do three times as much, what a killed host costs, and how soon a new one is there.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { startModel, type TestHome, until } from '../../support/machine/home.ts';
import type { OperationsSuite } from '../operations.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const LABEL = 'bench';
const TASK = 'circle-packing-square-26';
const SLOTS = 8;
const EVALUATION_MS = 1_000;
/** About 20 s of work for each number of hosts, in one step, since a step's end is a barrier. */
const PER_HOST = 160;

type Host = { readonly process: ChildProcess; readonly ended: Promise<unknown> };
type Network = {
  /** What a command begins with to run in namespace `at`. */
  readonly inside: (at: number) => readonly string[];
  readonly address: (at: number) => string;
  readonly close: () => void;
};

/** Null where this user or this machine makes no network namespaces. */
const networkOf = (hosts: number): Network | null => {
  const id = process.pid % 250;
  const name = (at: number): string => `evolve${id}-${at}`;
  const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'ignore' });
  const close = (): void => {
    for (let at = 0; at < hosts; at += 1)
      try {
        // The pair of devices goes with the namespace.
        ip('netns', 'del', name(at));
      } catch {
        /* was not made */
      }
  };
  const address = (at: number): string => `10.231.${id}.${4 * at + 1}`;
  try {
    for (let at = 0; at < hosts; at += 1) {
      const [ours, theirs] = [`ev${id}h${at}`, `ev${id}n${at}`];
      ip('netns', 'add', name(at));
      ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name(at));
      ip('addr', 'add', `${address(at)}/30`, 'dev', ours);
      ip('link', 'set', ours, 'up');
      ip('-n', name(at), 'addr', 'add', `10.231.${id}.${4 * at + 2}/30`, 'dev', theirs);
      ip('-n', name(at), 'link', 'set', theirs, 'up');
      ip('-n', name(at), 'link', 'set', 'lo', 'up');
    }
    return { inside: (at) => ['ip', 'netns', 'exec', name(at)], address, close };
  } catch {
    close();
    return null;
  }
};

/** Our development servers listen on the loopback device alone, which no other namespace reaches. */
const forwarded = (address: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((client) => {
      const target = connect(port, '127.0.0.1');
      for (const [one, other] of [[client, target] as const, [target, client] as const]) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    server.once('error', reject);
    server.listen(port, address, () => resolve(server));
  });

const hostsIn = async (home: TestHome, network: Network | null, most: number) => {
  const { temporal, database } = home.up();
  const ports = [temporal.address.split(':')[1], new URL(database.uri).port].map(Number);
  const servers: Server[] = [];
  if (network !== null)
    for (let at = 0; at < most; at += 1)
      for (const port of ports) servers.push(await forwarded(network.address(at), port));
  const hosts: Host[] = [];
  return {
    start(at: number): Host {
      const folder = join(home.dir, 'hosts', String(at));
      mkdirSync(folder, { recursive: true });
      const to = (text: string): string => (network === null ? text : text.replace('127.0.0.1', network.address(at)));
      const command = [
        ...(network === null ? [] : network.inside(at)),
        ...[NODE, join(ROOT, 'cli', 'main.ts'), 'worker', 'evaluation', '--dedicated', '--labels', LABEL],
        ...['--slots', String(SLOTS), '--grace', '5'],
      ];
      const child = spawn(command[0]!, command.slice(1), {
        env: {
          ...home.env,
          EVOLVE_HOME: folder,
          EVOLVE_SANDBOX: 'none',
          EVOLVE_NOOP_MS: String(EVALUATION_MS),
          TEMPORAL_ADDRESS: to(temporal.address),
          MONGODB_URI: to(database.uri),
        },
        stdio: 'ignore',
      });
      const host = { process: child, ended: new Promise((resolve) => child.once('exit', resolve)) };
      hosts.push(host);
      return host;
    },
    async close() {
      for (const { process: child } of hosts) child.kill('SIGKILL');
      await Promise.all(hosts.map(({ ended }) => ended));
      for (const server of servers) server.close();
    },
  };
};

export const hostsSuite: OperationsSuite<'hosts'> = async (home, say, judge) => {
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial');
  const network = networkOf(4);
  if (network === null)
    say('    no network namespaces here (root and iproute2 make them): hosts share that of the bench');
  const hosts = await hostsIn(home, network, 4);
  const client = new MongoClient(home.up().database.uri as string);
  const db = client.db('durable_evolve');
  const task = join(home.dir, 'tasks', TASK);
  cpSync(join(ROOT, 'tasks', TASK), task, { recursive: true });
  appendFileSync(join(task, 'task.yaml'), `\nneeds: { labels: [${LABEL}] }\n`);

  const begin = async (run: string, programs: number): Promise<void> => {
    const { code, stdout, stderr } = await home.evolve([
      ...['run', '--task', task, '--run', run, '--seed', '1', '--batch', String(programs / 8), '--responses', '8'],
      // The first step tells how long evaluations are; the second is measured.
      ...['--steps', '2', '--base-url', model.url, '--model', 'offline-gp'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    ]);
    if (code !== 0) throw new Error(`${stdout}${stderr}`);
  };
  const evaluated = (run: string): Promise<number> => db.collection('evaluations').countDocuments({ run });
  const reached = async (run: string, count: number): Promise<number> => {
    await until(`${count} evaluations of ${run}`, 240_000, async () => (await evaluated(run)) >= count);
    return performance.now();
  };
  const ended = async (run: string, steps: number): Promise<number> => {
    await until(`run ${run} to end`, 240_000, async () => {
      const document = await db.collection<{ _id: string; committedStep: number }>('runs').findOne({ _id: run });
      return document !== null && document.committedStep >= steps;
    });
    return performance.now();
  };
  const present = async (): Promise<number> =>
    (
      await db.collection<{ _id: string; labels: string[]; seenAt: Date }>('hosts').find({ labels: LABEL }).toArray()
    ).filter(({ seenAt }) => Date.now() - seenAt.getTime() < 15_000).length;
  const arrived = async (count: number): Promise<void> =>
    void (await until(`${count} hosts`, 60_000, async () => (await present()) >= count));
  /** Programs a second in the middle of the second step: neither its beginning nor its last round counts. */
  const rate = async (run: string, programs: number): Promise<number> => {
    await begin(run, programs);
    const [from, to] = [0.1, 0.85].map((share) => Math.round(1 + programs * (1 + share)));
    const before = await reached(run, from!);
    const after = await reached(run, to!);
    await ended(run, 2);
    return ((to! - from!) * 1000) / (after - before);
  };

  try {
    hosts.start(0);
    await arrived(1);
    const one = await rate('one-host', PER_HOST);
    const others = [hosts.start(1), hosts.start(2)];
    await arrived(3);
    const three = await rate('three-hosts', 3 * PER_HOST);
    const linear = three / (3 * one);

    await begin('killed-host', 3 * PER_HOST);
    await reached('killed-host', Math.round(1 + 3 * PER_HOST * 1.4));
    const left = 1 + 6 * PER_HOST - (await evaluated('killed-host'));
    const killedAt = performance.now();
    others[0]!.process.kill('SIGKILL');
    const killedSeconds = ((await ended('killed-host', 2)) - killedAt) / 1000 - left / (2 * one);
    const made = await home.programs('killed-host', '--all');
    const wanted = 1 + 6 * PER_HOST;
    const lost = wanted - new Set(made.map(({ id }: { readonly id: string }) => id)).size;

    const before = await present();
    const joinedFrom = performance.now();
    hosts.start(3);
    await arrived(before + 1);
    const joinSeconds = (performance.now() - joinedFrom) / 1000;

    const round = (value: number): number => Number(value.toFixed(3));
    const figures = {
      linear: round(linear),
      lostByKill: lost,
      secondsByKill: round(killedSeconds),
      joinSeconds: round(joinSeconds),
    };
    say(`    programs/s with one host ${one.toFixed(2)}, with three ${three.toFixed(2)}`);
    for (const goal of [
      { what: 'share of linear with three hosts', value: figures.linear, atLeast: 0.95 },
      { what: 'programs lost with a killed host', value: figures.lostByKill, atMost: 0 },
      { what: 'seconds that a killed host costs', value: figures.secondsByKill, atMost: 10, unit: ' s' },
      { what: 'seconds until a new host is there', value: figures.joinSeconds, atMost: 30, unit: ' s' },
    ])
      say(`    ${goal.what}: ${goal.value}; ${judge(goal).text}`);
    return { hosts: figures };
  } finally {
    await hosts.close();
    network?.close();
    await client.close();
    await model.stop();
  }
};

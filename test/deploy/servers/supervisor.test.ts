import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readJson } from '../../../deploy/host/files.ts';
import type { Home } from '../../../deploy/host/home.ts';
import {
  environmentOf,
  isAlive,
  mark,
  markedProcesses,
  signal,
  waitGone,
} from '../../../deploy/host/process-identity.ts';
import { diagnose } from '../../../deploy/stack/diagnose.ts';
import { down } from '../../../deploy/stack/stack.ts';
import {
  type ChildPlan,
  keepsEnding,
  makePlan,
  type Plan,
  readUp,
  stopTimeoutOf,
  type UpInfo,
  type UpProcess,
  withRole,
} from '../../../deploy/supervisor/plan.ts';
import { followPlan, waitHealthy } from '../../../deploy/supervisor/supervisor-control.ts';
import { eventually, scratchHome } from '../scratch.ts';

/** Says that it is ready as workers do, notes how it ends, and ends when asked. */
const FAKE = `
const fs = require('node:fs');
const [name, journal] = process.argv.slice(1);
console.log('ready: ' + name + ' (pid ' + process.pid + ')');
process.on('SIGTERM', () => { fs.appendFileSync(journal, name + '\\n'); process.exit(0); });
setInterval(() => {}, 1000);`;

let home: Home;
const journal = (): string => join(home.root, 'journal');

const fake = (name: string, stage: number, revision = '1', script = FAKE): ChildPlan =>
  withRole(
    {
      name,
      stage,
      file: process.execPath,
      args: ['-e', script, name, journal()],
      env: { PATH: process.env['PATH'] ?? '', ...mark(home.hash, name) },
      cwd: home.root,
      port: null,
      log: join(home.logs, `${name}.log`),
      health: { kind: 'ready-line' },
      stopTimeoutMs: 5_000,
    },
    revision,
  );

const planOf = (...children: ChildPlan[]): Plan =>
  makePlan({
    children,
    dockerRegister: null,
    parts: {
      temporal: { address: '127.0.0.1:1', namespace: 'default', ui: null, external: false },
      database: { uri: 'mongodb://127.0.0.1:2/', kind: 'fake', version: null, external: false },
      docker: { host: null, kind: 'none', level: 'docker' },
      image: { id: null },
    },
  });

const follow = async (plan: Plan): Promise<UpInfo> => {
  await followPlan(home, plan);
  return waitHealthy(home, plan, () => undefined);
};
const processOf = (up: UpInfo, name: string): UpProcess => {
  const found = up.processes.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name} in up.json`);
  return found;
};
const kill = async (target: UpProcess | UpInfo['supervisor']): Promise<void> => {
  signal(target, 'SIGKILL');
  await waitGone([target], 120_000);
};
/** Resolves once another process of that name is healthy. */
const another = (name: string, before: UpInfo): Promise<UpInfo> =>
  eventually(`another ${name}`, () => {
    const up = readUp(home);
    const found = up?.processes.find((one) => one.name === name);
    return up && found?.healthy && found.pid !== processOf(before, name).pid ? up : null;
  });
const stopAll = (): Promise<void> => down(home, () => undefined);

beforeEach(() => {
  home = scratchHome();
  vi.stubEnv('EVOLVE_SUPERVISOR_BACKOFF', JSON.stringify({ firstMs: 50, mostMs: 1_000, resetMs: 30_000 }));
});
afterEach(async () => {
  await stopAll();
  vi.unstubAllEnvs();
});

describe('supervisor', () => {
  it('writes each process into up.json and stops the later stage first, leaving nothing', async () => {
    const up = await follow(planOf(fake('server', 0), fake('worker', 1)));
    expect(up.processes.map(({ name }) => name)).toEqual(['supervisor', 'server', 'worker']);
    expect(up.processes.every(isAlive)).toBe(true);
    await stopAll();
    expect(readFileSync(journal(), 'utf8')).toBe('worker\nserver\n');
    expect(up.processes.filter(isAlive)).toEqual([]);
    expect(markedProcesses(home.hash)).toEqual([]);
    expect(readUp(home)).toBeNull();
  });

  it('starts a killed process again and leaves the others alone', async () => {
    const plan = planOf(fake('server', 0), fake('worker', 1));
    const before = await follow(plan);
    await kill(processOf(before, 'worker'));
    const after = await another('worker', before);
    expect(processOf(after, 'worker').restarts).toBe(1);
    expect(processOf(after, 'server').pid).toBe(processOf(before, 'server').pid);
  });

  it('takes living processes over after its own death', async () => {
    const plan = planOf(fake('server', 0), fake('worker', 1));
    const before = await follow(plan);
    await kill(before.supervisor);
    expect(before.processes.filter(isAlive).map(({ name }) => name)).toEqual(['server', 'worker']);
    const after = await follow(plan);
    expect(after.supervisor.pid).not.toBe(before.supervisor.pid);
    for (const name of ['server', 'worker']) expect(processOf(after, name).pid).toBe(processOf(before, name).pid);
    await kill(processOf(after, 'server'));
    await another('server', after);
    expect(markedProcesses(home.hash).filter(({ name }) => name === 'worker')).toHaveLength(1);
  });

  it('that stood still leaves what runs alone, and starts what died meanwhile', async () => {
    const before = await follow(planOf(fake('server', 0), fake('worker', 1)));
    signal(before.supervisor, 'SIGSTOP');
    process.kill(processOf(before, 'worker').pid, 'SIGKILL');
    await waitGone([processOf(before, 'worker')], 60_000);
    await sleep(500);
    // Nobody has taken the end of its child meanwhile, and nothing else was touched.
    expect(isAlive(processOf(before, 'server'))).toBe(true);
    signal(before.supervisor, 'SIGCONT');
    const after = await another('worker', before);
    expect(after.supervisor.pid).toBe(before.supervisor.pid);
    expect(processOf(after, 'server')).toMatchObject({ pid: processOf(before, 'server').pid, restarts: 0 });
    expect(markedProcesses(home.hash).filter(({ name }) => name === 'worker')).toHaveLength(1);
  });

  it('starts no double when up.json was lost with it', async () => {
    const plan = planOf(fake('server', 0));
    const before = await follow(plan);
    await kill(before.supervisor);
    writeFileSync(home.upFile, '{"processes": [');
    const after = await follow(plan);
    expect(isAlive(processOf(before, 'server'))).toBe(false);
    expect(
      markedProcesses(home.hash)
        .filter(({ name }) => name === 'server')
        .map(({ pid }) => pid),
    ).toEqual([processOf(after, 'server').pid]);
  });

  it('replaces only what a new plan changes', async () => {
    const before = await follow(planOf(fake('server', 0), fake('worker', 1, 'old'), fake('extra', 1)));
    const after = await follow(planOf(fake('server', 0), fake('worker', 1, 'new')));
    expect(after.supervisor.pid).toBe(before.supervisor.pid);
    expect(processOf(after, 'server').pid).toBe(processOf(before, 'server').pid);
    expect(processOf(after, 'worker').pid).not.toBe(processOf(before, 'worker').pid);
    expect(isAlive(processOf(before, 'worker'))).toBe(false);
    expect(isAlive(processOf(before, 'extra'))).toBe(false);
  });

  it('kills a process that ignores the request to stop, with what it started', async () => {
    const stubborn = `require('node:child_process').spawn('sleep', ['600']); process.on('SIGTERM', () => {}); console.log('ready: x (pid ' + process.pid + ')'); setInterval(() => {}, 1000);`;
    await follow(planOf({ ...fake('stubborn', 0, '1', stubborn), stopTimeoutMs: 300 }));
    expect(markedProcesses(home.hash).filter(({ name }) => name === 'stubborn')).toHaveLength(2);
    await stopAll();
    expect(markedProcesses(home.hash)).toEqual([]);
  });

  it('gives a process that was told its grace at least that time to end', async () => {
    const slow = FAKE.replace(
      "process.on('SIGTERM', () => {",
      "process.on('SIGTERM', () => setTimeout(() => {",
    ).replace('process.exit(0); }', 'process.exit(0); }, 700)');
    const up = await follow(
      planOf({
        ...fake('worker', 0, '1', slow),
        env: { ...fake('worker', 0).env, EVOLVE_GRACE: '2' },
        stopTimeoutMs: 300,
      }),
    );
    // Also for a process of an earlier start, by its environment.
    const of = (env: Readonly<Record<string, string>>) => stopTimeoutOf({ env, stopTimeoutMs: 300 });
    expect([of(environmentOf(processOf(up, 'worker').pid)), of({}), of(environmentOf(0))]).toEqual([17_000, 300, 300]);
    await stopAll();
    expect(readFileSync(journal(), 'utf8')).toBe('worker\n');
  });

  it('shows the log of a process that does not come up', async () => {
    const plan = planOf(fake('broken', 0, '1', `console.error('the disk is on fire'); process.exit(7);`));
    await expect(follow(plan)).rejects.toThrow(/broken did not become healthy[^]*the disk is on fire/);
  });

  it('tells of a part that keeps ending, also while it waits to start it again', async () => {
    const page = { ...fake('page', 1, '1', 'process.exit(7)'), optional: true as const };
    await follow(planOf(fake('server', 0), page));
    const said = await eventually('the part that keeps ending', () => {
      const [text] = keepsEnding(readUp(home));
      return text ?? null;
    });
    expect(said).toMatch(/^page keeps ending: \d times in a row, the last time with code 7 \(log: \S+page\.log\)$/);
    const processes = (await diagnose(home)).find(({ part }) => part === 'processes')!;
    expect([processes.ok, processes.detail]).toEqual([false, expect.stringContaining('page keeps ending')]);
    // A part that runs on is well, however often it ended before.
    await follow(planOf(fake('server', 0), fake('page', 1)));
    expect(keepsEnding(readUp(home))).toEqual([]);
  });

  it('stops what a killed supervisor left', async () => {
    const up = await follow(planOf(fake('server', 0), fake('worker', 1)));
    await kill(up.supervisor);
    const lines: string[] = [];
    await down(home, (_part, line) => {
      lines.push(line);
    });
    expect(up.processes.filter(isAlive)).toEqual([]);
    expect(readFileSync(journal(), 'utf8')).toBe('worker\nserver\n');
    expect(lines.join('\n')).toContain('left without a supervisor');
  });

  it('runs once for a home, and leaves running what already is', async () => {
    const plan = planOf(fake('server', 0));
    const up = await follow(plan);
    await Promise.all([followPlan(home, plan), followPlan(home, plan)]);
    expect((await follow(plan)).processes).toEqual(up.processes);
    expect(
      markedProcesses(home.hash)
        .filter(({ name }) => name === 'supervisor')
        .map(({ pid }) => pid),
    ).toEqual([up.supervisor.pid]);
    expect(readJson(home.supervisorLock)).toMatchObject({ pid: up.supervisor.pid });
  });
});

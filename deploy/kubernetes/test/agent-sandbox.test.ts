// The level `agent-sandbox` against a played cluster: the shared contracts, and what only pods promise.
// Attempts: programs and scores.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InfrastructureError, type Sandbox } from '../../../activities/sandbox/contract/types.ts';
import { createAgentSandbox, createAgentSandboxGate, createAgentSandboxScorer } from '../level.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { AgentSandboxLauncher } from '../launcher.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { type PlayedCluster, playCluster } from './cluster.ts';
import { until } from '../../../test/support/machine/home.ts';
import { FULL } from '../../../test/support/sizes.ts';
import { sandboxContract } from '../../../test/activities/sandbox/levels/contract.ts';
import {
  containersOf,
  dockerHost,
  job,
  MIB,
  never,
  quickLimits,
  testHome,
  testImage,
} from '../../../test/activities/sandbox/levels/docker.ts';
import { faultsOf, ODD_PROGRAMS } from '../../../test/activities/sandbox/levels/odd-programs.ts';
import { functionContract } from '../../../test/activities/sandbox/levels/function-contract.ts';

const quiet = (): void => undefined;
const played: { cluster: PlayedCluster; home: string }[] = [];
type Change = NonNullable<Parameters<typeof playCluster>[0]['change']>;
const cluster = async (change?: Change): Promise<PlayedCluster> => {
  const home = testHome();
  const one = await playCluster({
    dockerHost,
    image: await testImage(),
    home,
    ...(change === undefined ? {} : { change }),
  });
  played.push({ cluster: one, home });
  return one;
};
const sandboxOn = ({ settings }: PlayedCluster, log: (line: string) => void = quiet): Sandbox =>
  createAgentSandbox({ cluster: settings, home: testHome(), concurrency: 2, log });
afterAll(async () => {
  await Promise.all(played.map((one) => one.cluster.close()));
  for (const { home } of played) expect(await containersOf(home)).toEqual([]);
});

sandboxContract('the agent-sandbox sandbox', async () => sandboxOn(await cluster()));

if (FULL)
  functionContract('agent-sandbox', async () => {
    const options = { cluster: (await cluster()).settings, home: testHome(), log: quiet };
    return {
      sandbox: createAgentSandbox({ ...options, concurrency: 2 }),
      gate: createAgentSandboxGate(options),
      scorerFor: (task) => createAgentSandboxScorer({ ...options, task }),
    };
  });

describe('pods of a cluster', () => {
  let on: PlayedCluster;
  let sandbox: Sandbox;
  const said: string[] = [];
  const run = (body: string, more: Parameters<typeof job>[1] = {}): ReturnType<Sandbox['run']> =>
    sandbox.run(job(`import os, time, signal\ndef construct(instance):\n    ${body}\n`, more), never());
  beforeAll(async () => {
    // As much as the jobs may use, so that the kernel counts all processes of a pod together.
    on = await cluster((pod) => {
      (pod.containers[0] as { resources: object }).resources = { limits: { cpu: '1', memory: '256Mi' } };
    });
    sandbox = sandboxOn(on, (line) => said.push(line));
  });
  afterAll(async () => {
    await sandbox.close();
    await until('every claim is deleted', 60_000, () => on.claims().length === 0);
  });

  test('each program has a pod of its own, which has seen AF_VSOCK and the network refused', async () => {
    const leave = 'open("/box/left", "w").close()\n    return {"files": os.listdir("/box")}';
    expect((await run(leave)).solution).toEqual({ files: ['left'] });
    expect(
      (await run('return {"files": os.listdir("/box"), "user": os.getuid(), "names": sorted(os.environ)}')).solution,
    ).toMatchObject({ files: [], user: 65534, names: expect.not.arrayContaining(['KUBERNETES_SERVICE_HOST']) });
    expect(said.join()).toContain('they reach no network');
  });

  test('memory and CPU time are those of all processes of the pod', async () => {
    const child =
      'if os.fork() == 0:\n        hog = []\n        while True: hog.append(bytearray(1 << 24))\n    os.wait()';
    expect(await run(`${child}\n    return {}`)).toMatchObject({ kind: 'memory', oom: true });
    const four = 'for _ in range(4):\n        if os.fork() == 0:\n            while True: pass\n    os.wait()';
    const limits = { ...quickLimits, cpuSeconds: 1, wallSeconds: 60 };
    expect((await run(`${four}\n    return {}`, { limits })).kind).toBe('timeout_cpu');
  });

  test('a program that ends all that it can see harms itself alone', async () => {
    const spared = await run('os.kill(-1, 9)\n    return {}');
    expect(spared).toMatchObject({ kind: 'ok', cpuMs: null });
    const pids = 'int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid())';
    const traced = `others = [${pids}]\n    seen = []\n    for p in others:\n        try:\n            os.listdir(f"/proc/{p}/fd")\n            open(f"/proc/{p}/fd/1", "w").write("9 9 9")\n            seen.append(p)\n        except OSError:\n            pass\n    return {"others": len(others), "seen": seen}`;
    expect((await run(traced)).solution).toEqual({ others: 1, seen: [] });
  });

  test('a second run under the same key ends the first', async () => {
    const endless = { key: 'same', limits: { ...quickLimits, wallSeconds: 100 } };
    const named = (): readonly string[] =>
      on
        .claims()
        .filter(({ metadata }) => 'evolve.name' in metadata.labels)
        .map(({ metadata }) => metadata.name);
    // Those of earlier tests may still be on their way out.
    const before = named();
    const first = run('time.sleep(1000)', endless).catch((error: unknown) => error);
    await until('the first is named', 120_000, () => named().some((name) => !before.includes(name)));
    expect((await run('return {}', { key: 'same' })).kind).toBe('ok');
    expect(await first).toBeInstanceOf(InfrastructureError);
    expect(((await first) as Error).message).toContain('a newer attempt of the same evaluation took its place');
  });

  test('a program that is killed before it has its name keeps its ending', async () => {
    const launcher = new AgentSandboxLauncher({ cluster: on.settings, home: testHome(), log: quiet, trusted: true });
    const confined = await launcher.launch({
      ...{ source: 'import time\ntime.sleep(1000)', args: [], run: 'named-late', activity: 'named-late' },
      limits: { cpuSeconds: 10, memoryBytes: 64 * MIB, pids: 16 },
      deadline: new Date(Date.now() + 600_000),
      ...{ onStdout: quiet, onStderr: quiet },
    });
    await confined.kill();
    await confined.claim('named-late');
    expect((await confined.ended).exitCode).toBe(137);
    await launcher.close();
  });

  test('what asks for more than a pod can give is refused with what to change', async () => {
    const large = { limits: { ...quickLimits, memoryBytes: 1024 * MIB } };
    await expect(run('return {}', large)).rejects.toThrow(/resources\.limits\.memory of at least 1073741824/);
    const timed = { ...job('x'), harness: '', timed: true, reference: null };
    await expect(sandbox.converse(timed, async () => undefined, never())).rejects.toThrow(
      /cannot keep a program on a core of its own.*set evaluation\.sandbox to docker/,
    );
  });

  test('gate and scorer are pods too, and a whole evaluation says where it was', async () => {
    const task = { ...(await loadTask('circle-packing-square-26')), limits: quickLimits };
    const options = { cluster: on.settings, home: testHome(), log: quiet };
    const [scorer, gate] = [createAgentSandboxScorer({ ...options, task }), createAgentSandboxGate(options)];
    const { initialProgram: code } = task;
    const evaluator = createEvaluator({ sandbox, scorer, gate, task });
    const result = await evaluator.evaluate(
      { key: 'k', run: 'r', code, seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
      never(),
    );
    expect(result).toMatchObject({ outcome: 'valid', score: 0.9597642169962064, isolation: 'agent-sandbox' });
    await Promise.all([scorer.close(), gate.close()]);
  });

  test('claims of a process that is gone, or past their deadline, are deleted; those of another home stay', async () => {
    const launch = async (home: string, deadline: Date): Promise<AgentSandboxLauncher> => {
      const launcher = new AgentSandboxLauncher({ cluster: on.settings, home, log: quiet, trusted: true });
      const spec = { source: 'import time; time.sleep(600)', args: [], run: 'r', activity: 'a', deadline };
      await launcher.launch({ ...spec, limits: quickLimits, onStdout: quiet, onStderr: quiet });
      return launcher;
    };
    const [mine, other] = [testHome(), testHome()];
    const launchers = [
      await launch(mine, new Date(Date.now() + 600_000)),
      await launch(mine, new Date(Date.now() + 600_000)),
      await launch(other, new Date(Date.now() + 600_000)),
    ];
    const of = (home: string) => on.claims().filter(({ metadata }) => metadata.labels['evolve.home'] === home);
    expect(await launchers[0]!.reap()).toBe(0);
    const [late] = of(mine);
    late!.metadata.annotations['evolve.deadline'] = new Date(Date.now() - 1).toISOString();
    expect(await launchers[0]!.reap()).toBe(1);
    const [left] = of(mine);
    // The cluster ends it by itself too, where no worker is left to do it.
    left!.spec.lifecycle.shutdownTime = '2020-01-01T00:00:00Z';
    await until('the controller deletes it', 60_000, () => of(mine).length === 0);
    expect(of(other)).toHaveLength(1);
    for (const { metadata } of of(other))
      metadata.annotations['evolve.owner'] = left!.metadata.annotations['evolve.owner']!.replace(/\/.*/, '/999999-1');
    expect(await launchers[2]!.reap()).toBe(1);
    await Promise.all(launchers.map((one) => one.close()));
  });
});

describe('a cluster that cannot be used', () => {
  const failure = async (settings: PlayedCluster['settings']): Promise<string> => {
    const launcher = new AgentSandboxLauncher({ cluster: settings, home: 'nobody', log: quiet });
    const spec = { source: '', args: [], run: 'r', activity: 'a', deadline: new Date(Date.now() + 60_000) };
    const error = await launcher
      .launch({ ...spec, limits: quickLimits, onStdout: quiet, onStderr: quiet })
      .catch((refused: unknown) => refused);
    await launcher.close();
    expect(error).toBeInstanceOf(InfrastructureError);
    return (error as Error).message;
  };

  test('a template that confines less than is needed is refused, with all that it lacks', async () => {
    const weak = await cluster((pod) => {
      const container = pod.containers[0] as unknown as { securityContext: object; resources: { limits: object } };
      container.securityContext = { ...container.securityContext, readOnlyRootFilesystem: false };
      container.resources.limits = { cpu: '1' };
    }).catch((error: unknown) => error);
    expect(weak).not.toBeInstanceOf(Error);
    const { settings, claims } = weak as PlayedCluster;
    const message = await failure(settings);
    expect(message).toContain(
      'expected a SandboxTemplate that says readOnlyRootFilesystem: true, resources.limits.memory',
    );
    expect(claims()).toEqual([]);
  });

  test('each setting that is wrong is named', async () => {
    const { settings } = played[0]!.cluster;
    expect(await failure({ ...settings, pool: 'no-such-pool' })).toMatch(/WarmPoolNotFound.*EVOLVE_K8S_POOL/);
    expect(await failure({ ...settings, pool: null })).toContain('in EVOLVE_K8S_POOL, got none');
    expect(await failure({ ...settings, namespace: 'other' })).toContain('(403)');
    expect(await failure({ ...settings, container: 'other' })).toContain('set EVOLVE_K8S_CONTAINER');
    expect(await failure({ ...settings, kubeconfig: null })).toContain('set EVOLVE_K8S_KUBECONFIG');
    expect(await failure({ ...settings, kubeconfig: '/nowhere' })).toContain('/nowhere');
    const file = join(mkdtempSync(join(tmpdir(), 'evolve-kubeconfig-')), 'config');
    const text = readFileSync(settings.kubeconfig!, 'utf8');
    const written = async (changed: string): Promise<string> => {
      writeFileSync(file, changed);
      return failure({ ...settings, kubeconfig: file });
    };
    expect(await written(text.replace(/token: .*/, 'token: other'))).toContain('(401)');
    expect(await written(text.replace(/token: .*/, 'exec: {command: login}'))).toContain('kubectl create token');
    expect(await written(text.replace(/certificate-authority-data: .*/, ''))).toContain('certificate');
    expect(await written(text.replace(/client-(certificate|key): .*/g, ''))).toContain('failed while claiming');
    expect(await written('current-context: 5')).toContain('current-context');
    expect(await written(text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))).toContain('failed while claiming a sandbox');
  });
});

test.skipIf(!FULL)('odd programs have the same outcomes in pods of a played cluster', async () => {
  const { settings } = await cluster();
  const sandbox = createAgentSandbox({ cluster: settings, home: testHome(), concurrency: 2, log: quiet });
  expect(await faultsOf(sandbox, ODD_PROGRAMS)).toEqual([]);
});

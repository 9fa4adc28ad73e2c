// The Docker sandbox: the shared contract, and what only containers promise.
import { cpus } from 'node:os';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InfrastructureError, type Sandbox } from '../../../../activities/sandbox/contract/types.ts';
import { createDockerSandbox } from '../../../../activities/sandbox/levels/docker.ts';
import { createReaper } from '../../../../activities/sandbox/launchers/docker-connection.ts';
import { createDockerLauncher } from '../../../../activities/sandbox/launchers/docker-launcher.ts';
import { until } from '../../../support/machine/home.ts';
import { sandboxContract } from './contract.ts';
import { all, CONTAINER_WAYS, fromOutside } from './from-outside.ts';
import { containersOf, dockerHost, job, MIB, never, quickLimits, testHome, testImage } from './docker.ts';

const quiet = (): void => undefined;

sandboxContract('the Docker sandbox', async () =>
  createDockerSandbox({ dockerHost, image: await testImage(), home: testHome(), concurrency: 2, log: quiet }),
);

describe('docker', () => {
  const home = testHome();
  const said: string[] = [];
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = createDockerSandbox({
      dockerHost,
      image: await testImage(),
      home,
      concurrency: 2,

      log: (line) => said.push(line),
    });
  });
  afterAll(async () => {
    await sandbox.close();
    expect(await containersOf(home)).toEqual([]);
  });

  fromOutside(
    'docker',
    {
      ...CONTAINER_WAYS,
      'stopped by a signal': all((container) => container.kill({ signal: 'SIGSTOP' })),
    },
    () => ({ sandbox, home }),
  );

  test('the preflight has seen AF_VSOCK refused before anything runs', async () => {
    const execution = await sandbox.run(
      job('import socket\ndef construct(instance):\n    socket.socket(40, socket.SOCK_STREAM)\n'),
      never(),
    );
    expect(said.join()).toContain('AF_VSOCK is refused');
    expect(execution.kind).toBe('program_error');
    expect(execution.stderrTail).toContain('PermissionError: [Errno 1]');
  });

  test('an abort kills and removes the container at once', async () => {
    const controller = new AbortController();
    const running = sandbox.run(
      job('import time\ndef construct(instance):\n    print("up", flush=True)\n    time.sleep(1000)\n', {
        key: 'aborted',
      }),
      controller.signal,
    );
    const docker = new Docker();
    const before = async (): Promise<string | undefined> =>
      (await docker.listContainers({ filters: JSON.stringify({ label: [`evolve.home=${home}`] }) })).find((one) =>
        one.Names.some((name) => name.startsWith(`/evolve-${home}-`)),
      )?.Id;
    let id: string | undefined;
    while (id === undefined) id = await before();
    controller.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await expect.poll(() => containersOf(home), { timeout: 300_000 }).not.toContain(id);
  });

  test('a second run under the same key kills the first', async () => {
    const endless = job('import time\ndef construct(instance):\n    time.sleep(1000)\n', {
      key: 'same',
      limits: { ...quickLimits, wallSeconds: 100 },
    });
    const first = sandbox.run(endless, never()).then(
      () => 'ended',
      (error: unknown) => error,
    );
    await expect
      .poll(
        async () =>
          (await new Docker().listContainers()).filter((one) =>
            one.Names.some((name) => name.startsWith(`/evolve-${home}-`)),
          ).length,
        { timeout: 300_000 },
      )
      .toBe(1);
    const second = await sandbox.run(job('def construct(instance):\n    return {"n": 1}\n', { key: 'same' }), never());
    expect(second.kind).toBe('ok');
    expect(await first).toBeInstanceOf(InfrastructureError);
  });

  test('CPU and memory are those of the whole tree, the dead included', async () => {
    const code =
      'import os, time\ndef construct(instance):\n    if os.fork() == 0:\n        hog = bytearray(100 << 20)\n        end = time.process_time() + 0.5\n        while time.process_time() < end:\n            pass\n        os._exit(0)\n    os.wait()\n    return {}\n';
    const execution = await sandbox.run(job(code), never());
    expect(execution.kind).toBe('ok');
    expect(execution.cpuMs).toBeGreaterThanOrEqual(500);
    expect(execution.peakBytes).toBeGreaterThanOrEqual(100 * MIB);
  });

  // Attempt: programs and scores.
  test('where the cgroups are on another machine, the engine is asked, and the limit holds for all processes too', async () => {
    const away = createDockerSandbox({
      dockerHost,
      image: await testImage(),
      home,
      concurrency: 1,

      cgroups: '/nowhere',
      log: (line) => said.push(line),
    });
    const limits = { ...quickLimits, cpuSeconds: 0.5, wallSeconds: 60 };
    const burn = (seconds: number): string =>
      `import os, time\ndef construct(instance):\n    for _ in range(4):\n        if os.fork() == 0:\n            while time.process_time() < ${seconds}:\n                pass\n            os._exit(0)\n    for _ in range(4):\n        os.wait()\n    return {}\n`;
    const [much, little] = [
      await away.run(job(burn(0.4), { limits }), never()),
      await away.run(job(burn(0.05)), never()),
    ];
    await away.close();
    expect(much.kind).toBe('timeout_cpu');
    expect(little.kind).toBe('ok');
    expect(little.cpuMs).toBeGreaterThanOrEqual(200);
    expect(said.join()).toContain('it is asked what CPU time containers use');
  });

  test('an engine that is away is infrastructure, and says which', async () => {
    const away = createDockerSandbox({
      dockerHost: 'unix:///nowhere/docker.sock',
      image: 'none',
      home,
      concurrency: 1,
      log: quiet,
    });
    await expect(away.run(job('def construct(instance): return {}'), never())).rejects.toThrow(InfrastructureError);
    await expect(away.run(job('def construct(instance): return {}'), never())).rejects.toThrow(
      /Docker engine failed while connecting/,
    );
    await away.close();
  });

  test('an image that is missing is named with the command that builds it', async () => {
    const wrong = createDockerSandbox({
      dockerHost,
      image: 'durable-evolve-evaluator:nosuch',
      home,
      concurrency: 1,
      log: quiet,
    });
    await expect(wrong.run(job('def construct(instance): return {}'), never())).rejects.toThrow(
      /no image durable-evolve-evaluator:nosuch: run `npm start`/,
    );
    await wrong.close();
  });

  test('a program that wants the CPU is told from one that sleeps, and has the cores of its limits', async () => {
    const docker = new Docker();
    const launcher = createDockerLauncher({
      docker,
      image: await testImage(),
      home: testHome(),
      log: quiet,
      trusted: true,
    });
    const cores = Math.min(2, cpus().length);
    const started = async (rest: string) => {
      let said = '';
      const one = await launcher.launch({
        source: `import os\nprint(os.environ["OMP_NUM_THREADS"], flush=True)\n${rest}`,
        args: [],
        limits: { cpuSeconds: 60, memoryBytes: 64 * MIB, pids: 16, cores },
        run: 'r',
        activity: 'a',
        deadline: new Date(Date.now() + 600_000),
        onStdout: (chunk) => {
          said += chunk.toString();
        },
        onStderr: quiet,
      });
      await until('the first line', 120_000, () => said.includes(String(cores)));
      return one;
    };
    const [busy, asleep] = [await started('while True: pass'), await started('import time; time.sleep(600)')];
    // Where the engine is on another machine, nothing is seen.
    await until('a look at the busy one', 60_000, () => busy.awake!() !== false);
    await until('a look at the sleeper', 60_000, () => asleep.awake!() !== true);
    expect(busy.awake!() === null).toBe(asleep.awake!() === null);
    await Promise.all([busy.remove(), asleep.remove()]);
    await launcher.close();
  });

  test('the reaper removes what is past its deadline, in its own home only', async () => {
    const image = await testImage();
    const docker = new Docker();
    const [mine, other] = [testHome(), testHome()];
    const start = async (of: string, deadline: Date): Promise<void> => {
      await createDockerLauncher({ docker, image, home: of, log: quiet, trusted: true }).launch({
        source: 'import time; time.sleep(60)',
        args: [],
        limits: { cpuSeconds: 5, memoryBytes: 64 * MIB, pids: 16 },
        run: 'r',
        activity: 'a',
        deadline,
        onStdout: quiet,
        onStderr: quiet,
      });
    };
    await start(mine, new Date(Date.now() - 1));
    await start(mine, new Date(Date.now() + 60_000));
    await start(other, new Date(Date.now() - 1));
    const reaper = createReaper({ docker, home: mine, log: quiet });
    expect(await reaper.sweep()).toBe(1);
    reaper.close();
    expect((await containersOf(mine)).length).toBe(1);
    expect((await containersOf(other)).length).toBe(1);
    for (const id of [...(await containersOf(mine)), ...(await containersOf(other))])
      await docker.getContainer(id).remove({ force: true });
  });
});

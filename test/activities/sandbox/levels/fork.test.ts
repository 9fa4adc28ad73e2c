// The level `fork` keeps the shared contract and contains the common cheats; each candidate has namespaces of its own, of
// which nothing is left.
import Docker from 'dockerode';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fill, readCheats } from '../../../../activities/check/cheats.ts';
import { offence } from '../../../../activities/check/check-cheats.ts';
import {
  type Execution,
  InfrastructureError,
  type Sandbox,
  type SandboxJob,
} from '../../../../activities/sandbox/contract/types.ts';
import { createEvaluator, type Evaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { createForkSandbox, type ForkSandboxOptions } from '../../../../activities/sandbox/levels/fork.ts';
import { createDockerGate, createDockerScorer } from '../../../../activities/sandbox/levels/docker.ts';
import type { ConfinedSpec, Launcher } from '../../../../activities/sandbox/contract/confined.ts';
import { createConfinedSandbox } from '../../../../activities/sandbox/host/confined-sandbox.ts';
import { connectDocker } from '../../../../activities/sandbox/launchers/docker-connection.ts';
import { createDockerLauncher } from '../../../../activities/sandbox/launchers/docker-launcher.ts';
import { createForkLauncher } from '../../../../activities/sandbox/launchers/fork-launcher.ts';
import { tarOf } from '../../../../client/doctor/support-bundle/tar.ts';
import { FULL } from '../../../support/sizes.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { sandboxContract } from './contract.ts';
import { containersOf, dockerHost, job, MIB, never, quickLimits, testHome, testImage } from './docker.ts';
import { CONTAINER_WAYS, fromOutside } from './from-outside.ts';
import { functionContract } from './function-contract.ts';

/** The score of the task's initial program. */
const INITIAL = 0.9597642169962064;
const quiet = (): void => undefined;
const program = (body: string): string =>
  `import os, sys, time\ndef construct(instance):\n${body
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('')}`;

sandboxContract('the sandbox of the level fork', async () =>
  createForkSandbox({ dockerHost, image: await testImage(), home: testHome(), concurrency: 2, log: quiet }),
);

functionContract('the level fork', async () => {
  const options = { dockerHost, image: await testImage(), home: testHome(), log: quiet };
  return {
    sandbox: createForkSandbox({ ...options, concurrency: 2 }),
    gate: createDockerGate(options),
    scorerFor: (task) => createDockerScorer({ ...options, task }),
  };
});

describe('fork', () => {
  const home = testHome();
  const open: Sandbox[] = [];
  let image: string;
  /** One candidate at a time and none waiting: one container, unless it is replaced. */
  const make = (more: Partial<ForkSandboxOptions> = {}): Sandbox => {
    const sandbox = createForkSandbox({ dockerHost, image, home, concurrency: 1, log: quiet, ...more });
    open.push(sandbox);
    return sandbox;
  };
  const run = (sandbox: Sandbox, body: string, more: Partial<SandboxJob> = {}): Promise<Execution> =>
    sandbox.run(job(program(body), more), never());
  /** In the one container, by their age: its PID 1, the parent, its helper, PID 1 of the namespaces, and a candidate. */
  const processes = async (): Promise<readonly number[]> => {
    const [id] = await containers();
    if (id === undefined) return [];
    const listed = await new Docker()
      .getContainer(id)
      .top()
      .catch(() => ({ Processes: [] }));
    return listed.Processes.map(([, pid]: readonly string[]) => Number(pid)).toSorted((a: number, b: number) => a - b);
  };
  const candidateRuns = async (): Promise<void> => {
    await expect.poll(async () => (await processes()).length, { timeout: 300_000 }).toBeGreaterThan(4);
  };
  const containers = async (): Promise<readonly string[]> => (await containersOf(home)).toSorted();
  beforeAll(async () => {
    image = await testImage();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
    expect(await containers()).toEqual([]);
  });

  fromOutside('fork', CONTAINER_WAYS, () => ({ sandbox: make(), home }));

  test('candidates share a container, and each is nobody in namespaces of its own', async () => {
    const sandbox = make();
    const kinds = ['user', 'pid', 'mnt', 'ipc', 'uts', 'net', 'cgroup'];
    type Seen = {
      ids: readonly number[];
      groups: readonly number[];
      home: string;
      pids: readonly string[];
      spaces: object;
    };
    const seen: Seen[] = [];
    for (let count = 0; count < 5; count += 1) {
      const execution = await run(
        sandbox,
        `return {"ids": [os.getuid(), os.getgid()], "groups": os.getgroups(), "home": os.environ["HOME"], "pids": sorted(n for n in os.listdir("/proc") if n.isdigit()), "spaces": {kind: os.readlink("/proc/self/ns/" + kind) for kind in ${JSON.stringify(kinds)}}}`,
      );
      seen.push(execution.solution as Seen);
    }
    for (const { ids, groups, home: folder, pids } of seen)
      expect({ ids, groups, folder, pids }).toEqual({
        ids: [65534, 65534],
        groups: [],
        folder: '/box',
        pids: ['1', '2'],
      });
    for (const kind of kinds)
      expect(seen.map(({ spaces }) => (spaces as Record<string, string>)[kind])).not.toContain(
        readlinkSync(`/proc/self/ns/${kind}`),
      );
    expect(await containers()).toHaveLength(1);
  });

  test('a container is replaced after its number of candidates', async () => {
    const sandbox = make({ recycleAfter: 2 });
    const seen = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const running = run(sandbox, 'time.sleep(0.5)\nreturn {}');
      await expect
        .poll(
          async () =>
            (
              await new Docker().listContainers({
                filters: JSON.stringify({ label: [`evolve.home=${home}`, 'evolve.run=fork'] }),
              })
            ).length,
          { timeout: 300_000 },
        )
        .toBeGreaterThan(0);
      expect((await running).kind).toBe('ok');
      for (const id of await containers()) seen.add(id);
    }
    expect(seen.size).toBe(3);
  });

  test('a program that runs out of memory is told so, and its container goes on', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}');
    const before = await containers();
    const body =
      'if os.fork() == 0:\n    hog = []\n    while True: hog.append(bytearray(1 << 24))\nos.wait()\nreturn {}';
    expect(await run(sandbox, body)).toMatchObject({ kind: 'memory', exitCode: 0, oom: true });
    expect(await run(sandbox, 'hog = []\nwhile True: hog.append(bytearray(1 << 24))')).toMatchObject({
      kind: 'memory',
    });
    expect((await run(sandbox, 'return {}')).kind).toBe('ok');
    expect(await containers()).toEqual(before);
  });

  test('small processes that are as good victims as the parent run out of memory, whoever is killed, and alone', async () => {
    const sandbox = make();
    const child =
      'import time; open("/proc/self/oom_score_adj", "w").write("0"); hog = bytearray(b"x") * (6 << 20); time.sleep(5)';
    const body = `import subprocess\nopen("/proc/self/oom_score_adj", "w").write("0")\nchildren = [subprocess.Popen([sys.executable, "-S", "-c", ${JSON.stringify(child)}]) for _ in range(40)]\nfor child in children: child.wait()\nreturn {}`;
    const limits = { ...quickLimits, cpuSeconds: 30, wallSeconds: 60, memoryBytes: 128 * MIB };
    await run(sandbox, 'return {}', { limits });
    const before = await containers();
    expect(await run(sandbox, body, { limits })).toMatchObject({ kind: 'memory', oom: true });
    expect((await run(sandbox, 'return {}', { limits })).kind).toBe('ok');
    expect(await containers()).not.toEqual(before);
  });

  test('modules that a task names are imported by a parent of its own, which no other task sees', async () => {
    const sandbox = make();
    const has = 'return {"has": ["wave" in sys.modules, "colorsys" in sys.modules]}';
    const of = async (preload?: readonly string[]): Promise<unknown> => (await run(sandbox, has, { preload })).solution;
    expect(await of(['wave', 'no.such.module'])).toEqual({ has: [true, false] });
    expect(await of(['colorsys'])).toEqual({ has: [false, true] });
    expect(await of()).toEqual({ has: [false, false] });
    expect(await of(['wave', 'no.such.module'])).toEqual({ has: [true, false] });
    expect(await containers()).toHaveLength(3);
    for (const module of ['calendar', 'cmd', 'shelve']) await of([module]);
    expect((await containers()).length).toBeLessThanOrEqual(4);
  });

  test('no namespaces but those of the next program wait, and a program sees none of them', async () => {
    const sandbox = make();
    const [one, two] = [
      await run(sandbox, 'return {}'),
      await run(
        sandbox,
        'time.sleep(2)\nreturn {"pids": [n for n in os.listdir("/proc") if n.isdigit()], "parent": os.getppid()}',
      ),
    ];
    expect([one.kind, two.solution]).toEqual(['ok', { pids: ['1', '2'], parent: 0 }]);
    // PID 1 of the container, the parent, its helper, and PID 1 of the namespaces of the next program.
    await expect.poll(processes, { timeout: 60_000 }).toHaveLength(4);
  });

  test('a child for somebody else cannot be made', async () => {
    const body =
      'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nmade = libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0)\nif made == 0: os._exit(0)\nreturn {"made": made, "error": ctypes.get_errno()}';
    expect((await run(make(), body)).solution).toEqual({ made: -1, error: 1 });
  });

  test.each(['the parent', 'its helper'])(
    'where %s is killed, the run in flight is infrastructure, and the next one is well',
    async (who) => {
      const sandbox = make();
      await run(sandbox, 'return {}');
      const running = run(sandbox, 'time.sleep(4)\nreturn {}').catch((error: unknown) => error);
      await candidateRuns();
      process.kill((await processes())[who === 'the parent' ? 1 : 2]!, 'SIGKILL');
      expect(await running).toBeInstanceOf(InfrastructureError);
      expect((await run(sandbox, 'return {}')).kind).toBe('ok');
    },
  );

  test('where the parent is stopped, the run in flight is infrastructure, and the next one is well', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}');
    const short = { limits: { ...quickLimits, wallSeconds: 1 } };
    const running = run(sandbox, 'time.sleep(1000)', short).catch((error: unknown) => error);
    await candidateRuns();
    process.kill((await processes())[1]!, 'SIGSTOP');
    expect(await running).toBeInstanceOf(InfrastructureError);
    expect((await run(sandbox, 'return {}')).kind).toBe('ok');
  });

  test('an image without Python is infrastructure, and says so', async () => {
    const docker = connectDocker(dockerHost);
    const loaded = await docker.importImage(
      Readable.from([tarOf([{ name: 'empty', content: Buffer.alloc(1) }], new Date(0))]),
      {},
    );
    const id = JSON.parse(await text(loaded)).status as string;
    const sandbox = createForkSandbox({ dockerHost, image: id, home, concurrency: 1, log: quiet });
    open.push(sandbox);
    await expect(run(sandbox, 'return {}')).rejects.toThrow(/expected python3 in the image sha256/);
    await expect(run(sandbox, 'return {}')).rejects.toThrow(InfrastructureError);
    await docker.getImage(id).remove();
  });

  test('files, links, queues and deep folders of a candidate are gone before the next', async () => {
    const sandbox = make();
    const leave = [
      'deep = os.environ["HOME"]',
      'for n in range(600):\n    deep = os.path.join(deep, "d" * 20) if n < 100 else "d" * 20\n    os.mkdir(deep)\n    if n >= 99: os.chdir(deep)',
      'open("/dev/shm/.hidden", "w").write("x" * 1000)',
      'os.symlink("/etc/passwd", "/dev/shm/link")',
      'os.mkdir("/dev/shm/closed", 0)',
      'os.utime("/dev/shm/.hidden", (5, 5))',
      'open(os.environ["HOME"] + "/large", "wb").write(bytes(50 << 20))',
      'return {}',
    ].join('\n');
    const first = await run(sandbox, leave);
    expect(first.stderrTail).toBe('');
    expect(first.kind).toBe('ok');
    const look =
      'places = ["/dev/shm", "/dev/mqueue", "/box"]\nreturn {"left": [os.listdir(place) for place in places], "free": os.statvfs("/box").f_bavail, "files": os.statvfs("/box").f_ffree, "shared": os.statvfs("/dev/shm").f_bavail}';
    const [before] = await containers();
    expect((await run(sandbox, look)).solution).toEqual({ left: [[], [], []], free: 16384, files: 4095, shared: 4096 });
    expect(await containers()).toEqual([before]);
  });

  test('nothing of PID 1, and nothing of the parent, can be read', async () => {
    const body =
      'refused = []\nfor path in ("/proc/1/environ", "/proc/1/mem", "/proc/1/fd", "/proc/1/ns/pid", "/root"):\n    try:\n        os.listdir(path) if os.path.isdir(path) else os.readlink(path) if os.path.islink(path) else open(path, "rb").read(1)\n    except PermissionError:\n        refused.append(path)\nreturn {"refused": len(refused), "parent": os.path.exists("/proc/0")}';
    expect((await run(make(), body)).solution).toEqual({ refused: 5, parent: false });
  });

  test('memory that the kernel frees late is not taken from the next candidate', async () => {
    const sandbox = make();
    // A descriptor in flight within itself is freed when the kernel looks for such cycles.
    const leave =
      'import array, socket\nfor _ in range(12):\n    x, y = socket.socketpair()\n    f = os.memfd_create("x")\n    os.write(f, b"z" * (5 << 20))\n    x.sendmsg([b"x"], [(1, 1, array.array("i", [x.fileno(), y.fileno(), f]))])\n    os.close(f); x.close(); y.close()\nreturn {}';
    for (let count = 0; count < 3; count += 1) {
      expect((await run(sandbox, leave)).kind).toBe('ok');
      expect((await run(sandbox, 'return {"n": len(bytearray(b"x") * (200 << 20))}')).kind).toBe('ok');
    }
  });

  test('no file whose times or counters an earlier candidate moves can be read or written', async () => {
    const body =
      'mounts = [line.split() for line in open("/proc/self/mounts")]\nreturn {"sys": os.listdir("/sys"), "dev": [options.split(",")[0] for _, path, _, options, *_ in mounts if path == "/dev"][-1], "tty": os.stat("/dev/tty").st_rdev == os.stat("/dev/null").st_rdev}';
    expect((await run(make(), body)).solution).toEqual({ sys: [], dev: 'ro', tty: true });
  });

  test('draws of numpy follow the seed of the program, also where its parent has imported numpy', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}', { code: 'import scipy.optimize\n' + program('return {}') });
    const draw = async (seed: number): Promise<unknown> =>
      (
        await run(sandbox, 'return {"x": sys.modules["num" + "py"].random.random()}', {
          instance: { ...job('').instance, seed },
        })
      ).solution;
    expect(await draw(1)).toEqual(await draw(1));
    expect(await draw(1)).not.toEqual(await draw(2));
  });

  test('a daemon is killed with everything it started', async () => {
    const sandbox = make();
    const body =
      'if os.fork() == 0:\n    os.setsid()\n    for _ in range(5):\n        os.fork()\n    while True: time.sleep(1)\nreturn {}';
    expect((await run(sandbox, body)).kind).toBe('ok');
    expect(
      (
        await run(
          sandbox,
          'return {"processes": sorted(int(n) for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, os.getpid()))}',
        )
      ).solution,
    ).toEqual({ processes: [] });
    expect(await containers()).toHaveLength(1);
  });

  test('signals reach nobody but the own processes', async () => {
    const body =
      'refused = 0\nfor number in (9, 15, 19, 17):\n    try:\n        os.kill(1, number)\n    except PermissionError:\n        refused += 1\ntry:\n    os.kill(-1, 18)\nexcept ProcessLookupError:\n    refused += 1\nreturn {"refused": refused}';
    expect((await run(make(), body)).solution).toEqual({ refused: 5 });
  });

  test('nothing of root is left to a candidate', async () => {
    const body =
      'status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)\ntried = []\nfor name, attempt in {"uid": lambda: os.setuid(0), "gid": lambda: os.setgid(0), "groups": lambda: os.setgroups([0]), "own": lambda: os.chown("/box", 0, -1), "root": lambda: open("/evil", "w"), "dev": lambda: os.mkdir("/dev/mine"), "sysctl": lambda: open("/proc/sys/kernel/hostname", "w").write("x"), "spaces": lambda: os.unshare(os.CLONE_NEWUSER) if hasattr(os, "unshare") else open("/evil", "w")}.items():\n    try:\n        attempt()\n        tried.append(name)\n    except OSError:\n        pass\nreturn {"caps": [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")], "new": status["NoNewPrivs"], "filter": status["Seccomp"], "tried": tried, "beyond": [fd for fd in range(5, 256) if _open(fd)]}';
    const helper =
      'def _open(fd):\n    try:\n        os.fstat(fd)\n        return True\n    except OSError:\n        return False\n';
    const execution = await make().run(job(helper + program(body)), never());
    const none = '0000000000000000';
    // 3 and 4: the runner's own copies of output and input.
    expect(execution.solution).toEqual({
      caps: [none, none, none, none],
      new: '1',
      filter: '2',
      tried: [],
      beyond: [],
    });
  });

  test('a limit of processes, files and core dumps for each process', async () => {
    const body =
      'import resource\nreturn {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in ("CPU", "NPROC", "FSIZE", "NOFILE", "CORE", "SIGPENDING", "MSGQUEUE")}';
    expect((await run(make(), body)).solution).toEqual({
      CPU: [2, 4],
      NPROC: [64, 64],
      FSIZE: [64 * MIB, 64 * MIB],
      NOFILE: [256, 256],
      CORE: [0, 0],
      // Both are counted for a user of the machine, not for a container.
      SIGPENDING: [1024, 1024],
      MSGQUEUE: [0, 0],
    });
  });

  test('nothing of an earlier candidate is in the memory that the next one is born with', async () => {
    const sandbox = make();
    const marks = 'return {"text": ["%s%d" % ("quince", n) for n in range(200)]}';
    expect((await run(sandbox, `print("quince" + "x" * 30, file=sys.stderr)\n${marks}`)).kind).toBe('ok');
    // Only what the kernel backs by nothing but memory; the pattern is made so that this text is not what is found.
    const body =
      'needle, found = b"quinc" + bytes([101]), 0\nfor line in open("/proc/self/maps").read().splitlines():\n    span, mode, *rest = line.split()\n    if not mode.startswith("r") or (len(rest) > 3 and rest[3] in ("[vvar]", "[vvar_vclock]", "[vsyscall]")): continue\n    low, high = (int(part, 16) for part in span.split("-"))\n    try:\n        import ctypes\n        text = ctypes.string_at(low, high - low)\n    except (OSError, MemoryError): continue\n    found += text.count(needle + bytes([49]))\nreturn {"found": found}';
    expect((await run(sandbox, body)).solution).toEqual({ found: 0 });
    expect(await containers()).toHaveLength(1);
  });

  test('CPU and memory are those of the whole tree, the dead and the unwaited included, and of this candidate only', async () => {
    const sandbox = make();
    const burn = 'end = time.process_time() + 0.4\n    while time.process_time() < end: pass';
    const body = `import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif os.fork() == 0:\n    hog = bytearray(100 << 20)\n    ${burn}\n    os._exit(0)\ntry: os.wait()\nexcept ChildProcessError: pass\nreturn {}`;
    const heavy = await run(sandbox, body);
    expect(heavy.cpuMs).toBeGreaterThanOrEqual(400);
    expect(heavy.peakBytes).toBeGreaterThanOrEqual(100 * MIB);
    const light = await run(sandbox, 'return {}');
    expect(light.cpuMs).toBeLessThan(400);
    expect(light.peakBytes).toBeLessThan(80 * MIB);
  });

  test('a second run under the same key ends the first', async () => {
    const sandbox = make({ concurrency: 2 });
    const endless = job(program('time.sleep(1000)'), { key: 'same', limits: { ...quickLimits, wallSeconds: 100 } });
    const first = sandbox.run(endless, never()).then(
      () => 'ended',
      (error: unknown) => error,
    );
    await candidateRuns();
    expect((await sandbox.run(job(program('return {"n": 1}'), { key: 'same' }), never())).kind).toBe('ok');
    expect(await first).toBeInstanceOf(InfrastructureError);
    expect(((await first) as Error).message).toContain('a newer attempt of the same evaluation took its place');
  });

  test('a container that goes away is infrastructure for the run in flight, and the next one gets another', async () => {
    const sandbox = make();
    const running = run(sandbox, 'time.sleep(1000)', { limits: { ...quickLimits, wallSeconds: 100 } }).catch(
      (error: unknown) => error,
    );
    await candidateRuns();
    for (const id of await containers()) await new Docker().getContainer(id).kill();
    expect(await running).toBeInstanceOf(InfrastructureError);
    expect((await run(sandbox, 'return {}')).kind).toBe('ok');
  });

  test('a program that answers calls keeps its input open', async () => {
    const message = (value: unknown): Buffer => {
      const text = Buffer.from(JSON.stringify({ value, arrays: [] }));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      return Buffer.concat([length, text]);
    };
    const code = 'print("tuned 0.5")\ndef construct(value):\n    print("called")\n    return [value]\n';
    const answers: unknown[] = [];
    const execution = await make().converse(
      {
        ...job(code),
        harness: 'def invoke(function, message, ask):\n    return function(message)\n',
        timed: false,
        reference: null,
      },
      async (held) => {
        for (const text of ['one', 'x'.repeat(300_000)]) {
          held.send('Q', message(text));
          const answer = await held.next();
          answers.push([
            answer?.kind,
            (JSON.parse(answer!.payload.subarray(4).toString('utf8')) as { value: unknown }).value,
          ]);
        }
        expect(held.cpuMs()).toBeGreaterThanOrEqual(0);
      },
      never(),
    );
    expect(answers).toEqual([
      ['V', ['one']],
      ['V', ['x'.repeat(300_000)]],
    ]);
    expect(execution).toMatchObject({ kind: 'ok', isolation: 'fork', loadTail: 'tuned 0.5\n' });
    expect(execution.stderrTail).toContain('called');
  });

  test.each([
    // Without `forkserver` a container is refused namespaces, as by a kernel that has none for it.
    ['the kernel gives no namespaces', ({ forkserver: _, ...spec }: ConfinedSpec): ConfinedSpec => spec],
    [
      'a mount in the namespaces of a program fails',
      (spec: ConfinedSpec): ConfinedSpec => ({ ...spec, source: spec.source.replace('mount("/box"', 'mount("/none"') }),
    ],
  ])('where %s, each program gets a container, and log and result say so', async (_, change) => {
    const said: string[] = [];
    const log = (line: string): number => said.push(line);
    const docker = createDockerLauncher({ docker: connectDocker(dockerHost), image, home, log });
    const refusing: Launcher = {
      level: docker.level,
      imageId: image,
      launch: (spec) => docker.launch(change(spec)),
      close: docker.close,
    };
    const launcher = createForkLauncher({ docker: refusing, log });
    const sandbox = createConfinedSandbox({ launcher, home, concurrency: 1, log });
    open.push(sandbox);
    expect(sandbox.level).toBe('fork');
    for (let count = 0; count < 2; count += 1)
      expect(await run(sandbox, 'return {}')).toMatchObject({ kind: 'ok', isolation: 'docker' });
    expect(said.filter((line) => line.includes('each program gets a container of its own (docker)'))).toHaveLength(1);
  });

  test.skipIf(!FULL)(
    'ten thousand programs in a row leave nothing in their container',
    async () => {
      const sandbox = make({ recycleAfter: 20_000 });
      const used = async (): Promise<number> => {
        const [id] = await containers();
        return (await new Docker().getContainer(id!).stats({ stream: false })).memory_stats.usage;
      };
      for (let count = 0; count < 100; count += 1) await run(sandbox, 'return {}');
      const [before, at] = [await containers(), await used()];
      for (let count = 0; count < 10_000; count += 1) expect((await run(sandbox, 'return {}')).kind).toBe('ok');
      expect(await containers()).toEqual(before);
      expect((await used()) - at).toBeLessThan(8 * MIB);
    },
    3_600_000,
  );

  test('what a program prints can be read while it runs', async () => {
    let tail = (): string => '';
    const running = run(make(), 'print("epoch 3", flush=True)\ntime.sleep(1)\nreturn {}', {
      onOutput: (read) => {
        tail = read;
      },
    });
    await expect.poll(() => tail(), { timeout: 300_000 }).toContain('epoch 3');
    expect((await running).kind).toBe('ok');
  });

  test('a program that may live longer than its container gets another one', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}');
    const before = await containers();
    const patient = { limits: { ...quickLimits, wallSeconds: 10_000 } };
    expect((await run(sandbox, 'return {}', patient)).kind).toBe('ok');
    expect((await containers()).filter((id) => !before.includes(id))).toHaveLength(1);
  });

  test('a container that nobody uses is removed', async () => {
    const sandbox = make({ idleMs: 300 });
    await run(sandbox, 'return {}');
    await expect.poll(containers, { timeout: 300_000 }).toEqual([]);
  });
});

describe('cheats on the level fork', () => {
  const root = join(import.meta.dirname, '..', '..', '..', '..', 'tasks');
  const TASK = 'circle-packing-square-26';
  const honest = { circles: Array.from({ length: 26 }, () => [0, 0, 0]) };
  const home = testHome();
  let evaluator: Evaluator;
  let close: () => Promise<void>;
  let task: Awaited<ReturnType<typeof loadTask>>;
  beforeAll(async () => {
    task = { ...(await loadTask(TASK)), limits: quickLimits };
    const options = { dockerHost, image: await testImage(), home, log: quiet };
    const [sandbox, scorer, gate] = [
      createForkSandbox({ ...options, concurrency: 2 }),
      createDockerScorer({ ...options, task }),
      createDockerGate(options),
    ];
    evaluator = createEvaluator({ sandbox, scorer, gate, task });
    close = async () => {
      await Promise.all([sandbox.close(), scorer.close(), gate.close()]);
    };
  });
  afterAll(async () => {
    await close();
    expect(await containersOf(home)).toEqual([]);
  });

  test('every common cheat ends as it should, none scores, and an honest program after each that attacks the sandbox scores as ever', async () => {
    const cheats = await readCheats(['containment', 'solution'], root, join(root, TASK));
    expect(cheats.length).toBeGreaterThanOrEqual(26);
    const evaluate = (key: string, code: string): ReturnType<Evaluator['evaluate']> =>
      evaluator.evaluate(
        { key, run: 'cheats', code, seed: 7, acceptSavedOnTimeout: false, scoring: 'tolerant' },
        never(),
      );
    const wrong: string[] = [];
    for (const cheat of cheats) {
      const result = await evaluate(cheat.name, fill(cheat.code, task, honest));
      expect(result.isolation).toBe('fork');
      const fault = offence(cheat, result, { task, solution: honest, honest: 0, best: INITIAL });
      if (fault !== null) wrong.push(`${cheat.name}: ${fault} ${result.stderrTail.slice(-200)}`);
      // Data cheats leave nothing but their answer behind.
      if (cheat.kind !== 'containment' && cheat !== cheats.at(-1)) continue;
      const after = await evaluate('after', fill('__PROGRAM__', task, honest));
      if (after.outcome !== 'valid' || after.score !== 0)
        wrong.push(
          `after ${cheat.name}: ${after.outcome} ${after.execution} ${after.score} ${after.stderrTail.slice(-200)}`,
        );
    }
    expect(wrong).toEqual([]);
  }, 900_000);
});

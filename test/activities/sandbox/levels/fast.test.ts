// The fast level keeps the shared contract, contains the common cheats, and is as clean after each candidate as
// before it.
import Docker from 'dockerode';
import { join } from 'node:path';
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
import { createFastSandbox, type FastSandboxOptions } from '../../../../activities/sandbox/levels/fast.ts';
import { createDockerGate, createDockerScorer } from '../../../../activities/sandbox/levels/docker.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { sandboxContract } from './contract.ts';
import { containersOf, dockerHost, job, MIB, never, quickLimits, testHome, testImage } from './docker.ts';
import { functionContract } from './function-contract.ts';

/** The score of the task's initial program. */
const INITIAL = 0.9597642169962064;
const quiet = (): void => undefined;
const program = (body: string): string =>
  `import os, sys, time\ndef construct(instance):\n${body
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('')}`;

sandboxContract('the fast sandbox', async () =>
  createFastSandbox({ dockerHost, image: await testImage(), home: testHome(), concurrency: 2, log: quiet }),
);

functionContract('the fast level', async () => {
  const options = { dockerHost, image: await testImage(), home: testHome(), log: quiet };
  return {
    sandbox: createFastSandbox({ ...options, concurrency: 2 }),
    gate: createDockerGate(options),
    scorerFor: (task) => createDockerScorer({ ...options, task }),
  };
});

describe('fast', () => {
  const home = testHome();
  const open: Sandbox[] = [];
  let image: string;
  /** One candidate at a time and none waiting: one container, unless it is replaced. */
  const make = (more: Partial<FastSandboxOptions> = {}): Sandbox => {
    const sandbox = createFastSandbox({ dockerHost, image, home, concurrency: 1, poolSize: 0, log: quiet, ...more });
    open.push(sandbox);
    return sandbox;
  };
  const run = (sandbox: Sandbox, body: string, more: Partial<SandboxJob> = {}): Promise<Execution> =>
    sandbox.run(job(program(body), more), never());
  /** In the one container: PID 1, the parent and a candidate. */
  const candidateRuns = async (): Promise<void> => {
    await expect
      .poll(
        async () => {
          const [id] = await containers();
          return id === undefined
            ? 0
            : new Docker()
                .getContainer(id)
                .top()
                .then(
                  ({ Processes }: { Processes: unknown[] }) => Processes.length,
                  () => 0,
                );
        },
        { timeout: 300_000 },
      )
      .toBeGreaterThan(2);
  };
  const containers = async (): Promise<readonly string[]> => (await containersOf(home)).toSorted();
  beforeAll(async () => {
    image = await testImage();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
    expect(await containers()).toEqual([]);
  });

  test('candidates share a container, each under a uid that was never used before', async () => {
    const sandbox = make();
    const seen: { uid: number; gid: number; groups: readonly number[]; home: string }[] = [];
    for (let count = 0; count < 5; count += 1) {
      const execution = await run(
        sandbox,
        'return {"uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(), "home": os.environ["HOME"]}',
      );
      seen.push(execution.solution as (typeof seen)[number]);
    }
    expect(new Set(seen.map(({ uid }) => uid)).size).toBe(5);
    for (const { uid, gid, groups, home: folder } of seen) {
      expect(uid).toBeGreaterThan(0);
      expect({ gid, groups, folder }).toEqual({ gid: uid, groups: [], folder: `/box/${uid}` });
    }
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
                filters: JSON.stringify({ label: [`evolve.home=${home}`, 'evolve.run=fast'] }),
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

  test('a container in which memory ran out is replaced, and the run is told so', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}');
    const [before] = await containers();
    const body =
      'if os.fork() == 0:\n    hog = []\n    while True: hog.append(bytearray(1 << 24))\nos.wait()\nreturn {}';
    expect(await run(sandbox, body)).toMatchObject({ kind: 'memory', exitCode: 0, oom: true });
    expect((await run(sandbox, 'return {}')).kind).toBe('ok');
    expect(await containers()).not.toContain(before);
  });

  test('what cannot be wiped ends the container, not the run', async () => {
    const sandbox = make();
    await run(sandbox, 'return {}');
    const [before] = await containers();
    expect(
      (
        await run(
          sandbox,
          'for n in range(6000):\n    open(f"/dev/shm/{n // 100}", "w").close()\n    os.makedirs(f"/dev/shm/d/{n}")\nreturn {}',
          { limits: { ...quickLimits, cpuSeconds: 20, wallSeconds: 30 } },
        )
      ).kind,
    ).toBe('ok');
    expect((await run(sandbox, 'return {}')).kind).toBe('ok');
    await expect.poll(containers, { timeout: 300_000 }).not.toContain(before);
  });

  test('files, links, queues and deep folders of a candidate are gone before the next', async () => {
    const sandbox = make();
    const leave = [
      'deep = os.environ["HOME"]',
      'for n in range(600):\n    deep = os.path.join(deep, "d" * 20) if n < 100 else "d" * 20\n    os.mkdir(deep)\n    if n >= 99: os.chdir(deep)',
      'open("/dev/shm/.hidden", "w").write("x" * 1000)',
      'os.symlink("/etc/passwd", "/dev/shm/link")',
      'os.mkdir("/dev/shm/closed", 0)',
      'open("/dev/mqueue/queue", "x").close()',
      'os.utime("/dev/shm/.hidden", (5, 5))',
      'open(os.environ["HOME"] + "/large", "wb").write(bytes(50 << 20))',
      'return {}',
    ].join('\n');
    const first = await run(sandbox, leave);
    expect(first.stderrTail).toBe('');
    expect(first.kind).toBe('ok');
    const look =
      'places = ["/dev/shm", "/dev/mqueue", os.environ["HOME"]]\nreturn {"left": [os.listdir(place) for place in places], "boxes": os.stat("/box").st_nlink, "times": [int(os.stat(place).st_mtime) for place in places[:2]], "free": os.statvfs("/box").f_bavail, "shared": os.statvfs("/dev/shm").f_bavail}';
    const [before] = await containers();
    expect((await run(sandbox, look)).solution).toEqual({
      left: [[], [], []],
      boxes: 3,
      times: [0, 0],
      free: 16384,
      shared: 4096,
    });
    expect(await containers()).toEqual([before]);
  });

  test('no other folder can be read, nor that of all', async () => {
    const body =
      'refused = []\nfor path in ("/box", "/proc/1/environ", f"/proc/{os.getppid()}/mem", f"/proc/{os.getppid()}/fd", f"/proc/{os.getppid()}/environ", "/root"):\n    try:\n        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)\n    except PermissionError:\n        refused.append(path)\nreturn {"refused": len(refused)}';
    expect((await run(make(), body)).solution).toEqual({ refused: 6 });
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
          'return {"processes": sorted(int(n) for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, os.getpid(), os.getppid()))}',
        )
      ).solution,
    ).toEqual({ processes: [] });
    expect(await containers()).toHaveLength(1);
  });

  test('signals to the parent and to PID 1 are refused', async () => {
    const body =
      'refused = 0\nfor pid in (1, os.getppid()):\n    for number in (9, 15, 19, 17):\n        try:\n            os.kill(pid, number)\n        except PermissionError:\n            refused += 1\nreturn {"refused": refused}';
    expect((await run(make(), body)).solution).toEqual({ refused: 8 });
  });

  test('nothing of root is left to a candidate', async () => {
    const body =
      'status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)\ntried = []\nfor name, attempt in {"uid": lambda: os.setuid(0), "gid": lambda: os.setgid(0), "groups": lambda: os.setgroups([0]), "own": lambda: os.chown("/box", os.getuid(), -1), "root": lambda: open("/evil", "w"), "box": lambda: os.mkdir("/box/mine")}.items():\n    try:\n        attempt()\n        tried.append(name)\n    except OSError:\n        pass\nreturn {"caps": [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")], "new": status["NoNewPrivs"], "filter": status["Seccomp"], "tried": tried, "beyond": [fd for fd in range(5, 256) if _open(fd)]}';
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

  test('a limit of memory, processes, files and core dumps for each process', async () => {
    const body =
      'import resource\nreturn {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in ("CPU", "NPROC", "FSIZE", "NOFILE", "CORE")}';
    expect((await run(make(), body)).solution).toEqual({
      CPU: [2, 4],
      NPROC: [64, 64],
      FSIZE: [64 * MIB, 64 * MIB],
      NOFILE: [256, 256],
      CORE: [0, 0],
    });
    const greedy = await run(make(), 'return {"n": len(bytearray(600 << 20))}');
    expect(greedy.kind).toBe('memory');
    expect(greedy.stderrTail).toContain('MemoryError');
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
    const code = 'def construct(value):\n    return [value]\n';
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
    expect(execution).toMatchObject({ kind: 'ok', isolation: 'fast' });
  });

  test('a container that nobody uses is removed', async () => {
    const sandbox = make({ idleMs: 300 });
    await run(sandbox, 'return {}');
    await expect.poll(containers, { timeout: 300_000 }).toEqual([]);
  });
});

describe('cheats on the fast level', () => {
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
      createFastSandbox({ ...options, concurrency: 2 }),
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
      expect(result.isolation).toBe('fast');
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

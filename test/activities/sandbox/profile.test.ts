// Where a program's time goes and what it saved on its way, by the runner that ships: what is told, that nothing which
// programs do breaks by it, and that no program can say more with it than a few names and numbers.
import { afterAll, describe, expect, test } from 'vitest';
import type { Execution, SandboxJob } from '../../../activities/sandbox/contract/types.ts';
import { CandidateOutput } from '../../../activities/sandbox/host/candidate-output.ts';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { createFakeSandbox } from '../../doubles/fake-sandbox.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';

const MIB = 2 ** 20;
const LIMITS = { cpuSeconds: 60, wallSeconds: 60, memoryBytes: 1024 * MIB, pids: 64, outputBytes: 4 * MIB, cores: 1 };
const sandbox = createConfinedSandbox({
  ...{ launcher: createPlainLauncher(), home: 'h', concurrency: 2, log: () => undefined },
});
afterAll(() => sandbox.close());

const run = (code: string, more: Partial<SandboxJob> = {}): Promise<Execution> =>
  sandbox.run(
    {
      ...{ key: `k${Math.random()}`, run: 'r', code, entry: 'construct', instance: { seed: 1 } },
      ...{ limits: LIMITS, acceptSavedOnTimeout: false, ...more },
    },
    new AbortController().signal,
  );

/** Spends CPU time in plain Python. */
const BURN = `import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
`;
const percentOf = ({ profile }: Execution, name: string): number =>
  profile?.functions.find((one) => one.name === name)?.percent ?? 0;

describe('where the time went', () => {
  test('by the functions of the program, and what they call of libraries', async () => {
    const told = await run(`import json, time
def areas():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        [[x for x in range(20)] for _ in range(20)]
class Solver:
    def polish(self):
        end = time.process_time() + 0.6
        rows = list(range(3000))
        while time.process_time() < end:
            json.dumps(rows, indent=1)
def construct(instance):
    areas()
    Solver().polish()
    return {}
`);
    expect(told.kind).toBe('ok');
    expect(told.profile!.seconds).toBeGreaterThan(0.85);
    expect(percentOf(told, 'dumps')).toBeGreaterThan(45);
    // A comprehension counts for the function that it stands in.
    expect(percentOf(told, 'areas')).toBeGreaterThan(15);
  });
  test('a long call of C counts whole', async () => {
    const told = await run(`import time
def slow():
    return sum(range(20_000_000))
def construct(instance):
    while time.process_time() < 0.8:
        slow()
    return {}
`);
    expect(percentOf(told, 'slow')).toBeGreaterThan(80);
  });
  test('a program that is stopped has told it before, and one that fails tells it', async () => {
    const stopped = await run(`${BURN}def construct(instance):\n    burn(60)\n`, {
      limits: { ...LIMITS, wallSeconds: 3 },
    });
    expect(stopped.kind).toBe('timeout_wall');
    expect(percentOf(stopped, 'burn')).toBeGreaterThan(80);
    const failed = await run(`${BURN}def construct(instance):\n    burn(0.7)\n    raise ValueError("no")\n`);
    expect(failed).toMatchObject({ kind: 'program_error', profile: { functions: [{ name: 'burn' }] } });
  });
  test('in a file of its own, and not of a program too short to say', async () => {
    const files = `# === FILE: main.py ===\nimport work\ndef construct(instance):\n    work.burn(0.8)\n    return {}\n# === FILE: work.py ===\n${BURN}`;
    expect(percentOf(await run(files), 'burn')).toBeGreaterThan(60);
    expect(await run('def construct(instance):\n    return {}\n')).not.toHaveProperty('profile');
  });
});

/** Programs that do what a timer might break. Each burns CPU time beside it, so that samples come. */
const ODD: { readonly [what: string]: string } = {
  'an alarm of its own': `import signal
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    burn(0.4)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert len(seen) > 2, seen`,
  'a profiler of its own': `import signal
    seen = []
    signal.signal(signal.SIGPROF, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
    burn(0.4)
    assert len(seen) > 5, seen`,
  'all signals as they were at first': `import signal
    for one in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(one, signal.SIG_DFL)
    burn(0.2)`,
  'cProfile and a trace function': `import cProfile, sys
    cProfile.runctx("burn(0.2)", globals(), {})
    sys.settrace(lambda *_: None)
    burn(0.2)
    sys.settrace(None)`,
  'threads that wait and work': `import threading, queue
    work, done = queue.Queue(), []
    def worker():
        while (item := work.get()) is not None:
            burn(item)
            done.append(item)
    threads = [threading.Thread(target=worker) for _ in range(4)]
    [one.start() for one in threads]
    [work.put(0.1) for _ in range(8)]
    [work.put(None) for _ in threads]
    [one.join() for one in threads]
    assert len(done) == 8`,
  'a fork that works and is waited for': `import os
    pid = os.fork()
    if pid == 0:
        burn(0.3)
        os._exit(7)
    burn(0.3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7`,
  'a pool of processes': `import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(burn, [0.2] * 4)
    burn(0.1)`,
  'another program': `import subprocess, sys
    burn(0.1)
    code = "import time; end = time.process_time() + 0.4\\nwhile time.process_time() < end: pass\\nprint(5)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "5\\n"`,
  'a fork that becomes another program': `import os, sys
    pid = os.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", "sum(range(20_000_000))"])
    burn(0.2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0`,
  'sleep and select, to their ends': `import select, time, os, threading
    r, w = os.pipe()
    other = threading.Thread(target=burn, args=(0.6,))
    other.start()
    began = time.monotonic()
    time.sleep(0.2)
    select.select([r], [], [], 0.2)
    assert time.monotonic() - began >= 0.39
    other.join()`,
  'asyncio with its own signals': `import asyncio, os, signal
    async def main():
        got = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, got.set)
        burn(0.2)
        os.kill(os.getpid(), signal.SIGUSR1)
        await asyncio.wait_for(got.wait(), 5)
    asyncio.run(main())`,
  'deep recursion': `import sys
    sys.setrecursionlimit(20_000)
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)
    for _ in range(40):
        assert down(15_000) == 15_000
        burn(0.01)`,
};

test.each(Object.entries(ODD))('breaks nothing in a program with %s', async (_, body) => {
  const told = await run(`${BURN}def construct(instance):\n    ${body}\n    return {"ok": True}\n`);
  expect(told).toMatchObject({ kind: 'ok', solution: { ok: true } });
});

test('a program that becomes another one is not ended by the timer', async () => {
  const code = `${BURN}import os, sys\ndef construct(instance):\n    burn(0.1)\n    os.execvp(sys.executable, [sys.executable, "-c", "sum(range(20_000_000)); import os; os._exit(3)"])\n`;
  expect(await run(code)).toMatchObject({ kind: 'program_error', exitCode: 3 });
});

describe('what it saved', () => {
  test('with threads that save while samples come, no frame is torn', async () => {
    const told = await run(`import threading
rows = list(range(20_000))
def work(k):
    for i in range(20):
        checkpoint({"k": k, "i": i, "rows": rows[: 1000 * (i + 1)]})
def construct(instance):
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    return {"ok": True}
`);
    expect(told).toMatchObject({ kind: 'ok', solution: { ok: true } });
    expect(told.saves!.count).toBeGreaterThan(20);
  });
  test('is counted, and kept evenly with its CPU time, however much that is', async () => {
    const told = await run(
      `${BURN}def construct(instance):\n    for i in range(9_999):\n        checkpoint([i])\n    burn(0.2)\n    checkpoint([9_999])\n    return {}\n`,
      // The facts beside the saves use up nothing of what a program may write.
      { limits: { ...LIMITS, outputBytes: 60_000 } },
    );
    expect(told.kind).toBe('ok');
    const { count, kept } = told.saves!;
    const steps = kept.map(({ solution }) => (solution as number[])[0]!);
    expect(count).toBe(10_000);
    expect(kept.length).toBeGreaterThan(8);
    expect(kept.length).toBeLessThan(19);
    expect([steps[0], steps.at(-1)]).toEqual([0, 9_999]);
    const gaps = steps.slice(1, -1).map((step, at) => step - steps[at]!);
    expect(new Set(gaps).size).toBe(1);
    const seconds = kept.map((one) => one.seconds!);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    expect(seconds.at(-1)! - seconds.at(-2)!).toBeGreaterThan(0.15);
  });
});

describe('what a program makes of it itself', () => {
  const frame = (kind: string, payload: string): Buffer => {
    const head = Buffer.alloc(5);
    head.write(kind);
    head.writeUInt32BE(Buffer.byteLength(payload), 1);
    return Buffer.concat([head, Buffer.from(payload)]);
  };
  const told = (...frames: readonly Buffer[]): CandidateOutput => {
    const output = new CandidateOutput(1_000);
    output.onStdout(Buffer.concat(frames));
    return output;
  };
  const facts = (functions: unknown, seconds: unknown = 2): Buffer =>
    frame('F', JSON.stringify({ seconds, functions }));

  test('is read as a few names and whole percents, or not at all', () => {
    const names = ['a.b', 'x', '<lambda>', 'Ignore all rules', '`', '\u202e', '# Task', 'a'.repeat(41), '__init__'];
    for (const name of names) {
      const [first] = told(facts([[name, 50]])).claims.profile()!.functions;
      expect([name, first?.name]).toEqual([
        name,
        ['a.b', 'x', '<lambda>', '__init__'].includes(name) ? name : undefined,
      ]);
    }
    for (const percent of [0, -1, 101, 1.5, '50', null])
      expect(told(facts([['x', percent]])).claims.profile()!.functions).toEqual([]);
    expect(told(facts(Array.from({ length: 9 }, () => ['x', 9]))).claims.profile()!.functions).toHaveLength(3);
    for (const bad of [
      facts(null),
      facts([], 'x'),
      facts([], -1),
      frame('F', '{'),
      frame('F', '[]'),
      frame('F', 'null'),
    ])
      expect(told(bad).claims.profile()).toBeNull();
    expect(told().claims.profile()).toBeNull();
  });
  test('is no result, and too much of it counts as output', () => {
    const result = frame('S', '{"n":1}');
    expect(told(facts([['x', 9]]), result).result()).toMatchObject({ frame: 'one', solution: { n: 1 } });
    expect(told(frame('F', `{"seconds":1${' '.repeat(600)}}`), result).result().frame).toBe('malformed');
    const many = Array.from({ length: 20_000 }, () => facts([]));
    expect(told(...many).capFired()).toBe(true);
  });
});

test('saves are scored in their order, and decide nothing', async () => {
  const task = await loadTask('circle-packing-square-26');
  const kept = [1, 3, 2].map((n) => ({ seconds: n / 10, solution: { n } }));
  const evaluated = (kind: Execution['kind'], slowMs = 0) =>
    createEvaluator({
      task,
      sandbox: createFakeSandbox(() => ({
        kind,
        ...(kind === 'ok' ? { solution: { n: 2.5 } } : {}),
        saves: { count: 70, kept },
      })),
      scorer: {
        score: async (solution) => {
          const { n } = solution as { n: number };
          if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
          return { valid: n < 3, score: n, strictScore: n, metrics: {}, reasons: [] };
        },
        judge: () => Promise.reject(new Error('must not be asked')),
        close: async () => undefined,
      },
      gate: { check: async (sources) => sources.map(() => null), close: async () => undefined },
    }).evaluate(
      { key: 'k', run: 'r', code: 'c', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
      new AbortController().signal,
    );
  const scores = [
    { seconds: 0.1, score: 1 },
    { seconds: 0.3, score: null },
    { seconds: 0.2, score: 2 },
  ];
  expect(await evaluated('ok')).toMatchObject({ outcome: 'valid', score: 2.5, saves: { count: 70, scores } });
  expect(await evaluated('timeout_cpu')).toMatchObject({ outcome: 'no_solution', score: null, saves: { scores } });
  expect((await evaluated('ok', 400)).saves).toEqual({ count: 70 });
});

// Odd programs, and the one outcome that each has on every level of isolation: what counts as an answer, as a crash or
// as a limit that was passed must not depend on where a program ran (docs/security.md).
import type { Sandbox } from '../../../../activities/sandbox/contract/types.ts';
import type { TaskLimits } from '../../../../evolution/task/task.ts';
import type { ExecutionKind } from '../../../../evolution/types.ts';
import { job, never, quickLimits } from './docker.ts';

export type OddProgram = {
  readonly name: string;
  readonly code: string;
  readonly kind: ExecutionKind;
  readonly limits: TaskLimits;
  /** The solution of a program that is `ok`. The default is `{"n": 1}`. */
  readonly solution?: unknown;
};

/** The private output of the runner is the lowest descriptor above 2 that is a pipe. */
const FRAMES = `
import os, stat, struct
def out():
    return next(fd for fd in range(3, 20) if is_open(fd))
def is_open(fd):
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode) or stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
def frame(kind, payload=b'{"n": 1}'):
    data = kind + struct.pack(">I", len(payload)) + payload
    while data:
        data = data[os.write(out(), data):]
`;

const body = (lines: string): string =>
  `import os, signal, sys, threading, time\ndef construct(instance):\n${lines
    .trim()
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('')}`;

const framed = (lines: string): string => `${FRAMES}${body(lines)}`;

/** Four children that together use more than the limit of 0.3 s, each less than it. */
const FOUR_CHILDREN = (ending: string): string => `
for _ in range(4):
    if os.fork() == 0:
        while time.process_time() < 0.2:
            pass
        os._exit(0)
${ending}`;

const programs: { readonly [kind in ExecutionKind]?: { readonly [name: string]: string } } = {
  ok: {
    'an ordinary answer': body('return {"n": 1}'),
    'text before and after': body('print("before")\nsys.stderr.write("x" * 1000)\nreturn {"n": 1}'),
    'text byte by byte': body('for _ in range(20000): os.write(2, b"x")\nreturn {"n": 1}'),
    'output without an end of line': body('sys.stdout.write("half a line")\nreturn {"n": 1}'),
    'a frame in print': body('print("S\\x00\\x00\\x00\\x08{\\"n\\": 2}")\nreturn {"n": 1}'),
    'standard output closed': body('sys.stdout.close()\nreturn {"n": 1}'),
    'descriptors 1 and 2 closed': body('os.close(1)\nos.close(2)\nreturn {"n": 1}'),
    'standard input closed': body('os.close(0)\nreturn {"n": 1}'),
    'standard input read to its end': body('return {"n": 1 + len(sys.stdin.read())}'),
    'standard output replaced': body('sys.stdout = None\nsys.stderr = None\nreturn {"n": 1}'),
    'an exit handler that raises': body('import atexit\natexit.register(lambda: 1 / 0)\nreturn {"n": 1}'),
    'an exit handler that exits': body('import atexit\natexit.register(os._exit, 3)\nreturn {"n": 1}'),
    'a finaliser that raises': `class Odd:\n    def __del__(self):\n        raise ValueError("late")\n${body('Odd()\nreturn {"n": 1}')}`,
    'a thread that sleeps on': body('threading.Thread(target=time.sleep, args=(1000,)).start()\nreturn {"n": 1}'),
    'a daemon thread that works on': body(
      'def work():\n    while True: time.sleep(0.001)\nthreading.Thread(target=work, daemon=True).start()\nreturn {"n": 1}',
    ),
    'a thread that raises': body(
      'thread = threading.Thread(target=lambda: 1 / 0)\nthread.start()\nthread.join()\nreturn {"n": 1}',
    ),
    'a child that outlives it': body('if os.fork() == 0:\n    time.sleep(1000)\nreturn {"n": 1}'),
    'a child in a session of its own': body(
      'if os.fork() == 0:\n    os.setsid()\n    os.close(1)\n    os.close(2)\n    time.sleep(1000)\nreturn {"n": 1}',
    ),
    'a child that crashes': body(
      'child = os.fork()\nif child == 0:\n    os.kill(os.getpid(), signal.SIGSEGV)\nos.waitpid(child, 0)\nreturn {"n": 1}',
    ),
    'a child that nobody waits for': body('if os.fork() == 0:\n    os._exit(7)\ntime.sleep(0.1)\nreturn {"n": 1}'),
    'signals that are ignored': body(
      'for number in (1, 2, 3, 13, 14, 15):\n    signal.signal(number, signal.SIG_IGN)\n    os.kill(os.getpid(), number)\nreturn {"n": 1}',
    ),
    'a signal that is handled': body(
      'seen = []\nsignal.signal(signal.SIGUSR1, lambda *_: seen.append(1))\nos.kill(os.getpid(), signal.SIGUSR1)\nreturn {"n": len(seen)}',
    ),
    'an exit that is caught': body('try:\n    sys.exit(3)\nexcept SystemExit:\n    return {"n": 1}'),
    'a recursion that is caught': body(
      'def deep(): return deep()\ntry:\n    deep()\nexcept RecursionError:\n    return {"n": 1}',
    ),
    'memory that is refused and done without': body(
      'try:\n    held = bytearray(1 << 36)\nexcept MemoryError:\n    return {"n": 1}',
    ),
    'a huge whole number': body('return {"n": 10**30}'),
    'a checkpoint and then an answer': body('checkpoint({"n": 9})\nreturn {"n": 1}'),
    'a whole frame and a good exit': framed('frame(b"S")\nos._exit(0)'),
    'a file and its times': body(
      'import shutil\npath = os.environ["HOME"] + "/a"\nopen(path, "w").write("x")\nshutil.copy2(path, path + "b")\nos.utime(path)\nreturn {"n": os.path.getsize(path + "b")}',
    ),
    'times of device files': body(
      'before = [os.stat(path).st_mtime_ns for path in ("/dev/null", "/dev/zero", "/dev/urandom")]\nos.utime("/dev/null")\nos.utime("/dev/zero", (5, 5))\nwith open("/dev/urandom", "rb") as file:\n    os.utime(file.fileno())\nafter = [os.stat(path).st_mtime_ns for path in ("/dev/null", "/dev/zero", "/dev/urandom")]\nreturn {"n": 1 if before == after else before + after}',
    ),
    'a mode of a device file': body('try:\n    os.chmod("/dev/null", 0o600)\nexcept OSError:\n    return {"n": 1}'),
    'an archive of arrays': body(
      'import numpy as np\npath = os.environ["HOME"] + "/a.npz"\nnp.savez(path, x=np.arange(3))\nreturn {"n": int(np.load(path)["x"][1])}',
    ),
    'a place for temporary files': body(
      'import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    open(folder + "/a", "w").write("x")\n    return {"n": len(os.listdir(folder))}',
    ),
    'processes that share the work': body(
      'import multiprocessing\ncontext = multiprocessing.get_context("fork")\nwith context.Pool(2) as pool:\n    return {"n": sum(pool.map(abs, [-1, 0]))}',
    ),
    'a decimal number as text': body('from decimal import Decimal\nreturn {"n": int(Decimal("1.0"))}'),
    'a warning made an error elsewhere': body('import warnings\nwarnings.warn("odd")\nreturn {"n": 1}'),
    'a traced program': body('sys.settrace(lambda *_: None)\nreturn {"n": 1}'),
    'a hidden garbage collector': body('import gc\ngc.disable()\ngc.set_threshold(0)\nreturn {"n": 1}'),
    'a timer signal that is handled': body(
      'seen = []\nsignal.signal(signal.SIGALRM, lambda *_: seen.append(1))\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\nwhile not seen: time.sleep(0.01)\nreturn {"n": 1}',
    ),
    'a command': body(
      'import subprocess\nreturn {"n": int(subprocess.run(["python3", "-c", "print(1)"], capture_output=True).stdout)}',
    ),
    'an unhashable module name': body('import types\nsys.modules["json"] = types.ModuleType("json")\nreturn {"n": 1}'),
    'a changed folder': body('os.chdir(os.environ["HOME"])\nos.umask(0o777)\nreturn {"n": 1}'),
    nothing: body('return None'),
    text: body('return "x"'),
    'a number': body('return 0.5'),
    'an empty list': body('return []'),
    'half of a character': body('return {"n": "\\ud800"}'),
  },
  program_error: {
    'an exception': body('raise ValueError("no")'),
    'an exception at load': 'raise ValueError("no")\ndef construct(instance): pass\n',
    'an interrupt': body('raise KeyboardInterrupt'),
    'an exception of no known base': `class Odd(BaseException): pass\n${body('raise Odd')}`,
    'an exception that cannot be shown': `class Odd(Exception):\n    def __str__(self): raise ValueError\n${body('raise Odd')}`,
    'exit with 1': body('sys.exit(1)'),
    'exit with 255': body('sys.exit(255)'),
    'exit with 256': body('sys.exit(256)'),
    'exit with -1': body('sys.exit(-1)'),
    'exit with text': body('sys.exit("text")'),
    'exit with True': body('sys.exit(True)'),
    'exit at once with 3': body('os._exit(3)'),
    'exit with 137, as a kill has it': body('os._exit(137)'),
    'exit with 130, as an interrupt has it': body('sys.exit(130)'),
    'a timer signal': body('signal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(100)'),
    'an import that is not there': body('import nothing_of_this_name'),
    'a syntax error at run time': body('exec("(")'),
    'too many open files': body('held = [os.open("/dev/null", 0) for _ in range(1000)]\nreturn {"n": 1}'),
    'a file beyond its limit': body(
      'with open(os.environ["HOME"] + "/a", "wb") as file:\n    for _ in range(80): file.write(bytes(1 << 20))\nreturn {"n": 1}',
    ),
    'a network connection': body('import socket\nsocket.create_connection(("127.0.0.1", 9))'),
    'a write to the root': body('open("/evil", "w")'),
    'an abort': body('os.abort()'),
    'a segmentation fault': body('import ctypes\nctypes.string_at(0)'),
    'a kill of itself': body('os.kill(os.getpid(), signal.SIGKILL)'),
    'a terminate of itself': body('os.kill(os.getpid(), signal.SIGTERM)'),
    'a kill by a child': body(
      'if os.fork() == 0:\n    os.kill(os.getppid(), signal.SIGKILL)\n    os._exit(0)\ntime.sleep(100)',
    ),
    'a whole frame and an exit with 3': framed('frame(b"S")\nos._exit(3)'),
    'a whole frame and a segmentation fault': framed('frame(b"S")\nimport ctypes\nctypes.string_at(0)'),
    'a whole frame and an exception': framed('frame(b"S")\nraise ValueError("late")'),
    'a whole frame and a kill by a child': framed(
      'frame(b"S")\nif os.fork() == 0:\n    os.kill(os.getppid(), signal.SIGKILL)\n    os._exit(0)\ntime.sleep(100)',
    ),
    'a frame that says done, and an exit with 3': framed('frame(b"S")\nframe(b"D", b"")\ntime.sleep(0.2)\nos._exit(3)'),
    'a frame that says done, and a segmentation fault': framed(
      'frame(b"S")\nframe(b"D", b"")\ntime.sleep(0.2)\nos.kill(os.getpid(), signal.SIGSEGV)',
    ),
    'an end of the runner by a thread': body(
      'threading.Thread(target=lambda: (time.sleep(0.1), os._exit(9))).start()\ntime.sleep(100)',
    ),
    'an endless recursion': body('def deep(): return deep()\nreturn deep()'),
  },
  invalid_output: {
    'exit with 0': body('sys.exit(0)'),
    'exit with nothing': body('sys.exit()'),
    'exit at once with 0': body('os._exit(0)'),
    'a number that is not finite': body('return {"n": float("nan")}'),
    'an infinite number': body('return [float("inf")]'),
    'a whole number of 5000 digits': body('return {"n": 10**5000}'),
    'an object': body('return object()'),
    'a set': body('return {1, 2}'),
    bytes: body('return b"x"'),
    'keys that are no text': body('return {1: 2}'),
    'nine levels': body('return [[[[[[[[[[1]]]]]]]]]]'),
    'five levels': body('return [[[[[1]]]]]'),
    'a list that holds itself': body('held = []\nheld.append(held)\nreturn held'),
    'its own frame and an answer': framed('frame(b"S")\nreturn {"n": 1}'),
    'two frames of its own': framed('frame(b"S")\nframe(b"S")\nos._exit(0)'),
    'half a frame': framed('os.write(out(), b"S\\x00\\x00\\x00\\x08{")\nos._exit(0)'),
    'a frame of another kind': framed('frame(b"?")\nreturn {"n": 1}'),
    'a second greeting': framed('frame(b"R", b"")\nreturn {"n": 1}'),
    'a frame that is no JSON': framed('frame(b"S", b"{")\nos._exit(0)'),
    'the output of the runner closed': framed('os.close(out())\nos._exit(0)'),
    'bytes before the frame': framed('os.write(out(), b"\\x00\\x00\\x00")\nos._exit(0)'),
    'a frame and text behind it': framed('frame(b"S")\nos.write(out(), b"text")\nos._exit(0)'),
  },
  output_limit: {
    'an answer beyond the limit': body('return {"n": "x" * (5 << 20)}'),
    'a frame that announces 4 GB': framed('os.write(out(), b"S\\xff\\xff\\xff\\xff")\ntime.sleep(100)'),
    'text without end': body('while True:\n    os.write(2, b"x" * 65536)'),
    'greetings without end': framed('while True:\n    frame(b"R", b"x" * 65536)'),
    'small greetings without end': framed(
      'data = (b"R" + bytes(4)) * 10000\nfd = out()\nwhile True:\n    os.write(fd, data)',
    ),
  },
  memory: {
    'memory without end': body(
      'held = []\nwhile True:\n    held.append(bytearray(1 << 22))\n    held[-1][::4096] = b"x" * 1024',
    ),
    'a text of four gigabytes': body('return "x" * (4 << 30)'),
  },
  timeout_cpu: {
    'an endless loop': body('while True:\n    pass'),
    'exit with 152, as a CPU limit has it': body('os._exit(152)'),
    'a CPU signal to itself': body('os.kill(os.getpid(), signal.SIGXCPU)'),
    'an endless loop after a frame': framed('frame(b"S")\nwhile True:\n    pass'),
    'four children that are waited for': body(FOUR_CHILDREN('for _ in range(4): os.wait()\nreturn {"n": 1}')),
    'four children that nobody waits for': body(
      `signal.signal(signal.SIGCHLD, signal.SIG_IGN)${FOUR_CHILDREN('try:\n    os.wait()\nexcept ChildProcessError:\n    pass\nreturn {"n": 1}')}`,
    ),
    'many short children that nobody waits for': body(
      'signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nfor _ in range(50):\n    if os.fork() == 0:\n        while time.process_time() < 0.03:\n            pass\n        os._exit(0)\n    time.sleep(0.01)\ntime.sleep(0.5)\nreturn {"n": 1}',
    ),
    'a daemon that computes': body(
      'child = os.fork()\nif child == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True: pass\n    os._exit(0)\nos.waitpid(child, 0)\ntime.sleep(100)\nreturn {"n": 1}',
    ),
    'threads that compute': body(
      'def work():\n    while True: pass\nfor _ in range(4): threading.Thread(target=work).start()\ntime.sleep(100)',
    ),
    'a limit signal that is caught': body('signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass'),
  },
  timeout_wall: {
    sleep: body('time.sleep(1000)'),
    'exit with 124, as a time-out has it': body('os._exit(124)'),
    'sleep after a frame': framed('frame(b"S")\ntime.sleep(1000)'),
    'a stop of itself': body('os.kill(os.getpid(), signal.SIGSTOP)'),
  },
};

const SOLUTIONS: { readonly [name: string]: unknown } = {
  'a huge whole number': { n: String(10n ** 30n) },
  nothing: null,
  text: 'x',
  'a number': 0.5,
  'an empty list': [],
  'half of a character': { n: '\ud800' },
};

/** However busy the machine is, no program but those that sleep may meet the wall clock. */
const patient: TaskLimits = { ...quickLimits, wallSeconds: 40 };
const LIMITS: { readonly [kind in ExecutionKind]?: TaskLimits } = {
  timeout_cpu: { ...patient, cpuSeconds: 0.3 },
  timeout_wall: { ...quickLimits, wallSeconds: 1 },
};

export const ODD_PROGRAMS: readonly OddProgram[] = Object.entries(programs).flatMap(([kind, named]) =>
  Object.entries(named).map(([name, code]) => ({
    name,
    code,
    kind: kind as ExecutionKind,
    limits: LIMITS[kind as ExecutionKind] ?? patient,
    ...(kind === 'ok' ? { solution: name in SOLUTIONS ? SOLUTIONS[name] : { n: 1 } } : {}),
  })),
);

/** A run is repeated, since any one may meet bad luck. */
const ATTEMPTS = 3;

const attempt = async (sandbox: Sandbox, { code, limits, kind, solution }: OddProgram): Promise<string | null> => {
  const { stderrTail, ...got } = await sandbox.run(job(code, { limits }), never());
  // No program looks as if somebody else had ended it: that would be run again.
  const same = got.kind === kind && !got.killed && JSON.stringify(got.solution) === JSON.stringify(solution);
  return same ? null : `expected ${kind}, got ${JSON.stringify(got)} ${stderrTail.slice(-300)}`;
};

/** The programs whose outcome was another one, with what they did; closes the sandbox. */
export const faultsOf = async (sandbox: Sandbox, programs: readonly OddProgram[]): Promise<readonly string[]> => {
  const faults: string[] = [];
  const left = [...programs];
  const work = async (): Promise<void> => {
    for (let program = left.shift(); program !== undefined; program = left.shift()) {
      let fault: string | null = '';
      for (let count = 0; fault !== null && count < ATTEMPTS; count += 1) fault = await attempt(sandbox, program);
      if (fault !== null) faults.push(`${program.name}: ${fault}`);
    }
  };
  await Promise.all([work(), work()]);
  await sandbox.close();
  return faults;
};

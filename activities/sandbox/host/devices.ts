// The GPUs of a host, lent to one program at a time. A device that may be at fault is looked at before the next program
// gets it, because a fault of the device would otherwise count against every program that comes after.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfinedSpec, Launcher, Log } from '../contract/confined.ts';
import { steadyNow } from '../contract/fair-clock.ts';
import { type Execution, InfrastructureError } from '../contract/types.ts';

/** Locks that hold over all processes of the machine; one that a killed process held can be taken. */
export type DeviceLocks = { take(device: string): boolean; give(device: string): void };

/** `told` is what the program said of a failure where its output does not hold it. */
type Ran = { readonly execution: Execution; readonly told: string };

export type Devices = {
  /**
   * Runs `work` with so many devices to itself. Throws InfrastructureError where a device is at fault, so that the
   * program is run again.
   */
  use(count: number, signal: AbortSignal, work: (ids: readonly string[]) => Promise<Ran>): Promise<Execution>;
  /** Looks at all that nobody uses, and resolves to those that may be lent. Throws where there is none. */
  check(): Promise<readonly string[]>;
};

/** A program, or what it calls, may end with this code to say that the device has failed. */
const FAULT_EXIT = 99;
/** What CUDA and the driver say. A program that only pretends costs a look at the device and gains nothing. */
const FAULT_TEXT =
  /\bXid\b|\bCUDA_ERROR_\w+|\bcudaError\w+|\bCUDA (?:driver |runtime )?(?:error|failure)|uncorrectable ECC|GPU (?:is lost|has fallen off)|CUDA-capable device/i;
/** A faulty device is looked at again after this time. */
const REST_MS = 60_000;
const WAIT_MS = 200;
const CHECK_MS = 120_000;
const MIB = 1024 * 1024;

export const saysDeviceFault = ({ execution: { kind, exitCode, stderrTail }, told }: Ran): boolean =>
  exitCode === FAULT_EXIT || (kind !== 'ok' && FAULT_TEXT.test(stderrTail)) || FAULT_TEXT.test(told);

/** A program that ended by itself has left the device. One that was killed may have left a kernel that still runs. */
const endedByItself = ({ kind }: Execution): boolean =>
  kind === 'ok' || kind === 'program_error' || kind === 'invalid_output';

export const createDevices = ({
  ids,
  locks,
  problemOf,
  log,
  restMs = REST_MS,
}: {
  readonly ids: readonly string[];
  readonly locks: DeviceLocks;
  /** Null where the device works. */
  readonly problemOf: (device: string) => Promise<string | null>;
  readonly log: Log;
  readonly restMs?: number;
}): Devices => {
  /** Devices that were looked at, or whose last program gave no cause to. */
  const sound = new Set<string>();
  const faulty = new Map<string, { readonly untilMs: number; readonly problem: string }>();
  let before: Promise<unknown> = Promise.resolve();

  /** Null where the device works. The caller holds its lock. */
  const look = async (id: string): Promise<string | null> => {
    const problem = await problemOf(id).catch((error: unknown) => (error as Error).message);
    if (problem === null) {
      sound.add(id);
      if (faulty.delete(id)) log(`GPU ${id} works again`);
      return null;
    }
    sound.delete(id);
    faulty.set(id, { untilMs: performance.now() + restMs, problem });
    log(`GPU ${id} is not used for ${restMs / 1000} s: ${problem}`);
    return problem;
  };
  const rests = (id: string): boolean => (faulty.get(id)?.untilMs ?? 0) > performance.now();

  /** All that are wanted, or none. */
  const taken = (count: number): readonly string[] => {
    const mine: string[] = [];
    for (const id of ids) if (mine.length < count && !rests(id) && locks.take(id)) mine.push(id);
    if (mine.length === count) return mine;
    for (const id of mine) locks.give(id);
    return [];
  };
  const take = async (count: number, signal: AbortSignal): Promise<readonly string[]> => {
    for (;;) {
      signal.throwIfAborted();
      if (ids.filter((id) => !rests(id)).length < count)
        throw new InfrastructureError(
          `expected ${count} GPUs of this host, got ${ids.length} of which some do not work: ${[...faulty].map(([id, { problem }]) => `GPU ${id}: ${problem}`).join('; ')}. ` +
            'Look at the log of the kernel (dmesg) for lines with Xid; `nvidia-smi --gpu-reset` or a restart of the machine may help; programs wait meanwhile',
        );
      const mine = taken(count);
      const unknown = mine.filter((id) => !sound.has(id));
      const problems = await Promise.all(unknown.map(look));
      if (mine.length > 0 && problems.every((problem) => problem === null)) return mine;
      for (const id of mine) locks.give(id);
      if (mine.length === 0) await sleep(WAIT_MS, undefined, { signal });
    }
  };
  /** One after the other, so that a program that needs many devices is not overtaken for ever. */
  const inTurn = (count: number, signal: AbortSignal): Promise<readonly string[]> => {
    const mine = before.then(() => take(count, signal));
    before = mine.catch(() => undefined);
    return mine;
  };

  return {
    async use(count, signal, work) {
      const mine = await inTurn(count, signal);
      for (const id of mine) sound.delete(id);
      try {
        const ran = await work(mine);
        if (!saysDeviceFault(ran)) {
          if (endedByItself(ran.execution)) for (const id of mine) sound.add(id);
          return ran.execution;
        }
        const problems = (await Promise.all(mine.map(look))).filter((problem) => problem !== null);
        if (problems.length === 0) return ran.execution;
        throw new InfrastructureError(
          `GPU ${mine.join(', ')} failed while a program ran, which is run again: ${problems.join('; ')}`,
        );
      } finally {
        for (const id of mine) locks.give(id);
      }
    },
    async check() {
      for (const id of ids)
        if (locks.take(id))
          try {
            await look(id);
          } finally {
            locks.give(id);
          }
      const [first] = faulty.values();
      if (faulty.size === ids.length && first !== undefined)
        throw new InfrastructureError(
          `--gpus (EVOLVE_EVAL_GPUS): expected ${ids.length} that containers get from this Docker engine, got none: ${first.problem}. ` +
            'NVIDIA Container Toolkit gives containers GPUs (`docker run --rm --gpus all ubuntu nvidia-smi` tries it)',
        );
      return ids.filter((id) => !faulty.has(id));
    },
  };
};

/** Reserves memory on the device, writes it and reads it back. The driver's library comes with the device. */
const CHECK = `
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
def must(name, *args):
    code = getattr(cuda, name)(*args)
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(code, ctypes.byref(text))
        raise SystemExit(f"{name}: {(text.value or b'').decode() or code}")
size = 1 << 20
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
must("cuInit", 0)
must("cuDeviceGet", ctypes.byref(device), 0)
must("cuCtxCreate_v2", ctypes.byref(context), 0, device)
must("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
must("cuMemsetD8_v2", memory, ctypes.c_ubyte(165), ctypes.c_size_t(size))
back = ctypes.create_string_buffer(size)
must("cuMemcpyDtoH_v2", back, memory, ctypes.c_size_t(size))
must("cuCtxSynchronize")
if back.raw != bytes([165]) * size:
    raise SystemExit("its memory gave back other bytes than were written")
`;

/** Looks at a device from inside a container, as a program would see it. Null where it works. */
export const deviceProblem =
  (launcher: Pick<Launcher, 'launch'>, checkMs = CHECK_MS) =>
  async (device: string): Promise<string | null> => {
    let said = '';
    const collect = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-1_000);
    };
    const spec: ConfinedSpec = {
      ...{ source: CHECK, args: [], run: 'gpu', activity: 'check', devices: [device] },
      limits: { cpuSeconds: 60, memoryBytes: 1024 * MIB, pids: 64 },
      deadline: new Date(steadyNow().getTime() + 2 * checkMs),
      onStdout: collect,
      onStderr: collect,
    };
    const confined = await launcher.launch(spec);
    try {
      const ending = await Promise.race([confined.ended, sleep(checkMs, null, { ref: false })]);
      if (ending === null) return `it gave no answer within ${checkMs / 1000} s`;
      if (ending.lost === null && ending.exitCode === 0) return null;
      return (
        ending.lost ?? (said.trim().split('\n').at(-1) || `the look at it ended with exit code ${ending.exitCode}`)
      );
    } finally {
      await confined.remove();
    }
  };

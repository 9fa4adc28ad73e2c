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

/** A program, or what it calls, may end with this code to say that the device has failed. */
const FAULT_EXIT = 99;
/** Words of CUDA and the driver. A program that only pretends costs a look at the device and gains nothing. */
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

type Options = {
  readonly ids: readonly string[];
  readonly locks: DeviceLocks;
  /** Null where the device works. */
  readonly problemOf: (device: string) => Promise<string | null>;
  readonly log: Log;
  readonly restMs?: number;
};

export class Devices {
  readonly #ids: readonly string[];
  readonly #locks: DeviceLocks;
  readonly #problemOf: Options['problemOf'];
  readonly #log: Log;
  readonly #restMs: number;
  /** Devices that were looked at, or whose last program gave no cause to. */
  readonly #sound = new Set<string>();
  readonly #faulty = new Map<string, { readonly untilMs: number; readonly problem: string }>();
  #before: Promise<unknown> = Promise.resolve();

  constructor({ ids, locks, problemOf, log, restMs = REST_MS }: Options) {
    this.#ids = ids;
    this.#locks = locks;
    this.#problemOf = problemOf;
    this.#log = log;
    this.#restMs = restMs;
  }

  /**
   * Runs `work` with so many devices to itself. Throws InfrastructureError where a device is at fault, so that the
   * program is run again.
   */
  readonly use = async (
    count: number,
    signal: AbortSignal,
    work: (ids: readonly string[]) => Promise<Ran>,
  ): Promise<Execution> => {
    const mine = await this.#inTurn(count, signal);
    for (const id of mine) this.#sound.delete(id);
    try {
      const ran = await work(mine);
      if (!saysDeviceFault(ran)) {
        if (endedByItself(ran.execution)) for (const id of mine) this.#sound.add(id);
        return ran.execution;
      }
      const problems = (await Promise.all(mine.map((id) => this.#look(id)))).filter((problem) => problem !== null);
      if (problems.length === 0) return ran.execution;
      throw new InfrastructureError(
        `GPU ${mine.join(', ')} failed while a program ran, which is run again: ${problems.join('; ')}`,
      );
    } finally {
      for (const id of mine) this.#locks.give(id);
    }
  };

  /** Looks at all that nobody uses, and resolves to those that may be lent. Throws where there is none. */
  readonly check = async (): Promise<readonly string[]> => {
    for (const id of this.#ids)
      if (this.#locks.take(id))
        try {
          await this.#look(id);
        } finally {
          this.#locks.give(id);
        }
    const [first] = this.#faulty.values();
    if (this.#faulty.size === this.#ids.length && first !== undefined)
      throw new InfrastructureError(
        `--gpus (EVOLVE_EVAL_GPUS): expected ${this.#ids.length} that containers get from this Docker engine, got none: ${first.problem}. ` +
          'NVIDIA Container Toolkit gives containers GPUs (`docker run --rm --gpus all ubuntu nvidia-smi` tries it)',
      );
    return this.#ids.filter((id) => !this.#faulty.has(id));
  };

  /** Null where the device works. The caller holds its lock. */
  async #look(id: string): Promise<string | null> {
    const problem = await this.#problemOf(id).catch((error: unknown) => (error as Error).message);
    if (problem === null) {
      this.#sound.add(id);
      if (this.#faulty.delete(id)) this.#log(`GPU ${id} works again`);
      return null;
    }
    this.#sound.delete(id);
    this.#faulty.set(id, { untilMs: performance.now() + this.#restMs, problem });
    this.#log(`GPU ${id} is not used for ${this.#restMs / 1000} s: ${problem}`);
    return problem;
  }

  #rests(id: string): boolean {
    return (this.#faulty.get(id)?.untilMs ?? 0) > performance.now();
  }

  /** All that are wanted, or none. */
  #taken(count: number): readonly string[] {
    const mine: string[] = [];
    for (const id of this.#ids) if (mine.length < count && !this.#rests(id) && this.#locks.take(id)) mine.push(id);
    if (mine.length === count) return mine;
    for (const id of mine) this.#locks.give(id);
    return [];
  }

  async #take(count: number, signal: AbortSignal): Promise<readonly string[]> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#ids.filter((id) => !this.#rests(id)).length < count)
        throw new InfrastructureError(
          `expected ${count} GPUs of this host, got ${this.#ids.length} of which some do not work: ${[...this.#faulty].map(([id, { problem }]) => `GPU ${id}: ${problem}`).join('; ')}. ` +
            'Look at the log of the kernel (dmesg) for lines with Xid; `nvidia-smi --gpu-reset` or a restart of the machine may help; programs wait meanwhile',
        );
      const mine = this.#taken(count);
      const unknown = mine.filter((id) => !this.#sound.has(id));
      const problems = await Promise.all(unknown.map((id) => this.#look(id)));
      if (mine.length > 0 && problems.every((problem) => problem === null)) return mine;
      for (const id of mine) this.#locks.give(id);
      if (mine.length === 0) await sleep(WAIT_MS, undefined, { signal });
    }
  }

  /** One after the other, so that a program that needs many devices is not overtaken for ever. */
  #inTurn(count: number, signal: AbortSignal): Promise<readonly string[]> {
    const mine = this.#before.then(() => this.#take(count, signal));
    this.#before = mine.catch(() => undefined);
    return mine;
  }
}

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

// One warm container of the fast level, and the frames between its trusted parent and this process. It runs one
// candidate at a time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Confined, ConfinedLimits, ConfinedSpec, Ending, Launcher, ResourceUse } from '../contract/confined.ts';
import { createFrameReader, encodeFrame, type Frame } from '../contract/frames.ts';
import { InfrastructureError } from '../contract/types.ts';

const SOURCE = ['fast-stream.py', 'fast-places.py', 'fast-child.py', 'fast.py']
  .map((name) => readFileSync(join(import.meta.dirname, '..', 'guest', name), 'utf8'))
  .join('\n\n');
const MIB = 1024 * 1024;
/** Caps a frame of the parent, which holds at most 64 KiB of output at a time. */
const MAX_FRAME_BYTES = MIB;
const BOOT_MS = 180_000;
/**
 * Within this time a killed candidate has to be gone, and a container clean after a candidate. Otherwise the whole
 * container is killed.
 */
const OBEY_MS = 30_000;
const TAIL_CHARS = 1_000;
/**
 * Memory beyond what a candidate may use, for the parent's pages that are charged but not shared, and for its two
 * processes.
 */
const PARENT_BYTES = 16 * MIB;
const PARENT_PIDS = 8;

/** Of the candidate's processes, and of the parent meanwhile; `counted` is false where only the reaped are known. */
const usedSchema = z.strictObject({ cpuMs: z.number(), ownMs: z.number(), counted: z.boolean() });
type Used = z.infer<typeof usedSchema>;
const exitSchema = z.strictObject({
  ...usedSchema.shape,
  status: z.int(),
  peakBytes: z.int(),
  oomKills: z.int(),
});
type Exit = z.infer<typeof exitSchema>;

/** How one candidate ended, and what it used. */
type CandidateEnd = { readonly ending: Ending; readonly use: ResourceUse };
export type Candidate = {
  send(bytes: Buffer): void;
  closeInput(): void;
  kill(): void;
  markUse(): void;
  use(): ResourceUse;
  awake(): boolean | null;
  readonly ended: Promise<CandidateEnd>;
};

export type WarmContainer = {
  /** Forks a candidate under this uid, which must be higher than all before it. */
  launch(spec: ConfinedSpec, uid: number): Candidate;
  /**
   * `cleaning` is the state between a candidate's end and `clean`, which is ready for the next one. `dirty` is out of
   * order and to be thrown away. `dead` is gone.
   */
  readonly state: () => 'starting' | 'clean' | 'busy' | 'cleaning' | 'dirty' | 'dead';
  onChange: () => void;
  remove(): Promise<void>;
};

type Current = {
  readonly spec: ConfinedSpec;
  readonly resolve: (end: CandidateEnd) => void;
  marks: number;
  /** What it had used when the parent last said so. */
  used: Used | null;
  ended: boolean;
  killed: boolean;
};

/** The orders are launch, input, end of input and kill. */
type Order = 'L' | 'I' | 'E' | 'K';

/**
 * The container as a whole may use what one candidate may, and what the parent needs. So the memory cgroup still ends a
 * program that forks and allocates.
 */
const containerLimits = ({ memoryBytes, pids, cores = 1 }: ConfinedLimits): ConfinedLimits => ({
  cpuSeconds: null,
  memoryBytes: memoryBytes + PARENT_BYTES,
  pids: pids + PARENT_PIDS,
  cores,
});

/**
 * CPU of the container without the parent's part, as this process reads it or, where it cannot, as the parent does.
 * Children for which nobody waits are in it. Null where neither can read it.
 */
const used = (exit: Exit, container: ResourceUse, marks: number): ResourceUse => {
  const others = container.cpuMs === null ? null : Math.max(0, container.cpuMs - exit.ownMs);
  const inside = exit.counted ? exit.cpuMs : null;
  const cpuMs = others === null ? inside : marks === 1 ? Math.max(exit.cpuMs, others) : others;
  return { cpuMs: cpuMs === null ? null : Math.round(cpuMs), peakBytes: container.peakBytes ?? exit.peakBytes };
};

/** The same while it runs. The parent's part is known as of its last word, some hundredths of a second ago. */
const usedSoFar = (said: Used | null, { cpuMs, peakBytes }: ResourceUse): ResourceUse => {
  const seen = cpuMs === null ? null : Math.max(0, Math.round(cpuMs - (said?.ownMs ?? 0)));
  return { cpuMs: seen ?? (said?.counted ? Math.round(said.cpuMs) : null), peakBytes };
};

export const startWarmContainer = async (options: {
  readonly launcher: Launcher;
  readonly limits: ConfinedLimits;
  readonly modules: readonly string[];
  readonly deadline: Date | null;
}): Promise<WarmContainer> => {
  let state: ReturnType<WarmContainer['state']> = 'starting';
  let current: Current | undefined;
  let said = '';
  let broken: string | null = null;
  let killedWhole = false;
  const { promise: hello, resolve: setHello } = Promise.withResolvers<void>();
  const { launcher, limits, modules, deadline } = options;

  const change = (next: typeof state): void => {
    if (state === 'dead') return;
    state = next;
    warm.onChange();
  };
  const breakOff = (why: string): void => {
    broken ??= why;
    if (state !== 'dead') void confined.kill();
  };
  const killWhole = (): void => {
    killedWhole = true;
    void confined.kill();
  };
  const finish = (end: CandidateEnd): void => {
    if (!current || current.ended) return;
    current.ended = true;
    current.resolve(end);
  };
  const onExit = (payload: Buffer): void => {
    const exit = exitSchema.parse(JSON.parse(payload.toString('utf8')));
    if (!current || current.ended) throw new Error('an end without a candidate');
    const oom = exit.oomKills > 0;
    finish({ ending: { exitCode: exit.status, oom, lost: null }, use: used(exit, confined.use(), current.marks) });
    if (oom) return change('dirty');
    change('cleaning');
    // The parent ends itself when anything is left. This is for a parent that hangs.
    const cleaned = current;
    setTimeout(() => {
      if (current === cleaned) breakOff('it was not clean in time after a candidate');
    }, OBEY_MS).unref();
  };
  const onFrame = ({ kind, payload }: Frame): void => {
    try {
      if (kind === 'O' && current && !current.ended) current.spec.onStdout(payload);
      else if (kind === 'X' && current && !current.ended) current.spec.onStderr(payload);
      else if (kind === 'U' && current && !current.ended)
        current.used = usedSchema.parse(JSON.parse(payload.toString('utf8')));
      else if (kind === 'Q') onExit(payload);
      else if (kind === 'W' && current?.ended) {
        current = undefined;
        if (state === 'cleaning') change('clean');
      } else if (kind === 'H' && state === 'starting') setHello();
      else throw new Error(`a frame of kind ${JSON.stringify(kind)} out of turn`);
    } catch (error) {
      breakOff(`it broke the protocol: ${(error as Error).message}`);
    }
  };

  const confined: Confined = await launcher.launch({
    source: SOURCE,
    args: modules,
    limits: containerLimits(limits),
    forkserver: true,
    run: 'fast',
    activity: 'candidates',
    deadline,
    onStdout: createFrameReader({
      maxPayloadBytes: MAX_FRAME_BYTES,
      onFrame,
      onOversize: () => breakOff('it broke the protocol: a frame is too large'),
    }).add,
    onStderr: (chunk) => {
      said = (said + chunk.toString('utf8')).slice(-TAIL_CHARS);
    },
  });
  const lostBy = ({ lost, exitCode }: Ending): string =>
    broken ?? lost ?? `its parent ended with exit code ${exitCode}: ${said.trim().slice(-300)}`;
  void confined.ended.then((ending) => {
    // The kernel may choose the parent when the container is out of memory, which is the candidate's doing. So is a
    // kill to which nothing answered.
    if (broken === null && ending.lost === null && (ending.oom || killedWhole))
      finish({ ending: { exitCode: 137, oom: ending.oom, lost: null }, use: confined.use() });
    else
      finish({
        ending: { exitCode: null, oom: false, lost: `the fast container was lost: ${lostBy(ending)}` },
        use: { cpuMs: null, peakBytes: null },
      });
    change('dead');
  });

  const launch = (spec: ConfinedSpec, uid: number): Candidate => {
    if (state !== 'clean') throw new InfrastructureError(`a fast container was used while it was ${state}`);
    state = 'busy';
    const { promise: ended, resolve } = Promise.withResolvers<CandidateEnd>();
    const mine: Current = { spec, resolve, marks: 0, used: null, ended: false, killed: false };
    current = mine;
    const tell = (kind: Order, ...payload: readonly Buffer[]): void => {
      if (!mine.ended) confined.send(encodeFrame(kind, ...payload));
    };
    let end: CandidateEnd | undefined;
    void ended.then((one) => {
      end = one;
    });
    tell(
      'L',
      Buffer.from(
        JSON.stringify({
          uid,
          source: spec.source,
          args: spec.args,
          memory: spec.limits.memoryBytes,
          pids: spec.limits.pids,
          cpu: spec.limits.cpuSeconds === null ? null : Math.ceil(spec.limits.cpuSeconds),
        }),
      ),
    );
    return {
      send: (bytes) => tell('I', bytes),
      closeInput: () => tell('E'),
      kill: () => {
        if (mine.ended || mine.killed) return;
        mine.killed = true;
        tell('K');
        setTimeout(() => {
          if (!mine.ended) killWhole();
        }, OBEY_MS).unref();
      },
      markUse: () => {
        mine.marks += 1;
        confined.markUse();
      },
      awake: () => confined.awake?.() ?? null,
      use: () => end?.use ?? usedSoFar(mine.used, confined.use()),
      ended,
    };
  };

  const warm: WarmContainer = { launch, state: () => state, onChange: () => undefined, remove: confined.remove };
  const outcome = await Promise.race([
    hello.then(() => 'ready' as const),
    confined.ended.then(lostBy),
    sleep(BOOT_MS, `it was not ready after ${BOOT_MS / 1000} s`, { ref: false }),
  ]);
  if (outcome !== 'ready') {
    await confined.remove();
    throw new InfrastructureError(`a fast container did not boot: ${outcome}`);
  }
  state = 'clean';
  return warm;
};

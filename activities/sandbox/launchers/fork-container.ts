// One warm container of the level `fork`, and the frames between its trusted parent and this process. It runs one
// candidate at a time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confined, ConfinedLimits, ConfinedSpec, Ending, Launcher } from '../contract/confined.ts';
import { createFrameReader, type Frame } from '../contract/frames.ts';
import { InfrastructureError } from '../contract/types.ts';
import { Candidate, type Exit, exitSchema, type Later, later, usedSchema } from './fork-candidate.ts';
import { seccompFilter } from './seccomp.ts';

const SOURCE = ['fork-stream.py', 'fork-counters.py', 'fork-spaces.py', 'fork-child.py', 'fork.py']
  .map((name) => readFileSync(join(import.meta.dirname, '..', 'guest', name), 'utf8'))
  .join('\n\n');
/** The system calls of a candidate, as the parent lays them on each. */
const FILTER = seccompFilter().toString('hex');
const MIB = 1024 * 1024;
/** Caps a frame of the parent, which holds at most 64 KiB of output at a time. */
const MAX_FRAME_BYTES = MIB;
/** The parent's exit code where it is given no namespaces (guest/fork-stream.py). */
const NO_NAMESPACES = 71;
const BOOT_MS = 180_000;
const TAIL_CHARS = 1_000;
/**
 * Memory beyond what a candidate may use: for the parent's own pages, and for the imports that a candidate has of it
 * and may not use (numpy has 12 MB, scipy.optimize 23 MB).
 */
const PARENT_BYTES = 16 * MIB;
const IMPORT_BYTES = 24 * MIB;
const PARENT_PIDS = 8;

/**
 * The container as a whole may use what one candidate may, and what the parent needs. So the memory cgroup still ends a
 * program that forks and allocates.
 */
const containerLimits = (
  { memoryBytes, pids, cores = 1 }: ConfinedLimits,
  modules: readonly string[],
): ConfinedLimits => ({
  cpuSeconds: null,
  memoryBytes: memoryBytes + PARENT_BYTES + modules.length * IMPORT_BYTES,
  pids: pids + PARENT_PIDS,
  cores,
});

/** The kernel or the engine refuses namespaces inside a container; the message says which and why. */
export class NoNamespacesError extends Error {}

type Options = {
  readonly launcher: Launcher;
  readonly limits: ConfinedLimits;
  readonly modules: readonly string[];
  readonly deadline: Date | null;
  readonly clock?: Later;
};

/** `clean` is ready for the next candidate, `dead` is gone or must go. */
type State = 'starting' | 'clean' | 'busy' | 'dead';

export class WarmContainer {
  onChange: () => void = () => undefined;
  /** What the last candidate left, for which the container must go. */
  left: string | null = null;
  readonly #clock: Later;
  readonly #hello = Promise.withResolvers<void>();
  #confined!: Confined;
  #state: State = 'starting';
  #current: Candidate | undefined;
  /** The runner that its parent was told last. */
  #source: string | undefined;
  /** The last words of the parent. */
  #stderr = '';
  #exitCode: number | null = null;
  #broken: string | null = null;
  #killedWhole = false;
  /** A candidate before ran out of memory, which the ending of the container says for all that come after it. */
  #hadOom = false;

  private constructor(clock: Later) {
    this.#clock = clock;
  }

  /** Resolves when the container is ready. Throws InfrastructureError. */
  static async start({ launcher, limits, modules, deadline, clock = later }: Options): Promise<WarmContainer> {
    const warm = new WarmContainer(clock);
    warm.#confined = await launcher.launch({
      source: SOURCE,
      args: [FILTER, ...modules],
      limits: containerLimits(limits, modules),
      forkserver: true,
      run: 'fork',
      activity: 'candidates',
      deadline,
      ...warm.#outputs(),
    });
    const { ended } = warm.#confined;
    void ended.then((ending) => {
      warm.#exitCode = ending.exitCode;
      warm.#onEnd(ending);
    });
    const outcome = await Promise.race([
      warm.#hello.promise.then(() => 'ready' as const),
      ended.then((ending) => warm.#lostBy(ending)),
      sleep(BOOT_MS, `it was not ready after ${BOOT_MS / 1000} s`, { ref: false }),
    ]);
    if (outcome !== 'ready') {
      await warm.remove();
      if (warm.#exitCode === NO_NAMESPACES) throw new NoNamespacesError(warm.#stderr.trim());
      throw new InfrastructureError(`a container of candidates did not boot: ${outcome}`);
    }
    warm.#state = 'clean';
    return warm;
  }

  get state(): State {
    return this.#state;
  }

  /** Forks a candidate under this uid, which must be higher than all before it. */
  launch(spec: ConfinedSpec, uid: number): Candidate {
    if (this.#state !== 'clean')
      throw new InfrastructureError(`a container of candidates was used while it was ${this.#state}`);
    this.#state = 'busy';
    this.#current = new Candidate(spec, this.#confined, this.#clock, () => {
      this.#killedWhole = true;
      void this.#confined.kill();
    });
    this.#current.launch(uid, spec.source !== this.#source);
    this.#source = spec.source;
    return this.#current;
  }

  remove(): Promise<void> {
    return this.#confined.remove();
  }

  #outputs(): Pick<ConfinedSpec, 'onStdout' | 'onStderr'> {
    const { add } = createFrameReader({
      maxPayloadBytes: MAX_FRAME_BYTES,
      onFrame: (frame) => this.#onFrame(frame),
      onOversize: () => this.#breakOff('it broke the protocol: a frame is too large'),
    });
    return {
      onStdout: add,
      onStderr: (chunk) => {
        this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-TAIL_CHARS);
      },
    };
  }

  #onFrame({ kind, payload }: Frame): void {
    const current = this.#current;
    const running = current !== undefined && !current.isOver ? current : null;
    try {
      if (kind === 'O' && running) running.spec.onStdout(payload);
      else if (kind === 'X' && running) running.spec.onStderr(payload);
      else if (kind === 'U' && running) running.reported = usedSchema.parse(parsed(payload));
      else if (kind === 'Q') this.#onExit(exitSchema.parse(parsed(payload)));
      else if (kind === 'H' && this.#state === 'starting') this.#hello.resolve();
      else throw new Error(`a frame of kind ${JSON.stringify(kind)} out of turn`);
    } catch (error) {
      this.#breakOff(`it broke the protocol: ${(error as Error).message}`);
    }
  }

  #onExit(exit: Exit): void {
    const ended = this.#current;
    if (ended === undefined || ended.isOver) throw new Error('an end without a candidate');
    ended.exit(exit);
    this.#hadOom ||= exit.oomKills > 0;
    this.left = exit.left;
    this.#change(exit.left === null ? 'clean' : 'dead');
  }

  /**
   * The kernel may choose the parent when the container is out of memory, which is the candidate's doing. So is a kill
   * to which nothing answered.
   */
  #onEnd(ending: Ending): void {
    const byCandidate =
      this.#broken === null && ending.lost === null && ((ending.oom && !this.#hadOom) || this.#killedWhole);
    this.#current?.finish(
      byCandidate
        ? {
            ending: { exitCode: 137, oom: ending.oom, lost: null },
            use: this.#confined.use(),
            unobeyed: this.#killedWhole,
          }
        : {
            ending: {
              exitCode: null,
              oom: false,
              lost: `the container of candidates was lost: ${this.#lostBy(ending)}`,
            },
            use: { cpuMs: null, peakBytes: null },
          },
    );
    this.#change('dead');
  }

  #lostBy({ lost, exitCode }: Ending): string {
    return this.#broken ?? lost ?? `its parent ended with exit code ${exitCode}: ${this.#stderr.trim().slice(-300)}`;
  }

  #breakOff(why: string): void {
    this.#broken ??= why;
    if (this.#state !== 'dead') void this.#confined.kill();
  }

  #change(next: State): void {
    if (this.#state === 'dead') return;
    this.#state = next;
    this.onChange();
  }
}

const parsed = (payload: Buffer): unknown => JSON.parse(payload.toString('utf8'));

// The launcher of the level `fork` (docs/security.md): a parent in a warm container, which runs no candidate itself, forks
// each into namespaces of its own. Where the kernel gives no namespaces, each candidate gets a container.
import type { IsolationLevel } from '../../../evolution/types.ts';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../contract/confined.ts';
import { InfrastructureError } from '../contract/types.ts';
import type { Candidate } from './fork-candidate.ts';
import { NoNamespacesError, WarmContainer } from './fork-container.ts';

type ForkLauncherOptions = {
  /** The launcher that starts the warm containers. */
  readonly docker: Launcher;
  /** `fork`, with the runtime of the containers where one was asked for. */
  readonly level?: IsolationLevel;
  readonly log: Log;
  /** Number of candidates after which a container is replaced. */
  readonly recycleAfter?: number | undefined;
  /** A container that nobody used for so long is removed. */
  readonly idleMs?: number | undefined;
};

const RECYCLE_AFTER = 1_000;
const IDLE_MS = 60_000;
/**
 * A container is given no candidate beyond this age. Its deadline for the reaper is later than that of its first
 * candidate by this time.
 */
const MAX_AGE_MS = 30 * 60_000;
/** In the user namespace of the parent, which maps them below 65536, so that a remapping of the engine covers them. */
const FIRST_UID = 1;
const LAST_UID = 39_999;

type Warm = {
  readonly key: string;
  /** What it imported for programs, beside what their task names. */
  readonly widest: readonly string[];
  readonly container: WarmContainer;
  readonly bornAt: number;
  /** The reaper may remove it from then on. */
  readonly deadline: Date | null;
  readonly firstUid: number;
  served: number;
  usedAt: number;
  leaving: boolean;
};

/** Containers for other limits or other imports of their tasks that are kept while they have no work. */
const MOST_OTHERS = 3;

const keyOf = ({ limits, preload = [] }: ConfinedSpec): string =>
  JSON.stringify([limits.memoryBytes, limits.pids, limits.cores ?? 1, preload]);

class ForkLauncher implements Launcher {
  readonly #level: IsolationLevel;
  readonly #docker: Launcher;
  readonly #log: Log;
  readonly #recycleAfter: number;
  readonly #all = new Set<Warm>();
  readonly #removals = new Set<Promise<void>>();
  readonly #holders = new Map<string, () => void>();
  /** Names of programs whose parent answered no kill the last time. */
  readonly #unobeyed = new Set<string>();
  readonly #ranges: number;
  readonly #sweep: NodeJS.Timeout;
  #range: number;
  #widest: readonly string[] = [];
  #closed = false;
  /** There are no namespaces to fork into. */
  #alone = false;

  constructor({ docker, level = 'fork', log, recycleAfter = RECYCLE_AFTER, idleMs = IDLE_MS }: ForkLauncherOptions) {
    this.#level = level;
    this.#docker = docker;
    this.#log = log;
    this.#recycleAfter = recycleAfter;
    this.#ranges = Math.floor((LAST_UID - FIRST_UID) / (recycleAfter + 1));
    this.#range = Math.floor(Math.random() * this.#ranges);
    this.#sweep = setInterval(
      () => {
        for (const warm of this.#all)
          if (warm.container.state === 'clean' && (this.#spent(warm) || performance.now() - warm.usedAt > idleMs))
            this.#retire(warm);
      },
      Math.min(idleMs, 10_000),
    );
    this.#sweep.unref();
  }

  get level(): IsolationLevel {
    return this.#alone ? this.#docker.level : this.#level;
  }

  get imageId(): string {
    return this.#docker.imageId;
  }

  readonly launch = async (spec: ConfinedSpec): Promise<Confined> => {
    if (this.#alone) return this.#docker.launch(spec);
    try {
      return await this.#forked(spec);
    } catch (error) {
      if (!(error instanceof NoNamespacesError)) throw error;
      const told = this.#alone;
      this.#alone = true;
      if (!told) this.#log(`sandbox: ${error.message}; each program gets a container of its own (${this.level})`);
      return this.#docker.launch(spec);
    }
  };

  readonly #forked = async (spec: ConfinedSpec): Promise<Confined> => {
    const imported = spec.args.filter((name) => !spec.preload?.includes(name));
    if (imported.length > this.#widest.length) this.#widest = imported;
    return this.#confine(await this.#obtain(spec));
  };

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const warm of this.#all) this.#retire(warm);
    await Promise.all(this.#removals);
    await this.#docker.close();
  };

  #retire(warm: Warm): void {
    if (warm.leaving) return;
    warm.leaving = true;
    this.#all.delete(warm);
    const removal = warm.container.remove().finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  #spent(warm: Warm): boolean {
    return (
      warm.served >= this.#recycleAfter ||
      performance.now() - warm.bornAt > MAX_AGE_MS ||
      warm.widest.length < this.#widest.length
    );
  }

  #onChange(warm: Warm): void {
    const { state, left } = warm.container;
    if (left !== null) this.#log(`sandbox: a container of candidates is replaced: ${left}`);
    if (state === 'dead' || (state === 'clean' && this.#spent(warm))) this.#retire(warm);
  }

  async #start(spec: ConfinedSpec, key: string): Promise<Warm> {
    const others = [...this.#all].filter((other) => other.key !== key && other.container.state === 'clean');
    const oldest = others.toSorted((a, b) => a.usedAt - b.usedAt).slice(0, -MOST_OTHERS);
    for (const other of oldest) this.#retire(other);
    const widest = this.#widest;
    const modules = [...new Set([...(spec.preload ?? []), ...widest])];
    // No two containers of this process share a uid: the kernel counts processes per uid, not per container.
    this.#range = (this.#range + 1) % this.#ranges;
    const deadline = spec.deadline === null ? null : new Date(spec.deadline.getTime() + MAX_AGE_MS);
    const container = await WarmContainer.start({ launcher: this.#docker, limits: spec.limits, modules, deadline });
    const warm: Warm = {
      key,
      widest,
      container,
      bornAt: performance.now(),
      deadline,
      firstUid: FIRST_UID + this.#range * (this.#recycleAfter + 1),
      served: 0,
      usedAt: performance.now(),
      leaving: false,
    };
    container.onChange = () => this.#onChange(warm);
    this.#all.add(warm);
    if (this.#closed) this.#retire(warm);
    return warm;
  }

  /** It may serve a candidate that may live until then. */
  #isFree(warm: Warm, key: string, until: Date | null): boolean {
    const livesSo = warm.deadline === null || (until !== null && until <= warm.deadline);
    return livesSo && warm.key === key && warm.container.state === 'clean' && !this.#spent(warm);
  }

  async #obtain(spec: ConfinedSpec): Promise<Candidate> {
    const key = keyOf(spec);
    for (;;) {
      if (this.#closed) throw new InfrastructureError('the sandbox was closed');
      const free = [...this.#all].find((one) => this.#isFree(one, key, spec.deadline));
      const warm = free ?? (await this.#start(spec, key));
      // Others may have been given it while it started.
      if (!this.#isFree(warm, key, spec.deadline)) continue;
      warm.served += 1;
      warm.usedAt = performance.now();
      return warm.container.launch(spec, warm.firstUid + warm.served);
    }
  }

  #confine(candidate: Candidate): Confined {
    let superseded = false;
    let name: string | undefined;
    const step = (): void => {
      superseded = true;
      candidate.kill();
    };
    const ended = candidate.ended.then(({ ending, unobeyed = false }): Ending => {
      if (name !== undefined && this.#holders.get(name) === step) this.#holders.delete(name);
      if (superseded) return { ...ending, lost: 'a newer attempt of the same evaluation took its place' };
      // Somebody may have stopped the parent. Where it happens to a program again, the program is at fault.
      const again = name === undefined || this.#unobeyed.delete(name);
      if (!unobeyed || again) return ending;
      this.#unobeyed.add(name!);
      return { ...ending, lost: 'its parent answered no kill' };
    });
    return {
      takesAllAtOnce: true,
      send: (bytes) => candidate.send(bytes),
      closeInput: () => candidate.closeInput(),
      claim: async (claimed) => {
        this.#holders.get(claimed)?.();
        name = claimed;
        this.#holders.set(claimed, step);
      },
      kill: async () => candidate.kill(),
      ended,
      markUse: () => candidate.markUse(),
      use: () => candidate.use(),
      awake: () => candidate.awake(),
      remove: async () => {
        candidate.kill();
        await ended;
      },
    };
  }
}

export const createForkLauncher = (options: ForkLauncherOptions): Launcher => new ForkLauncher(options);

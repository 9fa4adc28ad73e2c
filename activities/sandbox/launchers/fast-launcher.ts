// The fast level, opt-in (docs/security.md): candidates are forked one after another in warm containers, which are
// replaced now and then. It is weaker than single-use containers, since a kernel exploit would reach later candidates.
import type { IsolationLevel } from '../../../evolution/types.ts';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../contract/confined.ts';
import { PRESET_MODULES } from '../contract/import-preset.ts';
import { InfrastructureError } from '../contract/types.ts';
import { type Candidate, startWarmContainer, type WarmContainer } from './fast-container.ts';

type FastLauncherOptions = {
  /** The launcher that starts the warm containers. */
  readonly docker: Launcher;
  /** `fast`, with the runtime of the containers where one was asked for. */
  readonly level?: IsolationLevel;
  readonly log: Log;
  /** Number of candidates after which a container is replaced. */
  readonly recycleAfter?: number;
  /** A container that nobody used for so long is removed. */
  readonly idleMs?: number;
};

const RECYCLE_AFTER = 150;
const IDLE_MS = 60_000;
/**
 * A container is given no candidate beyond this age. Its deadline for the reaper is later than that of its first
 * candidate by this time.
 */
const MAX_AGE_MS = 30 * 60_000;
/** Below 65536, so that a user-namespace remapping covers them. */
const FIRST_UID = 20_000;
const LAST_UID = 60_000;

type Warm = {
  readonly key: string;
  readonly modules: readonly string[];
  readonly container: WarmContainer;
  readonly bornAt: number;
  readonly firstUid: number;
  served: number;
  usedAt: number;
  leaving: boolean;
};

const keyOf = ({ limits }: ConfinedSpec): string =>
  JSON.stringify([limits.memoryBytes, limits.pids, limits.cores ?? 1]);

export const createFastLauncher = ({
  docker,
  level = 'fast',
  log,
  recycleAfter = RECYCLE_AFTER,
  idleMs = IDLE_MS,
}: FastLauncherOptions): Launcher => {
  const all = new Set<Warm>();
  const removals = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];
  const holders = new Map<string, () => void>();
  const ranges = Math.floor((LAST_UID - FIRST_UID) / (recycleAfter + 1));
  let range = Math.floor(Math.random() * ranges);
  let widest: readonly string[] = PRESET_MODULES.none;
  let closed = false;

  const retire = (warm: Warm): void => {
    if (warm.leaving) return;
    warm.leaving = true;
    all.delete(warm);
    const removal = warm.container.remove().finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const spent = (warm: Warm): boolean =>
    warm.served >= recycleAfter || performance.now() - warm.bornAt > MAX_AGE_MS || warm.modules.length < widest.length;
  const onChange = (warm: Warm): void => {
    const state = warm.container.state();
    if (state === 'dirty') log('sandbox: a fast container ran out of memory and is replaced');
    if (state === 'dirty' || state === 'dead' || (state === 'clean' && spent(warm))) retire(warm);
    waiting.shift()?.();
  };
  const sweep = setInterval(
    () => {
      for (const warm of all)
        if (warm.container.state() === 'clean' && (spent(warm) || performance.now() - warm.usedAt > idleMs))
          retire(warm);
    },
    Math.min(idleMs, 10_000),
  );
  sweep.unref();

  const start = async (spec: ConfinedSpec, key: string): Promise<Warm> => {
    // A clean container for other limits has no work, and its place is needed.
    const useless = [...all].find((other) => other.key !== key && other.container.state() === 'clean');
    if (useless) retire(useless);
    const modules = widest;
    // No two containers of this process share a uid: the kernel counts processes per uid, not per container.
    range = (range + 1) % ranges;
    const deadline = spec.deadline === null ? null : new Date(spec.deadline.getTime() + MAX_AGE_MS);
    const container = await startWarmContainer({ launcher: docker, limits: spec.limits, modules, deadline });
    const warm: Warm = {
      key,
      modules,
      container,
      bornAt: performance.now(),
      firstUid: FIRST_UID + range * (recycleAfter + 1),
      served: 0,
      usedAt: performance.now(),
      leaving: false,
    };
    container.onChange = () => onChange(warm);
    all.add(warm);
    if (closed) retire(warm);
    return warm;
  };
  const isFree = (warm: Warm, key: string): boolean =>
    warm.key === key && warm.container.state() === 'clean' && !spent(warm);
  /** Such a container is worth waiting for, because cleaning takes a millisecond or two. */
  const cleaning = (key: string): number =>
    [...all].filter((warm) => warm.key === key && warm.container.state() === 'cleaning').length;

  const obtain = async (spec: ConfinedSpec): Promise<Candidate> => {
    const key = keyOf(spec);
    for (;;) {
      if (closed) throw new InfrastructureError('the fast sandbox was closed');
      let warm = [...all].find((one) => isFree(one, key));
      if (!warm && cleaning(key) > waiting.length) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      warm ??= await start(spec, key);
      // Others may have been given it while it started.
      if (!isFree(warm, key)) continue;
      warm.served += 1;
      warm.usedAt = performance.now();
      return warm.container.launch(spec, warm.firstUid + warm.served);
    }
  };

  const confine = (candidate: Candidate): Confined => {
    let superseded = false;
    let name: string | undefined;
    const step = (): void => {
      superseded = true;
      candidate.kill();
    };
    const ended = candidate.ended.then(({ ending }): Ending => {
      if (name !== undefined && holders.get(name) === step) holders.delete(name);
      return superseded ? { ...ending, lost: 'a newer attempt of the same evaluation took its place' } : ending;
    });
    return {
      send: candidate.send,
      closeInput: candidate.closeInput,
      claim: async (claimed) => {
        holders.get(claimed)?.();
        name = claimed;
        holders.set(claimed, step);
      },
      kill: async () => candidate.kill(),
      ended,
      markUse: candidate.markUse,
      use: candidate.use,
      awake: candidate.awake,
      remove: async () => {
        candidate.kill();
        await ended;
      },
    };
  };

  return {
    level,
    get imageId() {
      return docker.imageId;
    },
    launch: async (spec) => {
      if (spec.args.length > widest.length) widest = spec.args;
      return confine(await obtain(spec));
    },
    close: async () => {
      closed = true;
      clearInterval(sweep);
      for (const wake of waiting.splice(0)) wake();
      for (const warm of all) retire(warm);
      await Promise.all(removals);
      await docker.close();
    },
  };
};

// Runs one candidate in its process, from the program to the claim: it hands a solution over, or it is called and
// answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Launcher } from '../contract/confined.ts';
import { startCpuWatch } from '../contract/cpu-watch.ts';
import { type Fault, startFairTimer } from '../contract/fair-clock.ts';
import { encodeRequest } from '../contract/frames.ts';
import { type Execution, type FunctionJob, InfrastructureError, PAUSED, type SandboxJob } from '../contract/types.ts';
import type { Seat } from './seat.ts';
import { HeldConversation } from './conversation.ts';
import { classify } from './outcome.ts';

/** Time within which a killed process must be gone. After it the container engine counts as broken. */
const KILL_GRACE_MS = 60_000;

type Run<J> = {
  readonly seat: Seat;
  readonly job: J;
  readonly signal: AbortSignal;
  readonly name: string;
  readonly launcher: Launcher;
};
type Use = {
  readonly seat: Seat;
  readonly job: Pick<SandboxJob, 'limits'>;
  readonly signal: AbortSignal;
  readonly name: string;
};
type Under = {
  readonly kill: () => void;
  readonly wallFired: () => boolean;
  readonly stopped: () => boolean;
  readonly cpuFired: () => boolean;
  readonly ended: Promise<Ending>;
  readonly wallMs: () => number;
  readonly onTurn: (held: HeldConversation) => void;
};

/**
 * Names the process, starts its wall clock and ends it on abort. `ended` settles even when the process cannot be
 * killed.
 */
const under = async <T>(
  { seat: { confined, output }, job, signal, name }: Use,
  use: (limits: Under) => Promise<T>,
): Promise<T> => {
  const { promise: killed, resolve: setKilled } = Promise.withResolvers<void>();
  const kill = (): void => {
    void confined.kill().then(() => setKilled());
  };
  let passed: 'wall' | 'cpu' | Fault | null = null;
  const over = (limit: 'wall' | 'cpu' | Fault): void => {
    if (passed !== null) return;
    passed = limit;
    kill();
  };
  let talking: HeldConversation | null = null;
  signal.throwIfAborted();
  // Naming takes some milliseconds. The program runs meanwhile, and its result counts only if the name was given.
  const claimed = confined.claim(name);
  claimed.catch(() => undefined);
  confined.markUse();
  output.onCap = kill;
  const startedAt = performance.now();
  const stopClock = startFairTimer({
    limitMs: job.limits.wallSeconds * 1000,
    cpuMs: () => confined.use().cpuMs,
    waiting: () => talking?.isIdle ?? false,
    pausedMs: () => talking?.pausedMs() ?? 0,
    awake: () => confined.awake?.() ?? null,
    over: (why) => over(why === 'over' ? 'wall' : why),
  });
  const stopWatch = startCpuWatch({
    limitMs: job.limits.cpuSeconds * 1000,
    cpuMs: () => confined.use().cpuMs,
    sample: confined.sample,
    over: () => over('cpu'),
  });
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const stuck = killed
    .then(() => sleep(KILL_GRACE_MS, undefined, { ref: false }))
    .then((): Ending => ({ exitCode: null, oom: false, lost: 'it could not be killed' }));
  try {
    const result = await use({
      kill,
      wallFired: () => passed === 'wall' || passed === 'stopped',
      stopped: () => passed === 'stopped',
      cpuFired: () => passed === 'cpu',
      ended: Promise.race([confined.ended, stuck]),
      wallMs: () => Math.round(performance.now() - startedAt),
      onTurn: (held) => {
        talking = held;
      },
    });
    await claimed;
    blame(passed, confined.use().cpuMs, performance.now() - startedAt);
    return result;
  } finally {
    stopClock();
    stopWatch();
    signal.removeEventListener('abort', kill);
  }
};

/** Throws where the machine is at fault and not the program, which is run again. */
const blame = (why: string | null, cpuMs: number | null, wallMs: number): void => {
  if (why === 'frozen') throw new InfrastructureError(PAUSED);
  if (why === 'starved')
    throw new InfrastructureError(
      `this machine gave a program that was ready to run only ${Math.round((cpuMs ?? 0) / 1000)} s of CPU time in ${Math.round(wallMs / 1000)} s: it is run again; give the machine less to do, or lower EVOLVE_EVAL_CONCURRENCY`,
    );
};

/**
 * The program says itself that it is done, and may crash after that, so its end is waited for. What is read of it while
 * it lives can no longer be asked for afterwards on every level.
 */
const endOfDone = async ({ confined, output }: Seat, ended: Promise<Ending>): Promise<Ending> => {
  await Promise.race([output.done, ended]);
  await confined.sample?.();
  confined.use();
  const oom = confined.oomKilled?.() ?? false;
  confined.closeInput();
  const ending = await ended;
  return { ...ending, oom: ending.oom || oom };
};

export const execute = (run: Run<SandboxJob>): Promise<Execution> =>
  under(run, async ({ ended, wallFired, stopped, wallMs }) => {
    const { seat, job, signal } = run;
    seat.confined.send(
      encodeRequest({
        code: job.code,
        entry: job.entry,
        instance: job.instance,
        env: job.env,
        output_bytes: job.limits.outputBytes,
      }),
    );
    job.onOutput?.(() => seat.output.stderrTail());
    const endsItself = seat.confined.takesAllAtOnce === true;
    if (endsItself) seat.confined.closeInput();
    const ending = await (endsItself ? ended : endOfDone(seat, ended));
    signal.throwIfAborted();
    return describe({
      ...run,
      acceptSaved: job.acceptSavedOnTimeout,
      ending,
      wallFired: wallFired(),
      stopped: stopped(),
      wallMs: wallMs(),
    });
  });

/** Loads the program, lets `use` talk to it, and ends it. */
export const converseWith = (
  run: Run<FunctionJob> & { readonly use: (held: HeldConversation) => Promise<void> },
): Promise<Execution> =>
  under(run, async ({ kill, ended, wallFired, stopped, cpuFired, wallMs, onTurn }) => {
    const { seat, job, signal } = run;
    const held = new HeldConversation({ ...seat, kill, models: job.models, signal });
    onTurn(held);
    seat.confined.send(
      encodeRequest({
        code: job.code,
        entry: job.entry,
        instance: job.instance,
        env: job.env,
        harness: job.harness,
        script: job.script,
        model: job.models !== undefined,
        output_bytes: job.limits.outputBytes,
      }),
    );
    job.onOutput?.(() => seat.output.stderrTail());
    const loaded = await held.next();
    if (loaded?.kind === 'L') {
      seat.output.markLoaded();
      await run.use(held);
    } else if (loaded) held.kill('invalid_output');
    signal.throwIfAborted();
    if (held.failure !== undefined) throw held.failure;
    const alive = loaded?.kind === 'L' && (await Promise.race([ended.then(() => false), sleep(0, true)]));
    await seat.confined.sample?.();
    const used = seat.confined.use();
    if (alive) kill();
    const ending = await ended;
    signal.throwIfAborted();
    blame(held.why, used.cpuMs, wallMs());
    const overCpu = cpuFired() || (used.cpuMs !== null && used.cpuMs > job.limits.cpuSeconds * 1000);
    const finished = alive && held.why === null && !wallFired() && !overCpu && !seat.output.capFired();
    const said = describe({
      ...run,
      acceptSaved: false,
      ending,
      wallFired: wallFired() || held.why === 'timeout_wall' || held.why === 'stopped',
      stopped: stopped() || held.why === 'stopped',
      wallMs: wallMs(),
    });
    const kind = finished
      ? 'ok'
      : held.why === 'invalid_output' && said.kind === 'program_error'
        ? 'invalid_output'
        : said.kind;
    return {
      ...said,
      kind,
      exitCode: finished ? 0 : said.exitCode,
      solution: undefined,
      cpuMs: used.cpuMs,
      peakBytes: used.peakBytes,
    };
  });

type Finished = {
  readonly seat: Seat;
  readonly job: Pick<SandboxJob, 'limits'>;
  readonly acceptSaved: boolean;
  readonly ending: Ending;
  readonly wallFired: boolean;
  readonly stopped: boolean;
  readonly wallMs: number;
  readonly launcher: Launcher;
};

/** Less CPU time says nothing of where it goes. */
const LEAST_SECONDS = 0.5;

const claimsOf = ({ claims }: Seat['output']): Pick<Execution, 'profile' | 'saves'> => {
  const [profile, saves] = [claims.profile(), claims.saves()];
  return {
    ...(profile === null || profile.seconds < LEAST_SECONDS ? {} : { profile }),
    ...(saves.count === 0 ? {} : { saves }),
  };
};

const describe = ({ seat, job, acceptSaved, ending, wallFired, stopped, wallMs, launcher }: Finished): Execution => {
  const { output } = seat;
  const use = seat.confined.use();
  const result = output.result();
  const kind = classify({
    lost: ending.lost,
    capFired: output.capFired(),
    wallFired,
    oom: ending.oom,
    memoryError: result.memoryError,
    exitCode: ending.exitCode,
    cpuMs: use.cpuMs,
    wallMs,
    cpuLimitMs: job.limits.cpuSeconds * 1000,
    frame: result.frame,
  });
  if (kind === 'infrastructure') throw new InfrastructureError(`a candidate container was lost: ${ending.lost}`);
  const timedOut = kind === 'timeout_cpu' || kind === 'timeout_wall';
  const saved = timedOut ? output.checkpoint() : undefined;
  const refusal = kind === 'invalid_output' && result.refusal !== null ? `solution refused: ${result.refusal}\n` : '';
  return {
    kind,
    solution: kind === 'ok' ? result.solution : acceptSaved ? saved : undefined,
    saved: saved !== undefined,
    exitCode: ending.exitCode,
    oom: ending.oom,
    ...(ending.killed === true ? { killed: true } : {}),
    cpuMs: use.cpuMs,
    wallMs,
    peakBytes: use.peakBytes,
    stdoutTail: '',
    stderrTail: output.stderrTail() + refusal,
    ...(output.loadTail() === undefined ? {} : { loadTail: output.loadTail()! }),
    truncated: output.truncated(),
    ...claimsOf(output),
    stopped,
    isolation: launcher.level,
    imageId: launcher.imageId,
  };
};

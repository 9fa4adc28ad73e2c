// The sandbox that is the same for every launcher: each candidate runs in a fresh process (one-candidate.ts),
// a limited number of them at a time.
import { canTime, givesGpus, levelsThat } from '../../../evolution/config/levels.ts';
import type { IsolationLevel } from '../../../evolution/types.ts';
import { sha256 } from '../../sha256.ts';
import { timed } from '../../telemetry/metrics.ts';
import { spanned } from '../../telemetry/spans.ts';
import type { Launcher, Log } from '../contract/confined.ts';
import {
  type Execution,
  type FunctionJob,
  InfrastructureError,
  type Sandbox,
  type SandboxJob,
} from '../contract/types.ts';
import { boot, type Seat } from './seat.ts';
import type { HeldConversation } from './conversation.ts';
import { Cores } from './cores.ts';
import type { Devices } from './devices.ts';
import { converseWith, execute } from './one-candidate.ts';

type ConfinedSandboxOptions = {
  readonly launcher: Launcher;
  readonly home: string;
  readonly concurrency: number;
  /** Shared with other sandboxes of the process. The default is as many as `concurrency`. */
  readonly cores?: Cores | undefined;
  readonly log: Log;
  /** The GPUs of the host; left out where it has none. */
  readonly devices?: Devices | undefined;
  /** Awaited when the sandbox is closed. */
  readonly onClose?: () => Promise<void>;
};

type Wanted = Pick<SandboxJob, 'code' | 'limits' | 'preload'> & { readonly devices: readonly string[] };

/** What imports it is imported before the program comes, as what the program imports. */
const evaluatorOf = ({ script }: FunctionJob): string => script?.files[script.file] ?? '';

const containerName = (home: string, key: string): string => `evolve-${home}-${sha256(key).slice(0, 24)}`;

class ConfinedSandbox implements Sandbox {
  readonly checkGpus?: Devices['check'];
  readonly #options: ConfinedSandboxOptions;
  readonly #launcher: Launcher;
  readonly #cores: Cores;
  readonly #running = new Set<Seat>();
  readonly #removals = new Set<Promise<void>>();

  constructor(options: ConfinedSandboxOptions) {
    this.#options = options;
    this.#launcher = options.launcher;
    if (options.devices !== undefined) this.checkGpus = options.devices.check;
    this.#cores = options.cores ?? new Cores({ cores: options.concurrency });
  }

  get level(): IsolationLevel {
    return this.#launcher.level;
  }

  get imageId(): string {
    return this.#launcher.imageId;
  }

  readonly run = (job: SandboxJob, signal: AbortSignal): Promise<Execution> =>
    this.#withGpus(job, signal, (devices) =>
      this.#cores.given(job.limits, signal, () =>
        this.#seated({ ...job, devices }, signal, (seat) =>
          execute({ seat, job, signal, name: containerName(this.#options.home, job.key), launcher: this.#launcher }),
        ),
      ),
    );

  /** The reference has the same core, permit and GPUs as the program, because the two never work at the same time. */
  readonly converse: Sandbox['converse'] = (job, talk, signal) =>
    this.#withGpus(job, signal, (devices, tell) =>
      this.#cores.given(job.limits, signal, async (core) => {
        if (job.timed && !canTime(this.#launcher.level))
          throw new InfrastructureError(
            `isolation ${this.#launcher.level} cannot keep a program on a core of its own, so no time can be scored: set evaluation.sandbox to ${levelsThat(({ timed: times }) => times)}`,
          );
        const open = (key: string, code: string, use: (held: HeldConversation) => Promise<void>): Promise<Execution> =>
          this.#seated({ ...job, code: `${code}\n${evaluatorOf(job)}`, devices }, signal, async (seat) => {
            if (job.timed) await seat.confined.pin?.(core);
            return converseWith({
              seat,
              job: { ...job, key, code },
              signal,
              name: containerName(this.#options.home, key),
              launcher: this.#launcher,
              use,
            });
          });
        const talkTo = async (held: HeldConversation, other: HeldConversation | null): Promise<void> =>
          tell((await talk(held, other)) ?? '');
        const { reference } = job;
        if (reference === null) return open(job.key, job.code, (held) => talkTo(held, null));
        let own: Execution | undefined;
        const beside = await open(`${job.key}:reference`, reference, async (other) => {
          own = await open(job.key, job.code, (held) => talkTo(held, other));
        });
        if (own === undefined || (beside.kind === 'program_error' && beside.killed))
          throw new InfrastructureError(
            `the reference program ended before the program: ${beside.kind} ${beside.stderrTail.slice(-300)}`,
          );
        return own;
      }),
    );

  readonly close = async (): Promise<void> => {
    await Promise.all([...this.#running].map((seat) => seat.confined.kill()));
    await Promise.all(this.#removals);
    await this.#options.onClose?.();
    await this.#launcher.close();
  };

  #dispose(seat: Seat): Promise<void> {
    this.#running.delete(seat);
    const removal = seat.confined.remove().finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
    return removal;
  }

  async #seated<T>(job: Wanted, signal: AbortSignal, use: (seat: Seat) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const seat = await timed('containerStart', { level: this.#launcher.level }, () =>
      boot({ ...job, launcher: this.#launcher }),
    );
    this.#running.add(seat);
    try {
      return await spanned('container', { 'evolve.level': this.#launcher.level }, () =>
        timed('containerRun', { level: this.#launcher.level }, () => use(seat)),
      );
    } finally {
      const removal = this.#dispose(seat);
      // The next program gets the device when this one is gone.
      if (job.devices.length > 0) await removal;
    }
  }

  /** Devices come first: a program that waits for one must not keep a core from others. */
  async #withGpus(
    { gpus = 0 }: Pick<SandboxJob, 'gpus'>,
    signal: AbortSignal,
    use: (devices: readonly string[], tell: (said: string) => void) => Promise<Execution>,
  ): Promise<Execution> {
    if (gpus === 0) return use([], () => undefined);
    if (!givesGpus(this.#launcher.level))
      throw new InfrastructureError(
        `isolation ${this.#launcher.level} gives programs no GPUs: set evaluation.sandbox to ${levelsThat(({ gpu }) => gpu)} and evaluation.runtime to engine or runc`,
      );
    if (this.#options.devices === undefined)
      throw new InfrastructureError(
        'this process has no GPUs to give: start `evolve worker evaluation --gpus <n>` on a host that has some, or set EVOLVE_EVAL_GPUS',
      );
    let told = '';
    return this.#options.devices.use(gpus, signal, async (devices) => ({
      execution: await use(devices, (said) => {
        told = said;
      }),
      told,
    }));
  }
}

export const createConfinedSandbox = (options: ConfinedSandboxOptions): Sandbox => new ConfinedSandbox(options);

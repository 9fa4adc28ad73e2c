// Starts hardened Docker containers whose input and output are attached to this process.
import type Docker from 'dockerode';
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { withRuntime } from '../../../evolution/config/levels.ts';
import type { IsolationLevel, OciRuntime } from '../../../evolution/types.ts';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../contract/confined.ts';
import { steadyNow } from '../contract/fair-clock.ts';
import { InfrastructureError } from '../contract/types.ts';
import { createSlots, type Slot } from './cgroup-slots.ts';
import { containerOptions } from './container-options.ts';
import { ANSWER_MS, answered, infrastructure, ownOwner, ownerLives, removeContainer } from './docker-connection.ts';
import { askedUse, claimName, demultiplexer, endingOf, streamEnd } from './docker-container.ts';
import { oomKills } from './process-tree.ts';
import { type Engine, preflight, SOCKET_SELF_TEST } from './preflight.ts';
import type { EngineRuntime } from './runtimes.ts';

const MIB = 1024 * 1024;
/** The exit code of the container's PID 1 where the image lacks what it is to run. */
const NO_SUCH_PROGRAM = 127;
/** 128 + SIGKILL. */
const SIGKILL = 137;

type DockerLauncherOptions = {
  readonly docker: Docker;
  readonly image: string;
  readonly home: string;
  readonly log: Log;
  /** The OCI runtime of all its containers. */
  readonly runtime?: OciRuntime | undefined;
  /** Only trusted programs will run, so the seccomp profile is not tested at the start. */
  readonly trusted?: boolean;
  /** A folder of the engine's machine that its containers see as /data and cannot change. */
  readonly data?: string | undefined;
  /** The longest wait for one answer of the engine, in milliseconds. */
  readonly answerMs?: number;
  /** The folder of the cgroups of the engine's machine. The default is that of this machine. */
  readonly cgroups?: string | undefined;
};

type Started = {
  readonly container: Docker.Container;
  readonly stream: Duplex;
  readonly ended: Promise<Ending>;
  readonly slot: Slot;
  readonly onClaim: (name: string) => void;
  readonly onRemove: () => void;
};

class DockerLauncher implements Launcher {
  readonly level: IsolationLevel;
  readonly #docker: Docker;
  readonly #image: string;
  readonly #log: Log;
  readonly #kind: OciRuntime;
  readonly #trusted: boolean;
  readonly #answerMs: number;
  readonly #cgroups: string | undefined;
  readonly #data: string | undefined;
  readonly #labels: { readonly home: string; readonly owner: string };
  readonly #group: string;
  readonly #condemned = new Set<string>();
  #slots: ReturnType<typeof createSlots> | undefined;
  #ready: Promise<Engine> | undefined;
  #imageId: string;
  #runtime: EngineRuntime | undefined;
  /** The CPU time of a container can be read here, so that the engine need not be asked. */
  #readable = true;

  constructor(options: DockerLauncherOptions) {
    this.#docker = options.docker;
    this.#image = options.image;
    this.#log = options.log;
    this.#kind = options.runtime ?? 'engine';
    this.#trusted = options.trusted ?? false;
    this.#answerMs = options.answerMs ?? ANSWER_MS;
    this.#cgroups = options.cgroups;
    this.#data = options.data;
    this.#labels = { home: options.home, owner: ownOwner() };
    this.#group = `evolve-${options.home}-${randomBytes(4).toString('hex')}`;
    this.#imageId = options.image;
    this.level = withRuntime('docker', this.#kind);
  }

  get imageId(): string {
    return this.#imageId;
  }

  readonly engine = (): Promise<Engine> => {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  };

  readonly launch = async (spec: ConfinedSpec): Promise<Confined> => {
    await this.engine();
    await this.#removeCondemned();
    return this.#start(spec);
  };

  readonly close = async (): Promise<void> => {
    await this.#removeCondemned();
    this.#slots?.close();
  };

  async #remove(id: string): Promise<void> {
    try {
      await answered('removing a container', removeContainer(this.#docker, id), this.#answerMs);
      this.#condemned.delete(id);
    } catch {
      this.#condemned.add(id);
    }
  }

  /** Removes containers that could not be removed before, because the engine was away. */
  async #removeCondemned(): Promise<void> {
    for (const id of [...this.#condemned]) await this.#remove(id);
  }

  /** A worker that was killed may have left a program on a device. Programs of this process know of each other. */
  async #clearDevices(wanted: readonly string[]): Promise<void> {
    const filters = JSON.stringify({ label: ['evolve.gpus'] });
    const listed = await answered(
      'looking who uses a GPU',
      this.#docker.listContainers({ all: true, filters }),
      this.#answerMs,
    );
    for (const { Id, Labels } of listed) {
      const shared = (Labels['evolve.gpus'] ?? '').split(',').find((device) => wanted.includes(device));
      const owner = Labels['evolve.owner'] ?? '';
      if (shared === undefined || owner === this.#labels.owner) continue;
      if (ownerLives(owner))
        throw new InfrastructureError(
          `GPU ${shared} is in use by container ${Id.slice(0, 12)} of process ${owner.replace(/-\d+$/, '')}, another worker of this machine: give that one or this one fewer GPUs (--gpus)`,
        );
      await answered('removing a container', removeContainer(this.#docker, Id), this.#answerMs);
    }
  }

  async #start(spec: ConfinedSpec): Promise<Confined> {
    if (!this.#slots) throw new InfrastructureError('the launcher was used before its preflight');
    const slot = this.#slots.take();
    let container: Docker.Container | undefined;
    try {
      if (spec.devices !== undefined) await this.#clearDevices(spec.devices);
      container = await answered(
        'creating a container',
        this.#docker.createContainer(
          containerOptions({
            spec,
            image: this.#image,
            labels: this.#labels,
            cgroupParent: slot.parent,
            runtime: this.#runtime,
            data: this.#data,
          }),
        ),
        this.#answerMs,
      );
      const attached = container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
      const stream = (await answered('attaching to a container', attached, this.#answerMs)) as unknown as Duplex;
      stream.on('error', () => undefined);
      stream.on('data', demultiplexer(spec.onStdout, spec.onStderr));
      let claimed: string | null = null;
      let removed = false;
      const waiting = container.wait({ condition: 'next-exit' }).catch(() => undefined);
      const ended = endingOf({
        docker: this.#docker,
        container,
        streamEnded: streamEnd(stream),
        waiting,
        claimed: () => claimed,
        removed: () => removed,
      });
      await answered('starting a container', container.start(), this.#answerMs);
      return this.#confine({
        container,
        stream,
        ended,
        slot,
        onClaim: (name) => {
          claimed = name;
        },
        onRemove: () => {
          removed = true;
        },
      });
    } catch (error) {
      if (container) await this.#remove(container.id);
      slot.release();
      throw infrastructure('starting a container', error);
    }
  }

  #confine({ container, stream, ended, slot, onClaim, onRemove }: Started): Confined {
    const before = oomKills();
    let ours = false;
    return {
      send: (bytes) => {
        // What is sent in one turn goes out as one.
        if (stream.writableCorked === 0) {
          stream.cork();
          process.nextTick(() => stream.uncork());
        }
        stream.write(bytes);
      },
      closeInput: () => {
        stream.end();
      },
      claim: async (name) => {
        await answered(`naming container ${name}`, claimName(this.#docker, container, name), this.#answerMs);
        onClaim(name);
      },
      kill: async () => {
        ours = true;
        await answered('killing a container', container.kill(), this.#answerMs).catch(() => undefined);
      },
      ended: ended.then((ending) => {
        const oom = slot.oomKilled(container.id) ?? ending.oom;
        const byMachine = ending.exitCode === SIGKILL && oomKills() > before;
        return { ...ending, oom, killed: !ours && !oom && (ending.killed === true || byMachine) };
      }),
      pin: async (core) => {
        await answered('pinning a container', container.update({ CpusetCpus: String(core) }), this.#answerMs).catch(
          (error: unknown) => {
            throw infrastructure('pinning a container', error);
          },
        );
      },
      markUse: slot.markUse,
      use: slot.use,
      awake: slot.awake,
      oomKilled: () => slot.oomKilled(container.id),
      ...(this.#readable || this.#trusted ? {} : askedUse(container)),
      remove: async () => {
        onRemove();
        await this.#remove(container.id);
        stream.destroy();
        slot.release();
      },
    };
  }

  async #selfTest(): Promise<void> {
    let said = '';
    const collect = (chunk: Buffer): void => {
      said += chunk.toString();
    };
    const test = await this.#start({
      source: SOCKET_SELF_TEST,
      args: [],
      limits: { cpuSeconds: 10, memoryBytes: 128 * MIB, pids: 32 },
      run: 'self-test',
      activity: 'preflight',
      deadline: new Date(steadyNow().getTime() + 60_000),
      onStdout: collect,
      onStderr: collect,
    });
    // Before the first container of a slot has started, there is nothing to read.
    test.markUse();
    const ending = await test.ended;
    this.#readable = test.use().cpuMs !== null;
    await test.remove();
    if (ending.exitCode === NO_SUCH_PROGRAM)
      throw new InfrastructureError(`expected python3 in the image ${this.#imageId}, got ${said.trim()}`);
    if (ending.lost !== null || ending.exitCode !== 0) {
      throw new InfrastructureError(
        `the sandbox self-test expected every socket family to be refused, got ${ending.lost ?? said.trim()}: the engine does not apply the seccomp profile; candidates will not be run`,
      );
    }
  }

  async #prepare(): Promise<Engine> {
    const engine = await answered(
      'asking what it can do',
      preflight(this.#docker, this.#image, this.#kind),
      this.#answerMs,
    );
    this.#imageId = engine.imageId;
    this.#runtime = engine.runtime;
    this.#slots ??= createSlots({
      driver: engine.cgroupDriver,
      version: engine.cgroupVersion,
      group: this.#group,
      root: this.#cgroups,
    });
    if (this.#trusted) return engine;
    await this.#selfTest();
    this.#log(
      `sandbox: Docker ${engine.version}, cgroup v${engine.cgroupVersion}, image ${engine.imageId.slice(0, 19)}; AF_VSOCK is refused`,
    );
    if (!this.#readable)
      this.#log(
        'sandbox: the cgroups of the engine are not on this machine, so it is asked what CPU time containers use',
      );
    return engine;
  }
}

export const createDockerLauncher = (options: DockerLauncherOptions): Launcher & { engine(): Promise<Engine> } =>
  new DockerLauncher(options);

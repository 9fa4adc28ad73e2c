// Starts hardened containers attached to this process.
import type Docker from 'dockerode';
import { randomBytes } from 'node:crypto';
import { type Duplex, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../contract/confined.ts';
import { InfrastructureError } from '../contract/types.ts';
import { createSlots, type Slot } from './cgroup-slots.ts';
import { containerOptions } from './container-options.ts';
import { ANSWER_MS, answered, infrastructure, ownOwner, removeContainer, statusOf } from './docker-connection.ts';
import { type Engine, preflight, SOCKET_SELF_TEST } from './preflight.ts';

const MIB = 1024 * 1024;
/** After the stream's end the engine says how the container ended within this time, or it is gone. */
const WAIT_AFTER_END_MS = 2_000;
const STILL_RUNNING_CHECKS = 20;

type DockerLauncherOptions = {
  readonly docker: Docker;
  readonly image: string;
  readonly home: string;
  readonly log: Log;
  /** Only trusted programs will run: no self-test of the seccomp profile at the start. */
  readonly trusted?: boolean;
  /**
   * Ids of images that programs in other languages run in, by the name that tasks give them. Default: the name
   * itself.
   */
  readonly imageFor?: (name: string) => Promise<string>;
  /** Longest wait for one answer of the engine. */
  readonly answerMs?: number;
};

type Started = {
  readonly container: Docker.Container;
  readonly stream: Duplex;
  readonly ended: Promise<Ending>;
  readonly slot: Slot;
  readonly onClaim: (name: string) => void;
  readonly onRemove: () => void;
};

const sink = (onChunk: (chunk: Buffer) => void): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      onChunk(chunk);
      done();
    },
  });

/** Resolves when the attached stream is over, however that came about. */
const streamEnd = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) stream.once(event, () => resolve());
  });

const inspectEnding = async (container: Docker.Container, claimed: string | null): Promise<Ending | 'running'> => {
  try {
    const { State, Name } = await answered('asking how a container ended', container.inspect());
    if (State.Running) return 'running';
    const superseded = claimed !== null && Name !== `/${claimed}`;
    return {
      exitCode: State.ExitCode,
      oom: State.OOMKilled,
      lost: superseded ? 'a newer attempt of the same evaluation took its place' : null,
    };
  } catch (error) {
    const why =
      statusOf(error) === 404 ? 'the container vanished' : `the engine does not answer: ${(error as Error).message}`;
    return { exitCode: null, oom: false, lost: why };
  }
};

/** When dockerd dies the stream ends normally and wait() never settles: race it, then ask. */
const endingOf = async ({
  container,
  streamEnded,
  waiting,
  claimed,
  removed,
}: {
  container: Docker.Container;
  streamEnded: Promise<void>;
  waiting: Promise<unknown>;
  claimed: () => string | null;
  removed: () => boolean;
}): Promise<Ending> => {
  await streamEnded;
  // Nobody asks any more: the usual way of a program that handed its solution over.
  if (removed()) return { exitCode: null, oom: false, lost: 'it was removed' };
  await Promise.race([waiting, sleep(WAIT_AFTER_END_MS, undefined, { ref: false })]);
  for (let check = 0; check < STILL_RUNNING_CHECKS; check += 1) {
    const ending = await inspectEnding(container, claimed());
    if (ending !== 'running') return ending;
    await sleep(500);
  }
  return { exitCode: null, oom: false, lost: 'its stream ended while it was still running: the engine was restarted' };
};

/**
 * Renamed before it is killed: its own run, should it still be watched, sees by its name that it did not die by
 * itself.
 */
const supersede = async (docker: Docker, name: string): Promise<void> => {
  const holder = docker.getContainer(name);
  const { Id } = await holder.inspect();
  await holder.rename({ name: `${name}-superseded-${Id.slice(0, 8)}` });
  await removeContainer(docker, Id);
};

const claimName = async (docker: Docker, container: Docker.Container, name: string): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await container.rename({ name });
      return;
    } catch (error) {
      if (statusOf(error) !== 409 || attempt === 5) throw infrastructure(`naming container ${name}`, error);
      // The same evaluation runs already, for a caller that gave up: the newer attempt wins.
      await supersede(docker, name).catch((failed: unknown) => {
        if (statusOf(failed) !== 404) throw infrastructure(`replacing ${name}`, failed);
      });
      if (attempt > 0) await sleep(100 * attempt);
    }
  }
};

export const createDockerLauncher = ({
  docker,
  image,
  home,
  log,
  trusted = false,
  answerMs = ANSWER_MS,
  imageFor = async (name) => name,
}: DockerLauncherOptions): Launcher & { engine(): Promise<Engine> } => {
  const labels = { home, owner: ownOwner() };
  const group = `evolve-${home}-${randomBytes(4).toString('hex')}`;
  const condemned = new Set<string>();
  let slots: ReturnType<typeof createSlots> | undefined;
  let ready: Promise<Engine> | undefined;
  let imageId = image;

  const remove = async (id: string): Promise<void> => {
    try {
      await answered('removing a container', removeContainer(docker, id), answerMs);
      condemned.delete(id);
    } catch {
      condemned.add(id);
    }
  };
  /** Containers that could not be removed because the engine was away. */
  const removeCondemned = async (): Promise<void> => {
    for (const id of [...condemned]) await remove(id);
  };

  const start = async (spec: ConfinedSpec): Promise<Confined> => {
    if (!slots) throw new InfrastructureError('the launcher was used before its preflight');
    const slot = slots.take();
    let container: Docker.Container | undefined;
    try {
      const own =
        spec.runtime === undefined
          ? image
          : await imageFor(spec.runtime.image).catch((error: unknown) => {
              throw infrastructure(`finding the image ${spec.runtime!.image}`, error);
            });
      container = await answered(
        'creating a container',
        docker.createContainer(containerOptions({ spec, image: own, labels, cgroupParent: slot.parent })),
        answerMs,
      );
      const attached = container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
      const stream = (await answered('attaching to a container', attached, answerMs)) as unknown as Duplex;
      stream.on('error', () => undefined);
      docker.modem.demuxStream(stream, sink(spec.onStdout), sink(spec.onStderr));
      let claimed: string | null = null;
      let removed = false;
      const waiting = container.wait({ condition: 'next-exit' }).catch(() => undefined);
      const ended = endingOf({
        container,
        streamEnded: streamEnd(stream),
        waiting,
        claimed: () => claimed,
        removed: () => removed,
      });
      await answered('starting a container', container.start(), answerMs);
      return {
        ...confine({
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
        }),
        ...(spec.runtime === undefined ? {} : { imageId: own }),
      };
    } catch (error) {
      if (container) await remove(container.id);
      slot.release();
      throw infrastructure('starting a container', error);
    }
  };

  const confine = ({ container, stream, ended, slot, onClaim, onRemove }: Started): Confined => ({
    send: (bytes) => {
      stream.write(bytes);
    },
    closeInput: () => {
      stream.end();
    },
    claim: async (name) => {
      await answered(`naming container ${name}`, claimName(docker, container, name), answerMs);
      onClaim(name);
    },
    kill: async () => {
      await answered('killing a container', container.kill(), answerMs).catch(() => undefined);
    },
    ended,
    pin: async (core) => {
      await answered('pinning a container', container.update({ CpusetCpus: String(core) }), answerMs).catch(
        (error: unknown) => {
          throw infrastructure('pinning a container', error);
        },
      );
    },
    markUse: slot.markUse,
    use: slot.use,
    oomKilled: () => slot.oomKilled(container.id),
    remove: async () => {
      onRemove();
      await remove(container.id);
      stream.destroy();
      slot.release();
    },
  });

  const selfTest = async (): Promise<void> => {
    let said = '';
    const collect = (chunk: Buffer): void => {
      said += chunk.toString();
    };
    const test = await start({
      source: SOCKET_SELF_TEST,
      args: [],
      limits: { cpuSeconds: 10, memoryBytes: 128 * MIB, pids: 32 },
      run: 'self-test',
      activity: 'preflight',
      deadline: new Date(Date.now() + 60_000),
      onStdout: collect,
      onStderr: collect,
    });
    const ending = await test.ended;
    await test.remove();
    if (ending.lost !== null || ending.exitCode !== 0) {
      throw new InfrastructureError(
        `the sandbox self-test expected every socket family to be refused, got ${ending.lost ?? said.trim()}: the engine does not apply the seccomp profile; candidates will not be run`,
      );
    }
  };

  const prepare = async (): Promise<Engine> => {
    const engine = await answered('asking what it can do', preflight(docker, image), answerMs);
    imageId = engine.imageId;
    slots ??= createSlots({ driver: engine.cgroupDriver, version: engine.cgroupVersion, group });
    if (trusted) return engine;
    await selfTest();
    log(
      `sandbox: Docker ${engine.version}, cgroup v${engine.cgroupVersion}, image ${engine.imageId.slice(0, 19)}; AF_VSOCK is refused`,
    );
    return engine;
  };
  const engine = (): Promise<Engine> => {
    ready ??= prepare().catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };

  return {
    level: 'docker',
    get imageId() {
      return imageId;
    },
    engine,
    launch: async (spec) => {
      await engine();
      await removeCondemned();
      return start(spec);
    },
    close: async () => {
      await removeCondemned();
      slots?.close();
    },
  };
};

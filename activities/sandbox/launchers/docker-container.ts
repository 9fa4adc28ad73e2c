// Reads a container: its output, use, ending and name.
import type Docker from 'dockerode';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confined, Ending } from '../contract/confined.ts';
import { answered, infrastructure, removeContainer, statusOf } from './docker-connection.ts';

/**
 * After the end of the stream the engine has this long to say how the container ended; then the container counts as
 * gone.
 */
const WAIT_AFTER_END_MS = 2_000;
const STILL_RUNNING_CHECKS = 20;

/** Head of a message of an attached stream: its kind, three bytes of nothing, its length (big endian). */
const MESSAGE_HEAD_BYTES = 8;
const STDERR = 2;

/**
 * Takes the chunks of an attached stream apart into the two outputs. dockerode's own way calls itself once for each
 * message and copies the rest each time: a program that writes single bytes would end this process by it.
 */
export const demultiplexer = (
  onStdout: (chunk: Buffer) => void,
  onStderr: (chunk: Buffer) => void,
): ((chunk: Buffer) => void) => {
  const head = Buffer.alloc(MESSAGE_HEAD_BYTES);
  let headBytes = 0;
  let wanted = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (wanted > 0) {
        const part = chunk.subarray(at, at + wanted);
        (head[0] === STDERR ? onStderr : onStdout)(part);
        wanted -= part.length;
        at += part.length;
        continue;
      }
      const copied = chunk.copy(head, headBytes, at, at + MESSAGE_HEAD_BYTES - headBytes);
      headBytes += copied;
      at += copied;
      if (headBytes < MESSAGE_HEAD_BYTES) return;
      headBytes = 0;
      wanted = head.readUInt32BE(4);
    }
  };
};

/** Resolves when the attached stream is over, however that came about. */
export const streamEnd = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) stream.once(event, () => resolve());
  });

/** The engine's own count of a container's CPU time, for engines whose cgroups are on another machine. */
export const askedUse = (container: Docker.Container): Required<Pick<Confined, 'markUse' | 'use' | 'sample'>> => {
  let beforeMs: number | null = null;
  let nowMs: number | null = null;
  return {
    markUse: () => {
      beforeMs = nowMs;
    },
    use: () => ({ cpuMs: nowMs === null || beforeMs === null ? null : Math.round(nowMs - beforeMs), peakBytes: null }),
    sample: async () => {
      try {
        const asked = container.stats({ stream: false, 'one-shot': true });
        const { cpu_stats } = await answered('asking what a container uses', asked);
        // After the end of a container the engine says nothing but zeros.
        nowMs = Math.max(nowMs ?? 0, cpu_stats.cpu_usage.total_usage / 1e6);
      } catch {
        /* the last count stays, and no count is none */
      }
    },
  };
};

/** An exit code from here on may be that of a signal. */
const SIGNALLED = 128;

/** The engine remembers that somebody had it send a signal. */
const wasSignalled = async (docker: Docker, id: string, finishedAt: string): Promise<boolean> => {
  const filters = { container: [id], event: ['kill'] };
  const until = Math.ceil(Date.parse(finishedAt) / 1000) + 1;
  return (await text(await docker.getEvents({ since: 1, until, filters }))).trim() !== '';
};

const inspectEnding = async (
  docker: Docker,
  container: Docker.Container,
  claimed: string | null,
): Promise<Ending | 'running'> => {
  try {
    const { State, Name } = await answered('asking how a container ended', container.inspect());
    if (State.Running) return 'running';
    const superseded = claimed !== null && Name !== `/${claimed}`;
    return {
      exitCode: State.ExitCode,
      oom: State.OOMKilled,
      killed:
        State.ExitCode >= SIGNALLED &&
        (await answered('asking who ended a container', wasSignalled(docker, container.id, State.FinishedAt))),
      lost: superseded ? 'a newer attempt of the same evaluation took its place' : null,
    };
  } catch (error) {
    const why =
      statusOf(error) === 404 ? 'the container vanished' : `the engine does not answer: ${(error as Error).message}`;
    return { exitCode: null, oom: false, lost: why };
  }
};

/**
 * The stream ends normally when dockerd dies, and wait() never settles. So both are raced, and then the engine is
 * asked.
 */
export const endingOf = async ({
  docker,
  container,
  streamEnded,
  waiting,
  claimed,
  removed,
}: {
  docker: Docker;
  container: Docker.Container;
  streamEnded: Promise<void>;
  waiting: Promise<unknown>;
  claimed: () => string | null;
  removed: () => boolean;
}): Promise<Ending> => {
  await streamEnded;
  // The container was removed on purpose, as usual after a program that handed its solution over, and nobody waits for
  // its ending.
  if (removed()) return { exitCode: null, oom: false, lost: 'it was removed' };
  await Promise.race([waiting, sleep(WAIT_AFTER_END_MS, undefined, { ref: false })]);
  for (let check = 0; check < STILL_RUNNING_CHECKS; check += 1) {
    const ending = await inspectEnding(docker, container, claimed());
    if (ending !== 'running') return ending;
    await sleep(500);
  }
  return { exitCode: null, oom: false, lost: 'its stream ended while it was still running: the engine was restarted' };
};

/**
 * The container is renamed before it is killed. A run that still watches it sees by the name that it did not die by
 * itself.
 */
const supersede = async (docker: Docker, name: string): Promise<void> => {
  const holder = docker.getContainer(name);
  const { Id } = await holder.inspect();
  await holder.rename({ name: `${name}-superseded-${Id.slice(0, 8)}` });
  await removeContainer(docker, Id);
};

export const claimName = async (docker: Docker, container: Docker.Container, name: string): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await container.rename({ name });
      return;
    } catch (error) {
      if (statusOf(error) !== 409 || attempt === 5) throw infrastructure(`naming container ${name}`, error);
      // An attempt that the caller has ended still runs the same evaluation. The newer attempt wins.
      await supersede(docker, name).catch((failed: unknown) => {
        if (statusOf(failed) !== 404) throw infrastructure(`replacing ${name}`, failed);
      });
      if (attempt > 0) await sleep(100 * attempt);
    }
  }
};

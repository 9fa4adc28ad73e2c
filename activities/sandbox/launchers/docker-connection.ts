// Connection to the Docker engine of the evaluation worker, what its errors mean, and the reaper, which removes
// containers that were left behind.
import Docker from 'dockerode';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Log } from '../contract/confined.ts';
import { steadyNow } from '../contract/fair-clock.ts';
import { InfrastructureError } from '../contract/types.ts';

export const connectDocker = (dockerHost: string | undefined): Docker => {
  if (dockerHost === undefined || dockerHost === '') return new Docker();
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });
  if (dockerHost.startsWith('/')) return new Docker({ socketPath: dockerHost });
  const url = new URL(dockerHost.replace(/^tcp:/, 'http:'));
  const tls = url.protocol === 'https:' || url.port === '2376' || Boolean(process.env.DOCKER_TLS_VERIFY);
  return new Docker({
    host: url.hostname,
    port: url.port || (tls ? '2376' : '2375'),
    // The library reads the certificates in DOCKER_CERT_PATH by itself.
    protocol: tls ? 'https' : 'http',
  });
};

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number } | null)?.statusCode;

/** Every failure of the engine's API is one of infrastructure, since it says nothing about a program. */
export const infrastructure = (doing: string, error: unknown): InfrastructureError => {
  if (error instanceof InfrastructureError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new InfrastructureError(`Docker engine failed while ${doing}: ${message}`, { cause: error });
};

/**
 * An engine that accepts a call and is silent for so long is taken for gone, because an evaluation would otherwise wait
 * without end.
 */
export const ANSWER_MS = 45_000;

/**
 * Resolves to the engine's answer, and throws InfrastructureError when it does not come in time. A container that the
 * engine makes late is found by its labels and reaped.
 */
export const answered = async <T>(doing: string, call: Promise<T>, limitMs = ANSWER_MS): Promise<T> => {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new InfrastructureError(`Docker engine gave no answer within ${limitMs / 1000} s while ${doing}`)),
    limitMs,
  );
  try {
    return await Promise.race([call, silence]);
  } finally {
    clearTimeout(timer);
  }
};

/** Kills and removes a container. One that is gone already is fine; other failures throw. */
export const removeContainer = async (docker: Docker, id: string): Promise<void> => {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    // 404: the container is gone. 409: its removal is already in progress.
    if (status !== 404 && status !== 409) throw error;
  }
};

/**
 * The start time of a process: field 22 of /proc/<pid>/stat, or null when there is no such process or it is a zombie.
 * Pid and start time together name a process in the labels of its containers, so that a later process can tell whether
 * it still lives.
 */
const startTime = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
};

/**
 * Workers in pods or containers have data directories of one name, and may share an engine: a host tells them apart.
 */
export const ownOwner = (): string => `${hostname()}/${process.pid}-${startTime(process.pid) ?? '0'}`;

const isElsewhere = (owner: string): boolean => owner.includes('/') && !owner.startsWith(`${hostname()}/`);

/** A process on another host counts as alive; the deadline ends what it left. */
export const ownerLives = (owner: string): boolean => {
  if (isElsewhere(owner)) return true;
  const [pid, started] = owner.slice(owner.lastIndexOf('/') + 1).split('-');
  return started !== undefined && startTime(Number(pid)) === started;
};

/**
 * The reaper looks so often for containers of this home that are past their deadline or whose process is gone.
 * Containers of other homes are never touched.
 */
const PERIOD_MS = 60_000;

/** A container with these labels should be removed. It is pure but for `lives`. */
export const isOrphan = (
  labels: { readonly [name: string]: string },
  now: Date,
  lives: (owner: string) => boolean,
): boolean => {
  const deadline = Date.parse(labels['evolve.deadline'] ?? '');
  return (!Number.isNaN(deadline) && deadline < now.getTime()) || !lives(labels['evolve.owner'] ?? '');
};

/**
 * A container without a deadline ends when its worker is gone, because its input does. Where that worker was on another
 * host, and never comes back, nobody else removes it.
 */
const isEnded = (labels: { readonly [name: string]: string }, state: string): boolean =>
  state === 'exited' && labels['evolve.deadline'] === 'none' && isElsewhere(labels['evolve.owner'] ?? '');

type Reaper = { sweep(): Promise<number>; close(): void };

export const createReaper = (options: { docker: Docker; home: string; log: Log; periodMs?: number }): Reaper => {
  const sweep = async (): Promise<number> => {
    const listed = await options.docker.listContainers({
      all: true,
      filters: JSON.stringify({ label: [`evolve.home=${options.home}`] }),
    });
    const orphans = listed.filter(
      ({ Labels, State }) => isOrphan(Labels, steadyNow(), ownerLives) || isEnded(Labels, State),
    );
    for (const orphan of orphans) await removeContainer(options.docker, orphan.Id);
    if (orphans.length > 0)
      options.log(`reaper: removed ${orphans.length} container(s) without owner or past their deadline`);
    return orphans.length;
  };
  const timer = setInterval(() => {
    sweep().catch((error: Error) => options.log(`reaper: ${error.message}; trying again in a minute`));
  }, options.periodMs ?? PERIOD_MS);
  timer.unref();
  return { sweep, close: () => clearInterval(timer) };
};

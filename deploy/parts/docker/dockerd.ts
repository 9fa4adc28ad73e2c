// Starts and stops a Docker engine of our own.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';
import { identityOf, isAlive, type ProcessRef, signal, waitGone } from '../../host/process-identity.ts';
import { findOnPath, SetupError } from '../../host/run-command.ts';
import { engineAnswers, engineRuntimes } from './engine-address.ts';

/** The places of an engine's files. The tests name others, to start one beside the machine's own. */
export type DockerdPlaces = {
  readonly socket: string;
  /** Undefined means dockerd's own default (/var/lib/docker, /var/run/docker, /var/run/docker.pid). */
  readonly dataRoot?: string;
  readonly execRoot?: string;
  readonly pidFile?: string;
  readonly log: string;
};

export const DEFAULT_SOCKET = '/var/run/docker.sock';
const START_TIMEOUT_MS = 120_000;
const RELOAD_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;

/**
 * The engine leaves the machine's network as it was: it makes no bridge, sets no firewall rules and forwards nothing.
 * live-restore makes a restart fast.
 */
const argsOf = (places: DockerdPlaces): readonly string[] => [
  '--config-file',
  configFile(places),
  '-H',
  `unix://${places.socket}`,
  '--bridge',
  'none',
  '--iptables=false',
  '--ip6tables=false',
  '--ip-forward=false',
  '--log-driver',
  'none',
  '--live-restore',
  ...(places.dataRoot ? ['--data-root', places.dataRoot] : []),
  ...(places.execRoot ? ['--exec-root', places.execRoot] : []),
  ...(places.pidFile ? ['--pidfile', places.pidFile] : []),
];

/** Settings that the engine reads again on SIGHUP; ours lie beside its log. */
const configFile = (places: DockerdPlaces): string => join(dirname(places.log), 'daemon.json');

type Config = { readonly runtimes?: { readonly [name: string]: OciRuntimeEntry } };
export type OciRuntimeEntry = { readonly path: string; readonly runtimeArgs: readonly string[] };

/** The settings of the machine's own file hold too: dockerd reads one file only. */
const writeConfig = (places: DockerdPlaces, added: NonNullable<Config['runtimes']> = {}): void => {
  const machine = readJsonOrNull<Config>('/etc/docker/daemon.json') ?? {};
  const before = readJsonOrNull<Config>(configFile(places))?.runtimes ?? {};
  const runtimes = { ...before, ...machine.runtimes, ...added };
  writeJsonAtomically(configFile(places), { ...machine, ...(Object.keys(runtimes).length > 0 ? { runtimes } : {}) });
};

/** Adds an OCI runtime to an engine that runs. No container is touched by it. */
export const addRuntime = async (
  daemon: ProcessRef,
  places: DockerdPlaces,
  name: string,
  entry: OciRuntimeEntry,
): Promise<void> => {
  // An engine that was started before there was such a file reads the machine's, and would not see it.
  if (!existsSync(configFile(places)))
    throw new SetupError(
      'the Docker engine was started without a configuration of ours, so no runtime can be added to it: run `npx evolve down` for every data directory, then `npx evolve up`',
    );
  writeConfig(places, { [name]: entry });
  signal(daemon, 'SIGHUP');
  const deadline = performance.now() + RELOAD_TIMEOUT_MS;
  while (!(await engineRuntimes(`unix://${places.socket}`)).includes(name)) {
    if (performance.now() > deadline)
      throw new SetupError(
        `the Docker engine did not take the runtime ${name} (log: ${places.log}):\n${logTail(places.log)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const pidFilesOf = (places: DockerdPlaces): readonly string[] => [
  places.pidFile ?? '/var/run/docker.pid',
  join(places.execRoot ?? '/var/run/docker', 'containerd', 'containerd.pid'),
];

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
  } catch {
    return '';
  }
};

/** Removes a pid file whose process has ended, is a zombie, or is another one by now: it would block the next start. */
const removeStalePidFiles = (places: DockerdPlaces): void => {
  for (const file of pidFilesOf(places)) {
    let pid: number;
    try {
      pid = Number(readFileSync(file, 'utf8').trim());
    } catch {
      continue;
    }
    const isEngine = identityOf(pid) !== null && /(dockerd|containerd)$/.test(commandOf(pid));
    if (!isEngine) rmSync(file, { force: true });
  }
};

const logTail = (log: string): string => {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-3).join('\n');
  } catch {
    return '';
  }
};

/** Starts the daemon, detached, and waits until it answers. The engine's lock must be held. */
export const startDockerd = async (places: DockerdPlaces): Promise<ProcessRef> => {
  const file = findOnPath('dockerd', `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/bin:/sbin`);
  if (!file) throw new SetupError('dockerd is not installed: apt-get install -y --no-install-recommends docker.io');
  removeStalePidFiles(places);
  mkdirSync(dirname(places.log), { recursive: true });
  writeConfig(places);
  const log = openSync(places.log, 'a');
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: process.env['HOME'] ?? '/root',
  };
  const child = spawn(file, [...argsOf(places)], { detached: true, stdio: ['ignore', log, log], env, cwd: '/' });
  closeSync(log);
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  child.unref();
  if (child.pid === undefined) throw new SetupError(`dockerd does not start: ${(await failed).message}`);
  const started = { pid: child.pid, identity: identityOf(child.pid) ?? 'gone' };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await engineAnswers(`unix://${places.socket}`, 5_000))) {
    if (!isAlive(started) || performance.now() > deadline) {
      throw new SetupError(
        `dockerd ${isAlive(started) ? 'does not answer' : 'ended at once'} (log: ${places.log}):\n${logTail(places.log)}\nStart a Docker engine yourself and set DOCKER_HOST, or use EVOLVE_SANDBOX=bubblewrap`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return started;
};

/** The daemon's containerd ends with it, and is killed if it does not. */
export const stopDockerd = async (daemon: ProcessRef, places: DockerdPlaces): Promise<void> => {
  const containerd = containerdOf(places);
  signal(daemon, 'SIGTERM');
  if (!(await waitGone([daemon], STOP_TIMEOUT_MS))) signal(daemon, 'SIGKILL');
  await waitGone([daemon], 5_000);
  if (containerd && !(await waitGone([containerd], 5_000))) signal(containerd, 'SIGTERM');
  if (containerd && !(await waitGone([containerd], 5_000))) signal(containerd, 'SIGKILL');
  removeStalePidFiles(places);
};

/** The containerd of these places, or null when it does not run. */
export const containerdOf = (places: DockerdPlaces): ProcessRef | null => {
  try {
    const pid = Number(readFileSync(pidFilesOf(places)[1]!, 'utf8').trim());
    const identity = identityOf(pid);
    return identity && commandOf(pid).endsWith('containerd') ? { pid, identity } : null;
  } catch {
    return null;
  }
};

// Chooses ports: the remembered one, else the default, else a free one. Reservations keep two homes that start at once
// from choosing the same.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockHolder, tryLock } from '../host/lock.ts';
import { ownFolder } from '../host/private.ts';
import { SetupError } from '../host/run-command.ts';
import { bindable, findFreePort } from './free-port.ts';

export const DEFAULT_PORTS = {
  temporal: 7233,
  ui: 8233,
  metrics: 7299,
  mongo: 27017,
  trainer: 8766,
  page: 8235,
} as const;
export type PortName = keyof typeof DEFAULT_PORTS;
export type Ports = Readonly<Record<PortName, number>>;

/** The setting that demands a port. A demanded port is used or refused, and never replaced. */
export const portSetting = (name: PortName): string => `EVOLVE_${name.toUpperCase()}_PORT`;

export const isFree = async (port: number): Promise<boolean> => (await bindable(port)) !== null;

/** A reservation lasts as long as the process that made it, because the server may not yet listen on its port. */
const reservations = (): string => join(tmpdir(), `evolve-ports-${process.getuid?.() ?? 0}`);
const reservation = (port: number): string => join(reservations(), String(port));
const reserve = (port: number): boolean => {
  ownFolder(reservations());
  return tryLock(reservation(port)) || lockHolder(reservation(port))?.pid === process.pid;
};

/** The ports below it belong to the system, and only its administrator may take them. */
const FIRST_PORT = 1_024;

const demandedPort = (name: PortName, env: NodeJS.ProcessEnv): number | null => {
  const text = env[portSetting(name)];
  if (!text) return null;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < FIRST_PORT || port > 65_535)
    throw new SetupError(
      `${portSetting(name)}: expected a port from ${FIRST_PORT} to 65535, got ${JSON.stringify(text)}`,
    );
  return port;
};

/** Checks the settings before anything is fetched or started. Throws SetupError where one names no possible port. */
export const requirePortSettings = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(DEFAULT_PORTS) as PortName[]) demandedPort(name, env);
};

const takeFree = async (taken: ReadonlySet<number>): Promise<number> => {
  const port = await findFreePort((found) => !taken.has(found) && reserve(found));
  if (port === null) throw new SetupError('no free port on 127.0.0.1');
  return port;
};

type PortOptions = {
  readonly remembered: Partial<Ports>;
  /** Ports that living processes of this home hold, which are kept as they are. */
  readonly held: ReadonlySet<number>;
  readonly env: NodeJS.ProcessEnv;
  readonly defaults?: Ports;
};

const choose = async (
  name: PortName,
  { remembered, held, env, defaults = DEFAULT_PORTS }: PortOptions,
  taken: ReadonlySet<number>,
): Promise<number> => {
  const usable = async (port: number): Promise<boolean> =>
    !taken.has(port) && (held.has(port) || ((await isFree(port)) && reserve(port)));
  const demanded = demandedPort(name, env);
  if (demanded !== null) {
    if (await usable(demanded)) return demanded;
    throw new SetupError(
      `port ${demanded} (${portSetting(name)}) is taken by another process: end it (\`ss -ltnp 'sport = :${demanded}'\` names it), choose another, or unset ${portSetting(name)} to take a free one`,
    );
  }
  for (const port of [remembered[name], defaults[name]]) if (port && (await usable(port))) return port;
  return takeFree(taken);
};

/** One port for each name, all different, on 127.0.0.1. */
export const choosePorts = async (options: PortOptions): Promise<Ports> => {
  const taken = new Set<number>();
  const chosen: Partial<Record<PortName, number>> = {};
  for (const name of Object.keys(DEFAULT_PORTS) as PortName[]) {
    const port = await choose(name, options, taken);
    taken.add(port);
    chosen[name] = port;
  }
  return chosen as Ports;
};

/** To be called once the servers listen, because their ports then need no reservation. */
export const releaseReservations = (ports: Partial<Ports>): void => {
  for (const port of Object.values(ports))
    if (lockHolder(reservation(port))?.pid === process.pid) rmSync(reservation(port), { force: true });
};

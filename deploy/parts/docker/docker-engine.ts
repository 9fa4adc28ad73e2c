// Finds a Docker engine, or installs and starts one where we may.
import { existsSync } from 'node:fs';
import { aptInstall, findOnPath, isRoot, mayInstallPackages, type Say, SetupError } from '../../host/run-command.ts';
import { DEFAULT_SOCKET } from './dockerd.ts';
import { canAsk, engineAnswers, engineSilence } from './engine-address.ts';
import { defaultRegister, ensureOwnedEngine, ownedEngine } from './shared-dockerd.ts';
import { allLevels, DEFAULT_LEVEL, fallbackLevels, type Level, levelOf } from '../../../evolution/config/levels.ts';

export type Engine =
  /** DOCKER_HOST, an engine that was there, or one that an evolve home started. `level` is that of runs that leave it open. */
  | { readonly kind: 'given' | 'running' | 'started'; readonly host: string; readonly level: string }
  /** `level` takes the place of an engine; null where the machine has none that can. */
  | { readonly kind: 'none'; readonly host: null; readonly level: string | null; readonly message: string };

type Found = Pick<Engine & { host: string }, 'kind' | 'host'>;

const INSTALL = 'apt-get install -y --no-install-recommends docker.io mmdebstrap';

const sockets = (env: NodeJS.ProcessEnv): readonly string[] => [
  DEFAULT_SOCKET,
  ...(env['XDG_RUNTIME_DIR'] ? [`${env['XDG_RUNTIME_DIR']}/docker.sock`] : []),
];

const fromSetting = async (host: string): Promise<Found> => {
  if (!canAsk(host)) return { kind: 'given', host };
  if (await engineAnswers(host)) return { kind: 'given', host };
  throw new SetupError(
    `DOCKER_HOST=${host}: no Docker engine answers there (${await engineSilence(host)}); start it, correct the address, or unset DOCKER_HOST`,
  );
};

/** Why no engine is there, as a clause, and the one command that helps. */
const absence = async (): Promise<{ readonly why: string; readonly help: string }> => {
  const silence = existsSync(DEFAULT_SOCKET) ? await engineSilence(`unix://${DEFAULT_SOCKET}`) : 'ENOENT';
  if (silence === 'EACCES')
    return {
      why: `the Docker engine at ${DEFAULT_SOCKET} does not let this user in`,
      help: 'run `sudo usermod -aG docker $USER` and log in again',
    };
  return {
    why: `no Docker engine answers at ${DEFAULT_SOCKET} (${silence}) and this user may not start one`,
    help: findOnPath('apt-get')
      ? `run \`sudo ${INSTALL} && sudo systemctl start docker\``
      : 'install Docker and start it',
  };
};

const startOwn = async (register: string, say: Say): Promise<Found> => {
  if (!findOnPath('dockerd')) {
    say('docker', 'no engine on this machine: installing docker.io and mmdebstrap with apt-get');
    const { ok, error } = await aptInstall(['docker.io', 'mmdebstrap']);
    // Debian's package starts the engine itself where systemd runs.
    if (!ok) throw new SetupError(`${INSTALL} failed:\n${error}`);
  }
  for (let waitedMs = 0; waitedMs < 2_000 && existsSync('/run/systemd/system'); waitedMs += 200) {
    if (await engineAnswers(`unix://${DEFAULT_SOCKET}`)) return { kind: 'running', host: `unix://${DEFAULT_SOCKET}` };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const daemon = await ensureOwnedEngine(register);
  say(
    'docker',
    daemon
      ? `started dockerd (pid ${daemon.pid}) without bridge and firewall rules; the last \`evolve down\` on this machine stops it`
      : 'another process has just started it',
  );
  return { kind: daemon ? 'started' : 'running', host: `unix://${DEFAULT_SOCKET}` };
};

const fallback = async (): Promise<Engine> => {
  const level = fallbackLevels().find(({ program }) => findOnPath(program!.command));
  const { why, help } = await absence();
  const packages = fallbackLevels().map(({ program }) => program!.package);
  const message =
    level === undefined
      ? `${why}: ${help}, or set DOCKER_HOST, or install ${packages.join(' or ')} and mmdebstrap for a weaker isolation, which every result names`
      : `${why}, so programs run on the level ${level.name}, which is weaker: ${level.program!.weaker}`;
  return { kind: 'none', host: null, level: level?.name ?? null, message };
};

/** The level that EVOLVE_SANDBOX names. `none` is for benches, which evaluate nothing. */
const levelIn = ({ EVOLVE_SANDBOX: name }: NodeJS.ProcessEnv): Level | null => {
  if (name === undefined || name === '' || name === 'none') return null;
  const level = levelOf(name);
  if (level !== null) return level;
  throw new SetupError(
    `EVOLVE_SANDBOX: expected one of ${allLevels()
      .map((one) => one.name)
      .join(', ')}, got ${name}`,
  );
};

/** Tries DOCKER_HOST, then the socket, then an engine of our own where we are root on Debian or Ubuntu. */
const findEngine = async (say: Say, env: NodeJS.ProcessEnv, register: string): Promise<Found | null> => {
  if (env['DOCKER_HOST']) {
    const named = await fromSetting(env['DOCKER_HOST']);
    say('docker', `engine at ${named.host} (DOCKER_HOST)`);
    return named;
  }
  for (const socket of sockets(env)) {
    if (!(await engineAnswers(`unix://${socket}`))) continue;
    const kind = ownedEngine(register)?.places.socket === socket ? 'started' : 'running';
    say('docker', `engine at ${socket} (${kind === 'started' ? 'started by evolve' : 'was running'})`);
    return { kind, host: `unix://${socket}` };
  }
  return isRoot() && (findOnPath('dockerd') || mayInstallPackages()) ? startOwn(register, say) : null;
};

/** Looks for no engine where EVOLVE_SANDBOX names a level without one. A level that the machine has takes its place. */
export const ensureDockerEngine = async (
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
  register = defaultRegister(),
): Promise<Engine> => {
  const level = levelIn(env);
  if (level?.engine === false) {
    const { name, program } = level;
    if (program !== undefined && !findOnPath(program.command))
      throw new SetupError(
        `EVOLVE_SANDBOX=${name} and no ${program.command} on PATH: apt-get install ${program.package}, or unset EVOLVE_SANDBOX`,
      );
    say('docker', `not used: EVOLVE_SANDBOX=${name} (every result says so)`);
    return { kind: 'none', host: null, level: name, message: `EVOLVE_SANDBOX=${name}` };
  }
  const place = await findEngine(say, env, register);
  if (place !== null) return { ...place, level: level?.name ?? DEFAULT_LEVEL };
  const engine = await fallback();
  if (engine.level !== null && engine.kind === 'none') say('docker', engine.message);
  return engine;
};

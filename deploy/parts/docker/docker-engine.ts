// Finds a Docker engine, or installs and starts one where we may.
import { existsSync } from 'node:fs';
import { aptInstall, findOnPath, isRoot, mayInstallPackages, type Say, SetupError } from '../../host/run-command.ts';
import { DEFAULT_SOCKET } from './dockerd.ts';
import { canAsk, engineAnswers, engineSilence } from './engine-address.ts';
import { defaultRegister, ensureOwnedEngine, ownedEngine } from './shared-dockerd.ts';

export type Engine =
  /** DOCKER_HOST, an engine that was there, or one that an evolve home started. */
  | { readonly kind: 'given' | 'running' | 'started'; readonly host: string }
  /** The fallback has weaker isolation and no image, and every result is marked with it. */
  | { readonly kind: 'bubblewrap'; readonly host: null; readonly message: string }
  | { readonly kind: 'none'; readonly host: null; readonly message: string };

const INSTALL = 'apt-get install -y --no-install-recommends docker.io mmdebstrap';

const sockets = (env: NodeJS.ProcessEnv): readonly string[] => [
  DEFAULT_SOCKET,
  ...(env['XDG_RUNTIME_DIR'] ? [`${env['XDG_RUNTIME_DIR']}/docker.sock`] : []),
];

const fromSetting = async (host: string): Promise<Engine> => {
  if (!canAsk(host)) return { kind: 'given', host };
  if (await engineAnswers(host)) return { kind: 'given', host };
  throw new SetupError(
    `DOCKER_HOST=${host}: no Docker engine answers there (${await engineSilence(host)}); start it, correct the address, or unset DOCKER_HOST`,
  );
};

/** Says why no engine is there, and the one command that helps. */
const absence = async (): Promise<string> => {
  const silence = existsSync(DEFAULT_SOCKET) ? await engineSilence(`unix://${DEFAULT_SOCKET}`) : 'ENOENT';
  if (silence === 'EACCES')
    return `the Docker engine at ${DEFAULT_SOCKET} does not let this user in: run \`sudo usermod -aG docker $USER\` and log in again, or set DOCKER_HOST`;
  const start = findOnPath('apt-get')
    ? `sudo ${INSTALL} && sudo systemctl start docker`
    : 'install Docker and start it';
  return `no Docker engine answers at ${DEFAULT_SOCKET} (${silence}) and this user may not start one: run \`${start}\`, or set DOCKER_HOST, or install bubblewrap (weaker isolation, flagged in every result)`;
};

const startOwn = async (register: string, say: Say): Promise<Engine> => {
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
  const message = await absence();
  return findOnPath('bwrap')
    ? { kind: 'bubblewrap', host: null, message: `${message}. Falling back to bubblewrap` }
    : { kind: 'none', host: null, message };
};

/**
 * Tries in this order: DOCKER_HOST, the socket, an engine of our own where we are root on Debian or Ubuntu, bubblewrap.
 * Else there is none.
 */
export const ensureDockerEngine = async (
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
  register = defaultRegister(),
): Promise<Engine> => {
  if (env['EVOLVE_SANDBOX'] === 'bubblewrap') {
    if (!findOnPath('bwrap'))
      throw new SetupError(
        'EVOLVE_SANDBOX=bubblewrap and no bwrap on PATH: apt-get install bubblewrap, or unset EVOLVE_SANDBOX',
      );
    say('docker', 'not used: EVOLVE_SANDBOX=bubblewrap (weaker isolation than containers; every result says so)');
    return { kind: 'bubblewrap', host: null, message: 'EVOLVE_SANDBOX=bubblewrap' };
  }
  if (env['DOCKER_HOST']) {
    const given = await fromSetting(env['DOCKER_HOST']);
    say('docker', `engine at ${given.host} (DOCKER_HOST)`);
    return given;
  }
  for (const socket of sockets(env)) {
    if (!(await engineAnswers(`unix://${socket}`))) continue;
    const kind = ownedEngine(register)?.places.socket === socket ? 'started' : 'running';
    say('docker', `engine at ${socket} (${kind === 'started' ? 'started by evolve' : 'was running'})`);
    return { kind, host: `unix://${socket}` };
  }
  if (isRoot() && (findOnPath('dockerd') || mayInstallPackages())) return startOwn(register, say);
  const engine = await fallback();
  if (engine.kind === 'bubblewrap') say('docker', engine.message);
  return engine;
};

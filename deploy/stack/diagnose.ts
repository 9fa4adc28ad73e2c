// The checks of `evolve doctor`: each part, its state, and the fix. They change nothing.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull } from '../host/files.ts';
import { ADVISED_FREE_BYTES, dependencies, freeBytes, type Home, nativeFault } from '../host/home.ts';
import { soonMs } from '../host/patience.ts';
import { isOpenToOthers } from '../host/private.ts';
import { runCommand } from '../host/run-command.ts';
import { leastFree, sharedDisk, shortage, spaceOf } from '../host/space.ts';
import { metricsDetail } from '../host/telemetry.ts';
import { readMarker } from '../parts/database/database-marker.ts';
import { askEngine, canAsk, engineAnswers } from '../parts/docker/engine-address.ts';
import { answersWithoutPassword } from '../parts/database/mongo-user.ts';
import { DEFAULT_PORTS, isFree, type PortName, type Ports } from '../parts/ports.ts';
import { findPython } from '../parts/python/python.ts';
import { recordedVersion } from '../parts/temporal/temporal-cli.ts';
import { venvState } from '../parts/python/venv.ts';
import { type Health, probe } from '../supervisor/health.ts';
import { PAGE, pageAnswers } from '../supervisor/page-child.ts';
import { keepsEnding, processesOf, readUp, type UpInfo } from '../supervisor/plan.ts';
import {
  checkExternalDatabase,
  checkTemporal,
  isTemporalExternal,
  temporalOptions,
  withoutPassword,
} from '../servers/external-servers.ts';
import { learningState } from './learning.ts';
import { DEFAULT_LEVEL, levelOf } from '../../evolution/config/levels.ts';

export type Finding = { readonly part: string; readonly ok: boolean; readonly detail: string; readonly fix?: string };
type Check = { readonly part: string; readonly check: () => Promise<Omit<Finding, 'part'>> };

const well = (detail: string): Omit<Finding, 'part'> => ({ ok: true, detail });
const unwell = (detail: string, fix: string): Omit<Finding, 'part'> => ({ ok: false, detail, fix });

const START = 'npx evolve up';
const OTHER_TEMPORAL = 'or name another one in TEMPORAL_ADDRESS or a profile and run `npx evolve up` again';

const checkNode = async (): Promise<Omit<Finding, 'part'>> => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18)
    ? well(`${process.version} (${process.execPath})`)
    : unwell(
        `${process.version} cannot run TypeScript as it is`,
        'run through `npx evolve` or npm scripts, which use the pinned Node 24',
      );
};

const checkNpm = async (): Promise<Omit<Finding, 'part'>> => {
  const { ok, stdout, error } = await runCommand('npm', ['--version'], { timeoutMs: 15_000 });
  return ok ? well(stdout.trim()) : unwell(error.split('\n')[0] ?? '', 'install npm (it comes with Node)');
};

const checkPython = async (home: Home): Promise<Omit<Finding, 'part'>> => {
  const state = venvState(home);
  const python = await findPython();
  if (state === 'ready') return well(`virtual environment ready in ${home.parts}`);
  if (!python) return unwell('no CPython 3.10 to 3.13 on PATH', 'apt-get install python3 python3-venv');
  if (!python.hasVenv) return unwell(`${python.executable} lacks venv`, 'apt-get install python3-venv');
  return well(
    `CPython ${python.version} (${python.executable}); virtual environment ${state === 'absent' ? 'not needed yet' : 'unfinished, made again by the next start'}`,
  );
};

const SLOW_MS = 2_000;
const BUSY =
  'wait until the machine is less busy and run `npx evolve doctor` again; if it stays silent, `npx evolve down`, then `npx evolve up`';

/** Checks a server of ours. One whose process lives and whose port is open counts as slow, never as gone. */
const checkServer = async (
  home: Home,
  process: string,
  health: Health,
  name: string,
  patienceMs: number,
): Promise<Omit<Finding, 'part'>> => {
  const begun = performance.now();
  const answer = await probe(health, { pid: 0, log: '' }, patienceMs);
  const took = performance.now() - begun;
  const living = processesOf(home).find((one) => one.name === process && one.alive);
  switch (answer) {
    case 'well':
      return well(took < SLOW_MS ? name : `${name}; slow: it answered after ${(took / 1000).toFixed(1)} s`);
    case 'slow':
      return unwell(
        `slow: ${name} takes connections and has not answered in ${Number((patienceMs / 1000).toFixed(1))} s`,
        BUSY,
      );
    case 'ill':
      return unwell(`${name} answers that it is not ready`, living ? `wait a moment; its log: ${living.log}` : START);
    case 'away':
      return living
        ? unwell(
            `${name} takes no connections yet, and its process ${living.pid} lives`,
            `wait a moment; its log: ${living.log}`,
          )
        : unwell(`no answer from ${name}`, START);
  }
};

const checkEngine = async (home: Home, up: UpInfo | null, patienceMs: number): Promise<Omit<Finding, 'part'>> => {
  if (!up)
    return unwell(
      isTemporalExternal(process.env)
        ? 'external server, not asked before `evolve up`'
        : `not started${recordedVersion(home) ? `; data written by CLI ${recordedVersion(home)}` : ''}`,
      START,
    );
  if (up.temporal.external) {
    const options = await temporalOptions(home, up.temporal, process.env);
    const { namespace } = up.temporal;
    return checkTemporal({ ...options, namespace }, OTHER_TEMPORAL, patienceMs).then(
      () => well(`external server at ${options.address}`),
      (error: unknown) => unwell((error as Error).message, 'start it, or check TEMPORAL_ADDRESS and `npx evolve up`'),
    );
  }
  const port = Number(up.temporal.address.split(':').at(-1));
  return checkServer(
    home,
    'temporal',
    { kind: 'temporal', port },
    `dev server at ${up.temporal.address}, UI ${up.temporal.ui}`,
    patienceMs,
  );
};

const checkDatabase = async (home: Home, up: UpInfo | null, patienceMs: number): Promise<Omit<Finding, 'part'>> => {
  const marker = readMarker(home);
  if (!up) return unwell(`not started${marker ? `; data written by ${marker.kind} ${marker.version}` : ''}`, START);
  const { uri, kind, version, external } = up.database;
  const name = `${kind}${version ? ` ${version}` : ''} at ${withoutPassword(uri)}`;
  if (external)
    return checkExternalDatabase(uri, { timeoutMs: patienceMs }).then(
      () => well(uri.includes('@') ? name : `${name}, without a password: whoever reaches it can read and change runs`),
      (error: unknown) => unwell((error as Error).message, 'check MONGODB_URI'),
    );
  const port = Number(new URL(uri).port);
  const finding = await checkServer(home, 'database', { kind: 'mongo', port }, name, patienceMs);
  // A server that is too slow to tell has a finding of its own.
  if (!finding.ok || !(await answersWithoutPassword(port, patienceMs).catch(() => false))) return finding;
  return unwell(
    `${name} asks for no password: other users of this machine can read and change runs`,
    'npx evolve down, then npx evolve up',
  );
};

const checkPrivacy = async (home: Home): Promise<Omit<Finding, 'part'>> => {
  const open = ['.', 'keys.json', 'database-password', 'plan.json', 'up.json', 'notify.json'].filter((name) => {
    const stats = statSync(join(home.root, name), { throwIfNoEntry: false });
    return stats !== undefined && isOpenToOthers(stats);
  });
  if (open.length === 0) return well(`${home.root} is closed to other users`);
  return unwell(
    `other users of this machine may read ${open.map((name) => join(home.root, name)).join(', ')}`,
    'npx evolve up closes it; where that does not help, set EVOLVE_HOME to a disk that knows permissions',
  );
};

/** What keeps a parent in a container from making namespaces: settings of the kernel, by what they are then. */
const NO_NAMESPACES = { 'user/max_user_namespaces': '0', 'kernel/apparmor_restrict_unprivileged_userns': '1' };

/** The level of programs where a run leaves it open, and why. `settings` is the folder of the kernel's. */
export const levelHere = (level: string, settings = '/proc/sys'): string => {
  if (level !== DEFAULT_LEVEL) return `programs run on the level ${level}, as this installation was started`;
  const refused = Object.entries(NO_NAMESPACES).find(([name, value]) => {
    const path = join(settings, name);
    return existsSync(path) && readFileSync(path, 'utf8').trim() === value;
  });
  return refused === undefined
    ? `programs run on the level ${level}: each forked into namespaces of its own`
    : `programs run on the level docker, a container for each, because ${refused[0].replace('/', '.')} is ${refused[1]}`;
};

const checkDocker = async (up: UpInfo | null): Promise<Omit<Finding, 'part'>> => {
  if (up !== null && levelOf(up.docker.level)?.engine === false)
    return well(`not used: programs run on the level ${up.docker.level}, and every result says so`);
  const host = up?.docker.host ?? process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  if (!canAsk(host)) return well(`${host} (not asked directly)`);
  if (!(await engineAnswers(host)))
    return unwell(
      `no engine answers at ${host}`,
      'npx evolve up (as root on Debian or Ubuntu it installs and starts one), or start Docker, or set DOCKER_HOST',
    );
  const { body } = await askEngine(host, 'GET', '/info', 10_000);
  const info = JSON.parse(body) as {
    ServerVersion?: string;
    SecurityOptions?: string[];
    CgroupVersion?: string;
    MemoryLimit?: boolean;
    PidsLimit?: boolean;
  };
  const lacks = [
    ...((info.SecurityOptions ?? []).some((option) => option.includes('seccomp')) ? [] : ['seccomp']),
    ...(info.MemoryLimit === false ? ['memory limits'] : []),
    ...(info.PidsLimit === false ? ['process limits'] : []),
  ];
  const name = `engine ${info.ServerVersion ?? '?'} at ${host}, cgroup v${info.CgroupVersion ?? '?'}`;
  return lacks.length === 0
    ? well(`${name}; ${levelHere(up?.docker.level ?? DEFAULT_LEVEL)}`)
    : unwell(`${name} lacks ${lacks.join(', ')}`, 'use an engine with seccomp and memory and pids cgroup controllers');
};

const checkImage = async (up: UpInfo | null): Promise<Omit<Finding, 'part'>> => {
  if (!up) return unwell('not known before the first start', START);
  const { host } = up.docker;
  if (up.image.id === null || host === null) return well('not used');
  if (!canAsk(host)) return well(up.image.id);
  const { status } = await askEngine(host, 'GET', `/images/${up.image.id}/json`, 10_000);
  return status === 200 ? well(up.image.id) : unwell(`${up.image.id} is not in the engine`, START);
};

const checkDisk = async (home: Home): Promise<Omit<Finding, 'part'>> => {
  const space = await spaceOf(home.root);
  const { free } = space;
  const text = `${(free / 1e9).toFixed(1)} GB free for ${home.root}`;
  const short = shortage(home.root, space, leastFree(process.env));
  if (short !== null) return unwell(`${text}, so runs are parked`, short);
  const shared = sharedDisk(home.root);
  if (shared !== null) return unwell(text, shared);
  return free >= ADVISED_FREE_BYTES
    ? well(text)
    : unwell(text, 'make room (2 GB wanted), or set EVOLVE_HOME to a directory on another disk');
};

const checkLearning = async (home: Home): Promise<Omit<Finding, 'part'>> => {
  const { trainers, python } = await learningState(home, process.env);
  if (trainers.length === 0) return well('not used: no run of this data directory has asked for it');
  if (python === null)
    return unwell(`asked for (${trainers.join(', ')}), and its Python environment is not complete`, START);
  const room = freeBytes(home.root);
  const detail = `${trainers.join(', ')}: PyTorch ${python.torch} of ${python.how}, ${python.device}; ${(room / 1e9).toFixed(1)} GB free for policies`;
  return python.works ? well(detail) : unwell(detail, 'npx evolve up');
};

const checkPorts = async (home: Home, up: UpInfo | null): Promise<Omit<Finding, 'part'>> => {
  const ports = readJsonOrNull<Partial<Ports>>(home.portsFile) ?? DEFAULT_PORTS;
  const list = (Object.entries(ports) as [PortName, number][]).map(([name, port]) => `${name} ${port}`).join(', ');
  if (up) return well(list);
  const taken = (
    await Promise.all(
      (Object.entries(ports) as [PortName, number][]).map(async ([name, port]) =>
        (await isFree(port)) ? [] : [`${name} ${port}`],
      ),
    )
  ).flat();
  return well(
    taken.length === 0 ? list : `${list}; taken by others, free ones will be used instead: ${taken.join(', ')}`,
  );
};

const checkProcesses = async (home: Home, up: UpInfo | null): Promise<Omit<Finding, 'part'>> => {
  const processes = processesOf(home);
  if (processes.length === 0) return unwell('none: not started', START);
  const ending = keepsEnding(up);
  if (ending.length > 0) return unwell(ending.join('; '), 'mend what the log names, then npx evolve up');
  const bad = processes.filter(({ healthy, optional }) => !healthy && optional !== true);
  const list = processes.map(({ name, pid }) => `${name} ${pid}`).join(', ');
  return bad.length === 0
    ? well(list)
    : unwell(`not well: ${bad.map(({ name, log }) => `${name} (log: ${log})`).join(', ')}`, START);
};

/** Runs go on without it, so it is never what is wrong with them. */
const checkPage = async (home: Home, up: UpInfo | null): Promise<Omit<Finding, 'part'>> => {
  const page = processesOf(home).find(({ name }) => name === PAGE);
  if (page === undefined) return well('not served by this data directory; `npx evolve ui` serves it');
  if (!page.healthy)
    return unwell(`does not answer (log: ${page.log}); runs go on without it`, 'npx evolve ui --port 0');
  const url = `http://127.0.0.1:${page.port}`;
  if (!(await pageAnswers(home, url, up?.page?.tokenFile ?? null)))
    return unwell(`${url} does not answer as the page of ${home.root}`, START);
  const whom = up?.page ? `with the token in ${up.page.tokenFile}` : 'for all users of this machine';
  return well(`${url}, ${whom}`);
};

const checkPackages = async (): Promise<Omit<Finding, 'part'>> => {
  const fault = nativeFault();
  if (fault !== null) return unwell(fault, 'npm install --include=optional');
  const versions = Object.entries(dependencies());
  const absent = versions.flatMap(([name, version]) => (version === null ? [name] : []));
  return absent.length === 0 ? well(`${versions.length} installed`) : unwell(`missing: ${absent.join(', ')}`, 'npm ci');
};

/** Checks each part in the order of the set-up. A check that fails is a finding and never an exception. */
export const diagnose = async (
  home: Home,
  { patienceMs = soonMs() }: { readonly patienceMs?: number } = {},
): Promise<readonly Finding[]> => {
  let complaint: string | null = null;
  const up = readUp(home, (message) => {
    complaint = message;
  });
  const checks: readonly Check[] = [
    { part: 'Node', check: checkNode },
    { part: 'npm', check: checkNpm },
    { part: 'npm packages', check: checkPackages },
    { part: 'Python', check: () => checkPython(home) },
    { part: 'disk', check: () => checkDisk(home) },
    { part: 'privacy', check: () => checkPrivacy(home) },
    { part: 'learning', check: () => checkLearning(home) },
    { part: 'Docker engine', check: () => checkDocker(up) },
    { part: 'evaluator image', check: () => checkImage(up) },
    { part: 'ports', check: () => checkPorts(home, up) },
    { part: 'Temporal', check: () => checkEngine(home, up, patienceMs) },
    { part: 'database', check: () => checkDatabase(home, up, patienceMs) },
    { part: 'processes', check: () => checkProcesses(home, up) },
    { part: 'page', check: () => checkPage(home, up) },
    { part: 'metrics', check: async () => well(metricsDetail(home)) },
  ];
  const findings = await Promise.all(
    checks.map(({ part, check }) =>
      check().then(
        (finding) => ({ part, ...finding }),
        (error: unknown): Finding => ({ part, ok: false, detail: (error as Error).message, fix: START }),
      ),
    ),
  );
  return complaint === null ? findings : [{ part: 'up.json', ok: false, detail: complaint, fix: START }, ...findings];
};

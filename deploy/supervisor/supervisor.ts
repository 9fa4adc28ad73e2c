// The detached process that owns a home's servers and workers: node deploy/supervisor/supervisor.ts <home> <revision>.
// SIGTERM stops everything in reverse order, SIGHUP makes it follow a new plan.json, SIGUSR2 leaves the children to a
// successor.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import { resolveHome } from '../host/home.ts';
import { tryLock, unlock } from '../host/lock.ts';
import { self } from '../host/process-identity.ts';
import { ensureOwnedEngine, ownedEngine } from '../parts/docker/shared-dockerd.ts';
import type { Backoff } from './child.ts';
import { type Plan, readUp, type UpInfo, type UpProcess } from './plan.ts';
import { Supervision } from './supervision.ts';

const ENGINE_POLL_MS = 500;
/** The exit code when another supervisor holds the home. */
const EXIT_LOCKED = 3;

// Files of servers and workers belong to the owner of the home alone; the processes inherit this mask.
process.umask(0o077);

const [root, revision = 'unknown'] = process.argv.slice(2);
if (!root) throw new Error('usage: node deploy/supervisor/supervisor.ts <home> <revision>');
const home = resolveHome({ EVOLVE_HOME: root });
const log = join(home.logs, 'supervisor.log');
const note = (line: string): void => console.log(`${new Date().toISOString()} ${line}`);

if (!tryLock(home.supervisorLock)) {
  note('another supervisor runs for this home: ending');
  process.exit(EXIT_LOCKED);
}

let plan = readJson(home.planFile) as Plan;
const me = self();
const startedAt = new Date().toISOString();
let gone = false;

const notOfPlan = (name: string): boolean => name === 'supervisor' || name === 'dockerd';
const entry = (name: string, ref: { pid: number; identity: string }, logFile: string): UpProcess => ({
  name,
  pid: ref.pid,
  identity: ref.identity,
  port: null,
  log: logFile,
  role: '',
  healthy: true,
  restarts: 0,
});

const dockerd = (): readonly UpProcess[] => {
  const engine = plan.dockerRegister === null ? null : ownedEngine(plan.dockerRegister);
  return engine ? [entry('dockerd', engine, engine.places.log)] : [];
};

const writeUp = (): void => {
  if (gone) return;
  // A full disk must not end the supervisor: the children go on, and the next change writes again.
  try {
    writeUpNow();
  } catch (error) {
    note(`${home.upFile} cannot be written: ${(error as Error).message}`);
  }
};

const writeUpNow = (): void => {
  const processes = [entry('supervisor', me, log), ...dockerd(), ...supervision.processes()];
  writeJsonAtomically(home.upFile, {
    home: home.root,
    startedAt,
    supervisor: { ...me, revision },
    plan: plan.id,
    processes,
    ...plan.parts,
  } satisfies UpInfo);
};

/** Tests shorten the pauses between restarts by it. */
const backoff = process.env['EVOLVE_SUPERVISOR_BACKOFF'];

const supervision = new Supervision({
  homeHash: home.hash,
  recorded: (readUp(home, note)?.processes ?? []).filter(({ name }) => !notOfPlan(name)),
  onChange: writeUp,
  note,
  ...(backoff ? { backoff: JSON.parse(backoff) as Backoff } : {}),
});

const stopAll = (why: string): void => {
  note(`stopping: ${why}`);
  void supervision.stop().then(() => {
    gone = true;
    rmSync(home.upFile, { force: true });
    note('stopped');
    end();
  });
};

/**
 * Starts a Docker engine of ours again when it dies (live-restore keeps its containers), and stops everything when the
 * home was removed.
 */
const watch = async (): Promise<void> => {
  let enginePid = dockerd()[0]?.pid;
  let pauseMs = ENGINE_POLL_MS;
  while (!gone) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = ENGINE_POLL_MS;
    if (!gone && !existsSync(home.root)) {
      stopAll('the data directory is gone');
      return;
    }
    if (gone || plan.dockerRegister === null) continue;
    if (!ownedEngine(plan.dockerRegister)) {
      const engine = await ensureOwnedEngine(plan.dockerRegister).catch((error: unknown) => {
        note(`dockerd: ${(error as Error).message}`);
        return null;
      });
      if (engine === null) pauseMs = 10_000;
    }
    const now = dockerd()[0]?.pid;
    if (now !== enginePid) {
      note(`dockerd is now pid ${now ?? 'none'}`);
      enginePid = now;
      writeUp();
    }
  }
};

const end = (): never => {
  gone = true;
  unlock(home.supervisorLock);
  process.exit(0);
};

const follow = (): void => {
  const next = readJsonOrNull<Plan>(home.planFile);
  if (next === null) {
    note(`${home.planFile} cannot be read: going on with the plan of before`);
    return;
  }
  plan = next;
  void supervision.follow(plan.children).then(writeUp);
};

process.on('SIGHUP', follow);
process.on('SIGINT', () => undefined);
process.on('SIGUSR2', () => {
  note('leaving the processes to a successor');
  supervision.release();
  end();
});
process.on('SIGTERM', () => stopAll('SIGTERM'));

note(`supervisor of ${home.root} (pid ${me.pid})`);
writeUp();
follow();
void watch();

// Starts, signals, replaces and stops the supervisor of a home, and waits for what it does.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { writeJsonAtomically } from '../host/files.ts';
import { type Home, projectNode } from '../host/home.ts';
import { lockHolder } from '../host/lock.ts';
import { isAlive, type ProcessRef, signal, waitGone } from '../host/process-identity.ts';
import { SetupError } from '../host/run-command.ts';
import { hashSources } from '../versions/sources.ts';
import { openLog } from './child.ts';
import { baseEnvironment } from './children.ts';
import { refusalOf, tailOf } from './health.ts';
import { type Plan, readUp, refOf, type UpInfo } from './plan.ts';

const HEALTHY_TIMEOUT_MS = 300_000;
const SUPERVISOR_FILE = join(import.meta.dirname, 'supervisor.ts');
/** A child that has failed so often while we wait will not come up by itself. */
const HOPELESS_RESTARTS = 4;

const revision = (): string =>
  hashSources([
    'deploy/supervisor',
    'deploy/host',
    'deploy/parts/docker/dockerd.ts',
    'deploy/parts/docker/shared-dockerd.ts',
  ]);

const startSupervisor = (home: Home): ProcessRef => {
  const log = openLog(join(home.logs, 'supervisor.log'));
  const passed = process.env['EVOLVE_SUPERVISOR_BACKOFF'];
  const env = {
    ...baseEnvironment(home, 'supervisor', process.env),
    ...(passed ? { EVOLVE_SUPERVISOR_BACKOFF: passed } : {}),
  };
  const child = spawn(projectNode(), ['--max-old-space-size=64', SUPERVISOR_FILE, home.root, revision()], {
    detached: true,
    stdio: ['ignore', log, log],
    env,
    cwd: home.root,
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) throw new SetupError(`the supervisor cannot be started with ${projectNode()}`);
  return refOf(child.pid);
};

/** Ends a supervisor that runs older code. Its children stay for the next one. */
const dismissOutdated = async (home: Home): Promise<void> => {
  const holder = lockHolder(home.supervisorLock);
  if (!holder || readUp(home)?.supervisor.revision === revision()) return;
  // The supervisor may just be starting and not have written up.json yet.
  for (let waitedMs = 0; waitedMs < 3_000 && readUp(home) === null && isAlive(holder); waitedMs += 100)
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (readUp(home)?.supervisor.revision === revision()) return;
  signal(holder, 'SIGUSR2');
  if (!(await waitGone([holder], 5_000))) {
    signal(holder, 'SIGKILL');
    await waitGone([holder], 5_000);
  }
};

/** Hands the plan to the supervisor, starting one if none runs. */
export const followPlan = async (home: Home, plan: Plan): Promise<void> => {
  await dismissOutdated(home);
  writeJsonAtomically(home.planFile, plan);
  const holder = lockHolder(home.supervisorLock);
  if (!holder) {
    startSupervisor(home);
    return;
  }
  if (readUp(home)?.plan !== plan.id) signal(holder, 'SIGHUP');
};

/** Names of the plan's children that are needed and not yet healthy. */
const missing = (plan: Plan, up: UpInfo | null): readonly string[] =>
  plan.children
    .filter((child) => {
      if (child.optional === true) return false;
      const running = up?.processes.find(({ name }) => name === child.name);
      return !(running && running.role === child.role && running.healthy && isAlive(running));
    })
    .map(({ name }) => name);

const explain = (plan: Plan, names: readonly string[], why: string): SetupError => {
  const first = plan.children.find(({ name }) => name === names[0]);
  const tail = first ? tailOf(first.log, 8_192).trim().split('\n').slice(-12).join('\n') : '';
  return new SetupError(
    `${names.join(', ')} did not become healthy (${why}). End of ${first?.log ?? 'the log'}:\n${tail}\n\`evolve doctor\` checks the parts; \`evolve down\` stops what runs`,
  );
};

export type WhenRefused = (why: string) => Promise<void>;

const giveUp: WhenRefused = (why) =>
  Promise.reject(
    new SetupError(`the workers do not start: ${why}. What was started stays up; \`npx evolve down\` stops it`),
  );

/** Resolves when all children of the plan are healthy. `ready` is told of each, and its failure is thrown. */
export const waitHealthy = async (
  home: Home,
  plan: Plan,
  ready: (name: string) => void | Promise<void>,
  whenRefused: WhenRefused = giveUp,
): Promise<UpInfo> => {
  const refusals = new Set<string>();
  const deadline = performance.now() + HEALTHY_TIMEOUT_MS;
  const readyNames = new Set<string>();
  const restartsAtFirst = new Map<string, number>();
  const followedSince = performance.now();
  for (;;) {
    const up = readUp(home);
    const names = missing(plan, up);
    for (const { name, optional } of plan.children)
      if (optional !== true && !names.includes(name) && !readyNames.has(name)) {
        readyNames.add(name);
        await ready(name);
      }
    if (up && up.plan === plan.id && isAlive(up.supervisor) && names.length === 0) return up;
    for (const one of up?.processes ?? []) {
      // A process of another role still belongs to the plan before, and is about to be stopped.
      const isAwaited =
        plan.children.some(({ name, role }) => name === one.name && role === one.role) && names.includes(one.name);
      const why = isAwaited ? refusalOf(one.log, one) : null;
      if (why !== null && !refusals.has(why)) {
        refusals.add(why);
        await whenRefused(why);
      }
      if (!restartsAtFirst.has(one.name)) restartsAtFirst.set(one.name, one.restarts);
      if (names.includes(one.name) && one.restarts - restartsAtFirst.get(one.name)! >= HOPELESS_RESTARTS)
        throw explain(plan, [one.name], `it ended ${HOPELESS_RESTARTS} times`);
    }
    if (performance.now() > deadline) throw explain(plan, names, `waited ${HEALTHY_TIMEOUT_MS / 1000} s`);
    if (!lockHolder(home.supervisorLock) && performance.now() - followedSince > 5_000) {
      throw new SetupError(
        `the supervisor of ${home.root} ended. End of ${join(home.logs, 'supervisor.log')}:\n${tailOf(join(home.logs, 'supervisor.log'), 4_096).trim()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
